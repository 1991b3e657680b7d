#!/usr/bin/env bash
# Fetches what the tests of Trace need, each with its ordinary client, into
#   ${XDG_CACHE_HOME:-~/.cache}/consign/trace/<name>
# Versions and SHA-256 are pinned here and in tests/acceptance/authoring/tools. Nothing that a package
# wants to run at installation is run. A second run finds everything in place and needs no network.
#   scripts/trace-tools.sh gherkin|vitest|pytest   fetch it if it is missing and print its folder
#     gherkin   the acceptance files of the Gherkin project, as a crate carries them
#     vitest    node_modules with vitest
#     pytest    a folder for PYTHONPATH
set -euo pipefail

# shellcheck source=scripts/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/setup.sh"

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
pinned=$root/tests/acceptance/authoring/tools
cache=${XDG_CACHE_HOME:-$HOME/.cache}/consign/trace
mkdir -p "$cache"
# Tests of several processes may come here at once; the first one fetches.
exec 9>"$cache/.lock"
flock 9
work=$(mktemp -d "$cache/.fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT

need_client() { # <program> <Debian package> <why>
    have "$1" && return
    say "installing $2 from Debian's packages: $3"
    if ! { apt_install "$2" && have "$1"; }; then die "\`$1\` is missing: $3"; fi
}

# settle <name> <version> <folder>: moves it to its place in one step.
settle() {
    printf '%s\n' "$2" >"$3/.version"
    rm -rf "${cache:?}/$1"
    mv "$3" "$cache/$1"
}

there() { [[ $(cat "$cache/$1/.version" 2>/dev/null) == "$2" ]]; }

fetch_gherkin() {
    local name=gherkin_rust version=0.10.1
    there gherkin $version && return
    need_cargo
    mkdir -p "$work/cargo/src"
    touch "$work/cargo/src/lib.rs"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        $name $version >"$work/cargo/Cargo.toml"
    (cd "$work/cargo" && cargo fetch --quiet) || die "cargo could not fetch $name $version"
    local archive found
    archive=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$name-$version.crate" | head -n 1)
    [[ -n $archive ]] || die "cargo kept no archive of $name $version"
    found=$(sha256sum "$archive" | cut -d ' ' -f 1)
    [[ $found == 68ff71b5e012707c7c18bdb710e07736898aba0451f6ffbd435c892dd993053c ]] ||
        die "${archive##*/} is not the file that was pinned: found $found"
    tar --no-same-owner -xzf "$archive" -C "$work"
    settle gherkin $version "$work/$name-$version/tests/fixtures/data"
}

fetch_vitest() {
    local version
    version=$(sha256sum "$pinned/package-lock.json" | cut -d ' ' -f 1)
    there vitest "$version" && return
    need_client npm npm "it fetches JavaScript's packages"
    mkdir "$work/vitest"
    cp "$pinned/package.json" "$pinned/package-lock.json" "$work/vitest/"
    # `npm ci` refuses a lock that lacks optional packages of other machines; this holds what it
    # installs to the same hashes.
    (cd "$work/vitest" && npm install --silent --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) ||
        die "npm could not install vitest"
    settle vitest "$version" "$work/vitest"
}

fetch_pytest() {
    local version
    version=$(python3 -c 'import sys; print(sys.version_info[:2])' 2>/dev/null || true)
    version+=$(sha256sum "$pinned/requirements.txt" | cut -d ' ' -f 1)
    there pytest "$version" && return
    need_client python3 python3 "it has the client for Python's packages"
    python3 -m pip --version >/dev/null 2>&1 ||
        need_client pip3 python3-pip "it fetches Python's packages"
    python3 -m pip install --quiet --no-deps --only-binary :all: --require-hashes \
        --target "$work/pytest" -r "$pinned/requirements.txt" >&2 || die "pip could not install pytest"
    settle pytest "$version" "$work/pytest"
}

case ${1-} in
gherkin | vitest | pytest) "fetch_$1" ;;
*) die "say what to fetch: gherkin, vitest or pytest" ;;
esac
printf '%s\n' "$cache/$1"
