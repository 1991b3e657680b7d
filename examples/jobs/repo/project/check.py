"""Checks ledger.py. The last line is `N passed, M failed`."""

import sys

from ledger import total

CASES = [
    ("no lines", [], "0.00"),
    ("two accounts", ["tea,12.30", "milk,1.00", "tea,0.70"], "13.00"),
    ("many small amounts", ["tea,0.10"] * 3 + ["tea,9007199254740992.00"], "9007199254740992.30"),
]


def fits(lines, expected):
    try:
        return total(lines, "tea") == expected
    except Exception as broken:
        print(f"{type(broken).__name__}: {broken}")
        return False


failed = [name for name, lines, expected in CASES if not fits(lines, expected)]
for name in failed:
    print(f"failed: {name}")
print(f"{len(CASES) - len(failed)} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
