"""What a change touches. Reads {"diff": text} and writes {"files": [name], "added": n, "removed": n}."""

import json
import sys

files, added, removed = [], 0, 0
for line in json.load(sys.stdin)["diff"].splitlines():
    if line.startswith("+++ "):
        files.append(line[4:].split("\t")[0].replace("b/", "", 1))
    elif line.startswith("+"):
        added += 1
    elif line.startswith("-") and not line.startswith("--- "):
        removed += 1
if not files:
    sys.exit("this is no diff: it names no file")
json.dump({"files": files, "added": added, "removed": removed}, sys.stdout)
