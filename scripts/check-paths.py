#!/usr/bin/env python3
"""Checks that the files and declarations which documents name exist.

    scripts/check-paths.py FILE.md...

A path in a code span names a tracked file or folder if it has a slash or the suffix of a source file. It may leave out
leading folders, but must then fit one file only. A `*` stands for any text. The target of a relative link must exist.
A name in a code span with paths in parentheses behind it, `settle()` (`Engine/Settle.swift`), occurs in one of these
files. Folders that begin with .build are not looked for.
Prints FILE:LINE: the path. Exits with 1 if any is missing.
"""

import fnmatch
import os
import re
import subprocess
import sys

PATH = re.compile(r"[\w.+*-]+(/[\w.+*-]+)+/?|[\w.+-]+\.(swift|c|h|hpp|cpp|md|py|sh|map|txt)")
SPAN = re.compile(r"`([^`]+)`")
PLACE = re.compile(r"`([^`]+)`\s+\(((?:`[^`]+`(?:,\s+|\s+and\s+)?)+)[),]")
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def tracked():
    listing = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    files = set(listing.splitlines())
    folders = {file[: place.start()] for file in files for place in re.finditer("/", file)}
    return files, folders


def matches(path, names):
    """Returns the names that a path fits."""
    return [path] if path in names else [name for name in names if name.endswith(f"/{path}")]


def problem(path, files, folders):
    """Returns the reason that a path names nothing, or None."""
    wanted = path.rstrip("/")
    if wanted.startswith(".build"):
        return None
    if "*" in wanted:
        return None if any(fnmatch.fnmatch(file, f"*{wanted}") for file in files) else "no such file"
    found = matches(wanted, files | folders)
    if len(found) == 1:
        return None
    return "no such file" if not found else f"is several: {', '.join(sorted(found))}"


def misplaced(text, files):
    """Yields (line, name) of each name that none of the files behind it has."""
    text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.S | re.M)
    for place in PLACE.finditer(text):
        names = re.findall(r"\w+", place[1])
        found = [matches(path, files) for path in SPAN.findall(place[2])]
        code = [open(file, encoding="utf-8").read() for one in found if len(one) == 1 for file in one]
        if names and code and not any(re.search(rf"\b{names[-1]}\b", each) for each in code):
            yield text[: place.start()].count("\n") + 1, place[1]


def main(documents):
    if not documents:
        print("usage: check-paths.py FILE.md...", file=sys.stderr)
        return 64
    files, folders = tracked()
    problems = 0
    for document in documents:
        is_code = False
        with open(document, encoding="utf-8") as file:
            text = file.read()
        for number, name in misplaced(text, files):
            problems += 1
            print(f"{document}:{number}: {name}: is not in the file behind it", file=sys.stderr)
        for number, line in enumerate(text.split("\n"), 1):
            is_code ^= line.startswith("```")
            found = []
            if not is_code:
                spans = [span for span in SPAN.findall(line) if PATH.fullmatch(span)]
                found = [(span, problem(span, files, folders)) for span in spans]
                for target, _ in LINK.findall(line):
                    is_there = os.path.exists(os.path.join(os.path.dirname(document), target))
                    found.append((target, None if is_there else "the link leads nowhere"))
            for path, reason in found:
                if reason is not None:
                    problems += 1
                    print(f"{document}:{number}: {path}: {reason}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
