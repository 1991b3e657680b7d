#!/usr/bin/env bash
# Fetches the repositories that the question tests ask about, four projects in four languages, into
#   ${XDG_CACHE_HOME:-~/.cache}/consign/corpus/<name>
# with each language's ordinary client and no more than one archive each. What an archive holds is
# decided by its SHA-256 here, not by whoever serves it. Nothing of them is built or run. A second
# run finds everything in place and needs no network.
#   scripts/corpus.sh           fetch what is missing and print the folder
#   scripts/corpus.sh --large   also put together a repository of over a million lines, for timings
#   scripts/corpus.sh --projects   fetch the six projects that templates are made of instead
set -euo pipefail

# shellcheck source=scripts/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/setup.sh"

corpus=${XDG_CACHE_HOME:-$HOME/.cache}/consign/corpus
mkdir -p "$corpus"
# Tests of several processes may come here at once; the first one fetches.
exec 9>"$corpus/.lock"
flock 9
work=$(mktemp -d "$corpus/.fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT

# need_client <program> <Debian package> <why>
need_client() {
    have "$1" && return
    say "installing $2 from Debian's packages: $3"
    if ! { apt_install "$2" && have "$1"; }; then die "\`$1\` is missing: $3"; fi
}

# verify <file> <sha256>
verify() {
    local found
    found=$(sha256sum "$1" | cut -d ' ' -f 1)
    [[ $found == "$2" ]] || die "${1##*/} is not the file that was pinned: expected $2, found $found"
}

# settle <name> <version> <folder>: gives it a history of one commit that is the same everywhere, so
# that questions about history have something to find, and moves it to its place in one step.
settle() {
    local git=(git -C "$3" -c user.name=corpus -c user.email=corpus@localhost
        -c core.autocrlf=false -c core.hooksPath=/dev/null -c commit.gpgsign=false)
    "${git[@]}" init -q
    "${git[@]}" add -A -f
    GIT_AUTHOR_DATE='2025-01-01T00:00:00Z' GIT_COMMITTER_DATE='2025-01-01T00:00:00Z' \
        "${git[@]}" commit -q -m "$1 $2, as it was published"
    printf '%s\n' "$2" >"$3/.git/consign-corpus"
    rm -rf "${corpus:?}/$1"
    mv "$3" "$corpus/$1"
    say "corpus: $1 $2 is in $corpus/$1"
}

# there <name> <version>
there() { [[ $(cat "$corpus/$1/.git/consign-corpus" 2>/dev/null) == "$2" ]]; }

fetch_reqwest() { # Rust
    local version=0.12.23
    there reqwest $version && return
    need_cargo
    mkdir -p "$work/cargo/src"
    touch "$work/cargo/src/lib.rs"
    cat >"$work/cargo/Cargo.toml" <<TOML
[package]
name = "corpus"
version = "0.0.0"
edition = "2021"

[dependencies]
reqwest = { version = "=$version", default-features = false }

[workspace]
TOML
    # There is no command for a crate alone; the few crates that it needs come along.
    (cd "$work/cargo" && cargo fetch --quiet) || die "cargo could not fetch reqwest $version"
    local archive
    archive=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "reqwest-$version.crate" | head -n 1)
    [[ -n $archive ]] || die "cargo kept no archive of reqwest $version"
    verify "$archive" d429f34c8092b2d42c7c93cec323bb4adeb7c67698f70839adec842ec10c7ceb
    tar --no-same-owner -xzf "$archive" -C "$work"
    settle reqwest $version "$work/reqwest-$version"
}

fetch_django() { # Python
    local version=5.2.7
    there django $version && return
    need_client python3 python3 "it has the client for Python's packages"
    python3 -m pip --version >/dev/null 2>&1 ||
        need_client pip3 python3-pip "it fetches Python's packages"
    # A wheel holds the sources; fetching the other kind would run the project's own set-up.
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" "django==$version" >&2 ||
        die "pip could not fetch django $version"
    local archive=$work/django-$version-py3-none-any.whl
    verify "$archive" 59a13a6515f787dec9d97a0438cd2efac78c8aca1c80025244b0fe507fe0754b
    mkdir "$work/django"
    python3 -m zipfile -e "$archive" "$work/django"
    settle django $version "$work/django"
}

fetch_mongodb() { # TypeScript
    local version=6.20.0
    there mongodb $version && return
    need_client npm npm "it fetches JavaScript's packages"
    (cd "$work" && npm pack --silent --ignore-scripts "mongodb@$version" >/dev/null 2>&1) ||
        die "npm could not fetch mongodb $version"
    local archive=$work/mongodb-$version.tgz
    verify "$archive" a12bd599cb4f39cdf222b32380ea3efd1f60c6d88615e0700632a303a9006b02
    tar --no-same-owner -xzf "$archive" -C "$work"
    # What was compiled from src/ is not in the project's own repository either.
    rm -rf "$work/package/lib" "$work/package/mongodb.d.ts"
    settle mongodb $version "$work/package"
}

