#!/usr/bin/env bash
# Fetches the ten repositories whose documents `consign-bench scribe` checks and breaks, or some of them, into
#   ${XDG_CACHE_HOME:-~/.cache}/consign/scribe/<name>
# with each language's ordinary client and no more than one archive each. What an archive holds is
# decided by its SHA-256 here, not by whoever serves it. pip asks the two Python projects for their
# names and so runs their build back-ends; nothing else of them is built or run. A second run finds
# everything in place and needs no network. bench/data/scribe/corpus.json describes them.
#   scripts/scribe-corpus.sh              fetch what is missing and print the folder
#   scripts/scribe-corpus.sh <name…>      only these; ./test fetches the five that tests/acceptance/authoring/scribe_real.rs names
set -euo pipefail

# shellcheck source=scripts/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/setup.sh"

corpus=${XDG_CACHE_HOME:-$HOME/.cache}/consign/scribe
mkdir -p "$corpus"
exec 9>"$corpus/.lock"
flock 9
work=$(mktemp -d "$corpus/.fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT

# there <name> <version>
there() { [[ $(cat "$corpus/.$1.version" 2>/dev/null) == "$2" && -d $corpus/$1 ]]; }

# settle <name> <version> <archive> <sha256>: checks and unpacks it, and moves it to its place in one step.
settle() {
    local found
    found=$(sha256sum "$3" | cut -d ' ' -f 1)
    [[ $found == "$4" ]] || die "${3##*/} is not the file that was pinned: expected $4, found $found"
    mkdir "$work/$1.unpacked"
    tar --no-same-owner -xf "$3" -C "$work/$1.unpacked" --strip-components 1
    rm -rf "${corpus:?}/$1"
    mv "$work/$1.unpacked" "$corpus/$1"
    printf '%s\n' "$2" >"$corpus/.$1.version"
    say "corpus: $1 $2 is in $corpus/$1"
}

need_client() { # <program> <Debian package> <why>
    have "$1" && return
    say "installing $2 from Debian's packages: $3"
    if ! { apt_install "$2" && have "$1"; }; then die "\`$1\` is missing: $3"; fi
}

fetch_crate() { # <name> <version> <sha256>
    there "$1" "$2" && return
    need_cargo
    mkdir -p "$work/cargo/src"
    touch "$work/cargo/src/lib.rs"
    printf '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = { version = "=%s", default-features = false }\n[workspace]\n' \
        "$1" "$2" >"$work/cargo/Cargo.toml"
    # There is no command for a crate alone; the few crates that it needs come along.
    (cd "$work/cargo" && cargo fetch --quiet) || die "cargo could not fetch $1 $2"
    local archive
    archive=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$1-$2.crate" | head -n 1)
    [[ -n $archive ]] || die "cargo kept no archive of $1 $2"
    settle "$1" "$2" "$archive" "$3"
}

fetch_sdist() { # <name> <version> <sha256>
    there "$1" "$2" && return
    need_client python3 python3 "it has the client for Python's packages"
    python3 -m pip --version >/dev/null 2>&1 ||
        need_client pip3 python3-pip "it fetches Python's packages"
    # pip holds the archive to its hash before it looks into it.
    printf '%s==%s --hash=sha256:%s\n' "$1" "$2" "$3" >"$work/requirements.txt"
    python3 -m pip download --quiet --no-deps --no-binary :all: --require-hashes --dest "$work" \
        -r "$work/requirements.txt" >&2 || die "pip could not fetch $1 $2"
    settle "$1" "$2" "$work/$1-$2.tar.gz" "$3"
}

fetch_npm() { # <name> <version> <sha256>
    there "$1" "$2" && return
    need_client npm npm "it fetches JavaScript's packages"
    (cd "$work" && npm pack --silent --ignore-scripts "$1@$2" >/dev/null 2>&1) ||
        die "npm could not fetch $1 $2"
    settle "$1" "$2" "$work/$1-$2.tgz" "$3"
}

# A list of source packages of our own, made from the machine's list of binary ones.
source_list() {
    sources=(-o "Dir::Etc::sourcelist=$work/apt/src.sources" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$work/apt/lists" -o APT::Sandbox::User=root)
    [[ -d $work/apt ]] && return
    mkdir -p "$work/apt/lists/partial"
    sed 's/^Types: .*$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/apt/src.sources"
    apt-get -qq "${sources[@]}" update </dev/null >/dev/null 2>&1 || die "apt-get could not read the list of source packages"
}

fetch_debian() { # <name> <source package> <version> <file> <sha256>
    there "$1" "$3" && return
    have apt-get || die "apt-get is missing: $1 is a source package of Debian's"
    local sources=()
    source_list
    mkdir -p "$work/deb"
    (cd "$work/deb" && apt-get -qq "${sources[@]}" source --download-only --tar-only --only-source "$2=$3" >/dev/null 2>&1) ||
        die "apt-get could not fetch $2 $3"
    settle "$1" "$3" "$work/deb/$4" "$5"
}

fetch() { # <name>
    case $1 in
        bat) fetch_debian bat rust-bat 0.22.1-4 rust-bat_0.22.1.orig.tar.gz \
            390af597f3bece93f693ecfabbcc182b2ca473c8e29fcfdb2374b5e86207e4b5 ;;
        httpie) fetch_sdist httpie 3.2.4 302ad436c3dc14fd0d1b19d4572ef8d62b146bcd94b505f3c2521f701e2e7a2a ;;
        commander) fetch_debian commander node-commander 9.4.1-1 node-commander_9.4.1.orig.tar.gz \
            591ba7850546f51a710a776f9271f1401a08b0e2b831cbbc8354415273a9da12 ;;
        cobra) fetch_debian cobra golang-github-spf13-cobra 1.6.1-1 golang-github-spf13-cobra_1.6.1.orig.tar.gz \
            f38f8b26895903be06089ff20882fc771dbca12f41cf81d7bd823be65e6cec52 ;;
        catch2) fetch_debian catch2 catch2 2.13.10-1 catch2_2.13.10.orig.tar.gz \
            2f4fe284449cf17394350e027ae21958973a61b9161197d416e2dfca16167686 ;;
        cbindgen) fetch_crate cbindgen 0.27.0 3fce8dd7fcfcbf3a0a87d8f515194b49d6135acab73e18bd380d1d93bb1a15eb ;;
        black) fetch_sdist black 24.10.0 846ea64c97afe3bc677b761787993be4991810ecc7a4a937816dd6bddedc4875 ;;
        pino) fetch_npm pino 9.5.0 e76004f2329b7aba62af90f416c60dd9f7dc0513587e57e90508a2d80938afd9 ;;
        cli) fetch_debian cli golang-github-urfave-cli-v2 2.3.0-2 golang-github-urfave-cli-v2_2.3.0.orig.tar.gz \
            b17376246f1477157daab86d4a1562d6b004f5be0d15dfc61ebd8bb129384e6b ;;
        simdjson) fetch_debian simdjson simdjson 3.0.1-1 simdjson_3.0.1.orig.tar.gz \
            156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed ;;
        *) die "there is no repository $1 here" ;;
    esac
}

(($#)) || set -- bat httpie commander cobra catch2 cbindgen black pino cli simdjson
for name; do fetch "$name"; done
printf '%s\n' "$corpus"
