#!/bin/sh
# Makes a small git repository to try the job on: make-ledger.sh FOLDER
set -eu

to=${1:?usage: make-ledger.sh FOLDER}
if [ -e "$to" ]; then
    echo "$to exists; name a new folder" >&2
    exit 1
fi
mkdir -p "$to"
cp "$(dirname "$0")"/project/* "$to"
cd "$to"
git init -q
git add .
git -c user.name=Ada -c user.email=ada@example.org -c commit.gpgsign=false commit -q -m "A ledger without totals"
echo "made $to"
