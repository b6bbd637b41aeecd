#!/usr/bin/env python3
"""Checks that the files which documents name exist.

    scripts/check-paths.py FILE.md...

A path in a code span names a tracked file or folder if it has a slash or the suffix of a source file. It may leave out
leading folders, but must then fit one file only. A `*` stands for any text. The target of a relative link must exist.
Prints FILE:LINE: the path. Exits with 1 if any is missing.
"""

import fnmatch
import os
import re
import subprocess
import sys

PATH = re.compile(r"[\w.+*-]+(/[\w.+*-]+)+/?|[\w.+-]+\.(swift|c|h|hpp|cpp|md|py|sh|map|txt)")
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def tracked():
    listing = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    files = set(listing.splitlines())
    folders = {file[: place.start()] for file in files for place in re.finditer("/", file)}
    return files, folders


def problem(path, files, folders):
    """The reason that a path names nothing, or None."""
    wanted = path.rstrip("/")
    if "*" in wanted:
        return None if any(fnmatch.fnmatch(file, f"*{wanted}") for file in files) else "no such file"
    if wanted in files or wanted in folders:
        return None
    matches = [name for name in files | folders if name.endswith(f"/{wanted}")]
    if len(matches) == 1:
        return None
    return "no such file" if not matches else f"is several: {', '.join(sorted(matches))}"


def main(documents):
    if not documents:
        print("usage: check-paths.py FILE.md...", file=sys.stderr)
        return 64
    files, folders = tracked()
    problems = 0
    for document in documents:
        is_code = False
        with open(document, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
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
