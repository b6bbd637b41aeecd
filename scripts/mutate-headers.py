#!/usr/bin/env python3
"""Judges the hand-made mutations of the installed headers (docs/mutation.md), one build of the tests for each.

    scripts/mutate-headers.py [--only NAME]... [--rows-of TABLE]... [--tests TEST] [--since COMMIT] [--jobs NUMBER]
                              [--list]

Other options of the mutation tool are ignored; with those that select no rows, there is nothing to judge.

A macro, a type and a `noexcept` have no place for a switch, so each row gets a copy of include/ with its change. The
programs that it names are built against that copy and run. A row that names no test is judged by all C++ programs,
until one fails. LIBRARY is the library (.build/release/libpromise.so). The exit status is 1 if a row survives.
"""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
specification = importlib.util.spec_from_file_location("check_mutations", ROOT / "scripts/check-mutations.py")
tables = importlib.util.module_from_spec(specification)
specification.loader.exec_module(tables)


def rows():
    """Returns the rows of the headers: name, table, fields, and code before and after."""
    for table in sorted(pathlib.Path("Tests/Mutations").glob("*.txt")):
        for _, name, fields, before, after in tables.rows(table):
            if fields and tables.is_header(fields.get("file", "")):
                yield name, str(table), fields, before, after


def mutated(text, fields, before, after):
    """Returns the text of a header with a row's change."""
    start, end = tables.places(text, before)[max(int(fields.get("place", 0)), 1) - 1]
    return text[:start] + "\n".join(after) + text[end:]


def fails(test, include, folder, limit=1800):
    """Returns whether a test fails with these headers, or takes longer than the limit, in seconds."""
    name = test.removeprefix("Headers/")
    script = "check-headers" if name == "check-headers" else "test-abi" if tables.is_c_program(name) else "test-hpp"
    command = [f"scripts/{script}.sh"] + ([] if script == "check-headers" else [name])
    options = {"INCLUDE": include, "OUT": f"{folder}/{name}", "JOBS": "1", "CC_LIST": "clang", "CXX_LIST": "clang++",
               "STANDARDS": "20", "VALGRIND": "0"}
    end = subprocess.run(
        ["timeout", "--kill-after=5", str(limit)] + command, env=os.environ | options, stdin=subprocess.DEVNULL,
        capture_output=True, text=True)
    if end.returncode == 2:
        sys.exit(f"mutate-headers.py: {test} cannot run:\n{end.stdout}{end.stderr}")
    return end.returncode != 0


def judge(row, limits):
    """Returns the verdict on a row, and whether it is that of a good one. `limits` are the seconds of its tests."""
    _, _, fields, before, after = row
    named = re.findall(r"[^ ,]+", fields.get("tests", ""))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("include", f"{folder}/include")
        file = pathlib.Path(folder, fields["file"])
        file.write_text(mutated(file.read_text(encoding="utf-8"), fields, before, after), encoding="utf-8")
        tests = named or [f"Headers/{program.stem}" for program in sorted(pathlib.Path("Tests/ABI/hpp").glob("*.cpp"))]
        failed = []
        for test in tests:
            if fails(test, f"{folder}/include", folder, limits.get(test, 1800)):
                failed.append(test)
                if not named:
                    break
            elif named:
                return f"survived {test}", False
    if "equivalent" in fields or "unseen" in fields:
        return (f"refuted by {failed[0]}", False) if failed else ("equivalent", True)
    return (f"killed by {' '.join(failed)}", True) if failed else ("survived", False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    for option in ("--only", "--rows-of", "--product", "--kind"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--since")
    parser.add_argument("--tests", default="")
    parser.add_argument("--jobs", type=int, default=2)
    for option in ("--list", "--no-rows", "--again"):
        parser.add_argument(option, action="store_true")
    options, _ = parser.parse_known_args()
    os.chdir(ROOT)
    if options.no_rows or options.again or options.product or (options.kind and "row" not in options.kind):
        return 0
    chosen = [row for row in rows() if
              (not options.only or any(text in row[0] for text in options.only))
              and (not options.rows_of or any(text in row[1] for text in options.rows_of))
              and options.tests in row[2].get("tests", "")]
    if options.since:
        changed = subprocess.run(["git", "diff", "--name-only", options.since, "--", "include", "Tests/Mutations"],
                                 check=True, capture_output=True, text=True).stdout.split()
        chosen = [row for row in chosen if row[1] in changed or row[2]["file"] in changed]
    if options.list or not chosen:
        for name, _, fields, _, _ in chosen:
            print(f"{fields['file']}: {name}")
        return 0
    if "LIBRARY" not in os.environ:
        subprocess.run(["make", "--no-print-directory", "libpromise"], check=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def limit(test):
            start = time.monotonic()
            if fails(test, "include", folder):
                sys.exit(f"mutate-headers.py: {test} fails without a mutation")
            return 30 + 8 * (time.monotonic() - start)

        tests = sorted({test for row in chosen for test in re.findall(r"[^ ,]+", row[2].get("tests", ""))})
        limits = dict(zip(tests, pool.map(limit, tests)))
        good = 0
        for row, (verdict, is_good) in zip(chosen, pool.map(lambda row: judge(row, limits), chosen)):
            good += is_good
            print(f"{'' if is_good else 'GAP: '}{row[0]}: {verdict}", flush=True)
    print(f"headers: {good} of {len(chosen)} rows are killed or equivalent")
    return 0 if good == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
