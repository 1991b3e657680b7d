#!/usr/bin/env bash
# Fetches GitHub's official MCP server from npm, pinned by the lock file beside this, into
#   ${XDG_CACHE_HOME:-~/.cache}/consign/github-mcp
# and prints that folder. Nothing that a package wants to run at installation is run. A second run finds
# everything in place and needs no network.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/setup.sh
source "$here/../../../../scripts/setup.sh"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/consign
mkdir -p "$cache"
# Tests of several processes may come here at once; the first one fetches.
exec 9>"$cache/.github-mcp.lock"
flock 9

version=$(sha256sum "$here/package-lock.json" | cut -d ' ' -f 1)
if [[ $(cat "$cache/github-mcp/.version" 2>/dev/null) != "$version" ]]; then
    have node || die "\`node\` is missing: it runs GitHub's MCP server"
    have npm || die "\`npm\` is missing: it fetches GitHub's MCP server"
    work=$(mktemp -d "$cache/.fetching.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cp "$here/package.json" "$here/package-lock.json" "$work/"
    (cd "$work" && npm ci --silent --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) ||
        die "npm could not install GitHub's MCP server"
    printf '%s\n' "$version" >"$work/.version"
    rm -rf "$cache/github-mcp"
    mv "$work" "$cache/github-mcp"
    trap - EXIT
fi
printf '%s\n' "$cache/github-mcp"
