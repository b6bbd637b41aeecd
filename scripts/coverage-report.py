#!/usr/bin/env python3
"""Reports the counts of `llvm-cov export`: covered regions by folder, against the goals.

    scripts/coverage-report.py COVERAGE.json [FOLDER]

With a FOLDER (or a file) it lists the lines of its uncovered regions too. Exits with 1 if a goal is missed.
"""

import collections
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOALS = {"Sources/Promises/Engine": 95.0, "Sources/CPromiseABI": 95.0}
GOAL = 92.0


def folder_of(path):
    """Returns the row of the report that a file counts for: its target, or the engine."""
    parts = path.split("/")
    return "/".join(parts[:3] if parts[:3] == ["Sources", "Promises", "Engine"] else parts[:2])


def uncovered_lines(segments):
    """Returns the lines on which counted regions begin that never ran."""
    return sorted({line for line, _, count, has_count, is_entry, is_gap in segments
                   if has_count and is_entry and not is_gap and count == 0})


def read(path):
    with open(path) as file:
        for entry in json.load(file)["data"][0]["files"]:
            # The name is the path that the compiler was given: a test target that compiles the engine again, through
            # symbolic links, does not count for the engine.
            name = os.path.relpath(entry["filename"], ROOT)
            if name.startswith("Sources/"):
                yield name, entry


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    files = dict(read(sys.argv[1]))
    covered, counted = collections.Counter(), collections.Counter()
    for name, entry in files.items():
        regions = entry["summary"]["regions"]
        covered[folder_of(name)] += regions["covered"]
        counted[folder_of(name)] += regions["count"]
    missed = 0
    print(f"{'regions':<32} {'covered':>8} {'of':>7} {'share':>8} {'goal':>7}")
    for folder in sorted(counted):
        share = 100.0 * covered[folder] / max(counted[folder], 1)
        goal = GOALS.get(folder, GOAL)
        missed += share < goal
        print(f"{folder:<32} {covered[folder]:>8} {counted[folder]:>7} {share:>7.1f}% {goal:>6.0f}% "
              f"{'ok' if share >= goal else 'MISSED'}")
    if len(sys.argv) == 3:
        for name in sorted(files):
            if name == sys.argv[2] or name.startswith(sys.argv[2].rstrip("/") + "/"):
                for line in uncovered_lines(files[name]["segments"]):
                    print(f"{name}:{line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
