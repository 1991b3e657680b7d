"""What goes out. Reads {"text": text, "rounds": n} and writes {"text": text, "drafts": n}."""

import json
import sys

given = json.load(sys.stdin)
json.dump({"text": given["text"], "drafts": given["rounds"] + 1}, sys.stdout)
