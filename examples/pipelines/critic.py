"""Is it short enough? Reads {"words": n, "most_words": n} and writes {"verdict": …, "feedback": …}."""

import json
import sys

given = json.load(sys.stdin)
over = given["words"] - given["most_words"]
if over > 0:
    judgement = {"verdict": "reintent", "feedback": f"words too many: {over}"}
else:
    judgement = {"verdict": "approved"}
json.dump(judgement, sys.stdout)
