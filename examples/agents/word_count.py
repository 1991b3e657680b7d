"""Counts words. Reads one JSON value, writes one JSON value."""

import collections
import json
import os
import sys


def main() -> int:
    asked = json.load(sys.stdin)
    words = asked["text"].lower().split()
    # What is said here is kept with the run, as evidence; it is no part of the result.
    run, attempt = os.environ["CONSIGN_RUN"], os.environ["CONSIGN_ATTEMPT"]
    print(f"run {run}, attempt {attempt}: {len(words)} words", file=sys.stderr)
    top = collections.Counter(words).most_common(asked.get("top", 3))
    json.dump({"words": len(words), "top": top}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