fetch_fastify() { # JavaScript
    local version=5.6.1
    there fastify $version && return
    need_client npm npm "it fetches JavaScript's packages"
    (cd "$work" && rm -rf package && npm pack --silent --ignore-scripts "fastify@$version" >/dev/null 2>&1) ||
        die "npm could not fetch fastify $version"
    local archive=$work/fastify-$version.tgz
    verify "$archive" 51d4b0dbe007229304d036d47c33603d26de58abbabc1ffde9b2f6b0c882d3a8
    tar --no-same-owner -xzf "$archive" -C "$work"
    settle fastify $version "$work/package"
}

fetch_crate() { # <name> <version> <sha256>
    there "$1" "$2" && return
    need_cargo
    mkdir -p "$work/cargo-$1/src"
    touch "$work/cargo-$1/src/lib.rs"
    printf '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$1" "$2" >"$work/cargo-$1/Cargo.toml"
    (cd "$work/cargo-$1" && cargo fetch --quiet) || die "cargo could not fetch $1 $2"
    local archive
    archive=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$1-$2.crate" | head -n 1)
    [[ -n $archive ]] || die "cargo kept no archive of $1 $2"
    verify "$archive" "$3"
    tar --no-same-owner -xzf "$archive" -C "$work"
    # What cargo adds when it publishes is not in the project's own repository.
    mv "$work/$1-$2/Cargo.toml.orig" "$work/$1-$2/Cargo.toml"
    rm -f "$work/$1-$2/.cargo_vcs_info.json"
    settle "$1" "$2" "$work/$1-$2"
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
    tar --no-same-owner -xzf "$work/$1-$2.tar.gz" -C "$work"
    rm -rf "$work/$1-$2/$1.egg-info" "$work/$1-$2/PKG-INFO"
    settle "$1" "$2" "$work/$1-$2"
}

fetch_npm() { # <name> <package> <version> <sha256>
    there "$1" "$3" && return
    need_client npm npm "it fetches JavaScript's packages"
    local archive
    archive=$(cd "$work" && rm -rf package && npm pack --silent --ignore-scripts "$2@$3" 2>/dev/null) ||
        die "npm could not fetch $2 $3"
    verify "$work/${archive##*$'\n'}" "$4"
    tar --no-same-owner -xzf "$work/${archive##*$'\n'}" -C "$work"
    # What was compiled or bundled is not in the project's own repository.
    if [[ $1 != typescript ]]; then rm -rf "$work/package/build" "$work/package/.yarn"; fi
    settle "$1" "$3" "$work/package"
}

apt_update() {
    local as_root=()
    if ((EUID != 0)); then
        have sudo || return 1
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get -qq update </dev/null >/dev/null 2>&1
}

# fetch_debian <name> <package> <folder>: whatever version this Debian has; apt checks its signature.
fetch_debian() {
    [[ -e $corpus/$1/.git/consign-corpus ]] && return
    have apt-get || return 0
    local under=$work/deb-$1
    mkdir -p "$under"
    (cd "$under" && apt-get download -qq "$2" >/dev/null 2>&1) ||
        (apt_update && cd "$under" && apt-get download -qq "$2" >/dev/null 2>&1) ||
        { say "corpus: $2 cannot be had here; $1 is left out"; return 0; }
    dpkg-deb -x "$under"/*.deb "$under/x"
    settle "$1" "as Debian has it" "$under/x/$3"
}

projects() {
    fetch_crate hexyl 0.16.0 43d56dd04872b6c6d429f18d2e03df95f853feb618c7cd8bf22d0e6851ce5ef8
    fetch_sdist httpbin 0.10.2 632148698261c8684ea2d2b624cdea845b402b1fe91736e89df886408c6317a9
    fetch_npm mongo-express mongo-express 1.0.2 7f9e2a6aeecc61b520b3f790263df2a3e38018bb9659f278ddeedba3c15a2941
    fetch_npm react-query @tanstack/react-query 5.59.0 9e3b1eb9ff4ca0daba9f269d2e3e2dd7f96d505d39de14342797fe8b18012729
    fetch_debian httprouter golang-github-julienschmidt-httprouter-dev \
        usr/share/gocode/src/github.com/julienschmidt/httprouter
    fetch_debian redmine redmine usr/share/redmine
    # Not a project: it parses the one in TypeScript.
    fetch_npm typescript typescript 5.6.3 ef67f8d8ad895858024b7339d3e34bf112cae3c5db1f538c3079038b17ae30fa
}

large() { # django two times over, for 1.1 million lines
    there large 1 && return
    fetch_django
    mkdir -p "$work/large"
    local copy
    for copy in one two; do
        mkdir "$work/large/$copy"
        cp -r "$corpus/django/django" "$work/large/$copy/"
    done
    settle large 1 "$work/large"
}

case ${1-} in
'' | --large | --projects) ;;
*) die "unknown argument $1" ;;
esac
need_client git git "the repositories get a history"
if [[ ${1-} == --projects ]]; then
    projects
else
    fetch_reqwest
    fetch_django
    fetch_mongodb
    fetch_fastify
    if [[ ${1-} == --large ]]; then large; fi
fi
printf '%s\n' "$corpus"
