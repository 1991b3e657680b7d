"""A worker: reads one request, works in the current folder, writes one answer.

It stands for a coding agent, and knows just this job. What it is told when its work is sent back decides what it does.
"""

import json
import pathlib
import sys

HEAD = '"""A ledger: lines of `account,amount`, with amounts such as 12.30."""\n'
FLOATS = HEAD + '''

def total(lines, account):
    """The sum of the amounts of an account, as text with two decimals."""
    entries = (line.split(",") for line in lines)
    return f"{sum(float(amount) for name, amount in entries if name == account):.2f}"
'''
DECIMALS = HEAD + '''
from decimal import Decimal


def total(lines, account):
    """The sum of the amounts of an account, as text with two decimals."""
    entries = (line.split(",") for line in lines)
    return f"{sum((Decimal(amount) for name, amount in entries if name == account), Decimal(0)):.2f}"
'''
README = "# Ledger\n\n`total(lines, account)` of `ledger.py` adds up an account, exact to the cent.\n"


def write(name, text):
    pathlib.Path(name).write_text(text, encoding="utf-8")
    return name


def main():
    request = json.load(sys.stdin)
    # Everything on standard error is kept with the run, and is no part of the answer.
    print(f"phase {request['phase']}", file=sys.stderr)
    if request["phase"] == "readme":
        files, summary = [write("README.md", README)], "Said in README.md how to use ledger.py."
    elif "The phase is begun again" in request["task_description"]:
        files, summary = [write("ledger.py", DECIMALS)], "Amounts are added as decimals now."
    else:
        files, summary = [write("ledger.py", FLOATS)], "Wrote total in ledger.py."
    json.dump({"action": "COMPLETED", "evidence_files": files, "summary_for_supervisor": summary}, sys.stdout)


if __name__ == "__main__":
    main()
