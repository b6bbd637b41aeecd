#!/usr/bin/env python3
"""Checks that the tests which docs/abi-guarantees.md names exist.

    scripts/check-guarantees.py FILE.md...

A code span `program.function` with an underscore in the function names a function of Tests/ABI/program.c or of the
check of that name in promise-conformance. Prints FILE:LINE: the name. Exits with 1 if any is missing, or if a row of a
table names neither a test nor a decision.
"""

import re
import sys
from pathlib import Path

SPAN = re.compile(r"`([a-z][a-z0-9_]*)\.([a-z0-9]+(?:_[a-z0-9]+)+)`")
ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "Tests/ABI", ROOT / "Sources/promise-conformance/checks")


def exists(program, function):
    """Whether one of the two programs runs the function as a test."""
    files = [folder / f"{program}.c" for folder in FOLDERS]
    runs = re.compile(rf"\b(TEST|OUT_OF_MEMORY|RULE)(_BY)?\({function}\b")
    return any(file.exists() and runs.search(file.read_text(encoding="utf-8")) for file in files)


def problems(text):
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("| ") or line.startswith(("| guarantee", "| ---")):
            continue
        names = line.rstrip(" |").rsplit(" | ", 1)[-1]
        if "`" not in names and "](" not in names:
            yield number, "the row names neither a test nor a decision"
        for program, function in SPAN.findall(line):
            if not exists(program, function):
                yield number, f"no test '{function}' in {program}.c of Tests/ABI or of the checks"


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: scripts/check-guarantees.py FILE.md...")
    found = 0
    for name in sys.argv[1:]:
        for number, problem in problems(Path(name).read_text(encoding="utf-8")):
            print(f"{name}:{number}: {problem}", file=sys.stderr)
            found += 1
    return 1 if found else 0


sys.exit(main())
