"""Puts a change into a folder, under the name of its run. Reads {"diff": text, "outbox": folder}, writes {"written": path}.

A second call would find the file there and fail: that is what `unsafe` warns of.
"""

import json
import os
import sys

order = json.load(sys.stdin)
os.makedirs(order["outbox"], exist_ok=True)
path = os.path.join(order["outbox"], os.environ["CONSIGN_RUN"] + ".diff")
with open(path, "x", encoding="utf-8") as file:
    file.write(order["diff"])
json.dump({"written": path}, sys.stdout)
