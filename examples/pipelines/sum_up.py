"""One word about many checks.

Reads {"errors": […]} where checks could not be made, else {name: {"problems": […]}} of each that was. Writes
{"fine": bool, "problems": {name: […]}}.
"""

import json
import sys

given = json.load(sys.stdin)
if "errors" in given:
    problems = {}
    for error in given["errors"]:
        problems.setdefault(error["agent"], []).append(error["message"])
else:
    problems = {name: check["problems"] for name, check in given.items() if check["problems"]}
json.dump({"fine": not problems, "problems": problems}, sys.stdout)
