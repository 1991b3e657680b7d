"""Reads PDFs with PyMuPDF and writes the seconds of CPU that each took.

A line on standard input is a word and a path: `text`, `dict` (blocks with their places, the like of what Consign gives),
or `tables` (these, and its search for tables).
"""

import sys
import time

import pymupdf

for line in sys.stdin:
    how, path = line.rstrip("\n").split("\t")
    begun = time.process_time()
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("text" if how == "text" else "dict")
            if how == "tables":
                for table in page.find_tables():
                    table.extract()
    print(time.process_time() - begun, flush=True)
