"""One check of every Markdown page below a folder: links, marks or lines.

Reads {"folder": path} and writes {"pages": n, "problems": ["page:line: what"]}.
"""

import json
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def links(page, line):
    for target in LINK.findall(line):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{target} is not there"


def marks(page, line):
    for mark in re.findall(r"\b(?:TODO|FIXME|XXX)\b", line):
        yield f"marked {mark}"


def lines(page, line):
    if line != line.rstrip():
        yield "white space at its end"


check = {"links": links, "marks": marks, "lines": lines}[sys.argv[1]]
folder = pathlib.Path(json.load(sys.stdin)["folder"])
if not folder.is_dir():
    sys.exit(f"{folder} is no folder")
pages = sorted(folder.rglob("*.md"))
problems = [
    f"{page.relative_to(folder)}:{number}: {problem}"
    for page in pages
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1)
    for problem in check(page, line)
]
json.dump({"pages": len(pages), "problems": problems}, sys.stdout)
