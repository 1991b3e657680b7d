"""Counts commits by author. Reads {"log": text} and writes {"commits": n, "authors": {name: n}}."""

import collections
import json
import sys

log = json.load(sys.stdin)["log"]
authors = collections.Counter(
    line.split(" ", 1)[1].split(":", 1)[0] for line in log.splitlines() if " " in line
)
json.dump({"commits": sum(authors.values()), "authors": dict(authors.most_common())}, sys.stdout)
