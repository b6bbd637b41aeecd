"""Verifies every shared library of the system with `plugin-host inspect --elf`, and counts the refusals by reason.

usage: system_libraries.py PLUGIN_HOST [FOLDER...]

A library that works must be accepted. A file that is not a library for this machine may be refused, and so may a
library that asks for memory that is writable and executable. A library that is refused as damaged fails the test.
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys

REASONS = {
    "is not an ELF file": "no ELF file: a script for the linker",
    "is built for": "built for another machine",
    "needs an executable stack": "executable stack",
    "has relocations in its code": "relocations in its code",
    "both writable and executable": "segment that is writable and executable",
    "is a program": "a program",
}


def libraries(folders):
    for folder in folders:
        for path, _, names in os.walk(folder):
            for name in names:
                file = os.path.join(path, name)
                if re.search(r"\.so(\.[0-9.]+)?$", name) and os.path.isfile(file) and not os.path.islink(file):
                    yield file


def verdict(host, file):
    run = subprocess.run([host, "inspect", "--elf", file], capture_output=True, text=True, timeout=120)
    if run.returncode == 0:
        return file, "accepted", True
    for text, reason in REASONS.items():
        if run.returncode == 2 and text in run.stderr:
            return file, f"refused: {reason}", True
    return file, f"refused: status {run.returncode}: {run.stderr.strip()}", False


def main(host, *folders):
    files = sorted(set(libraries(folders or ["/usr/lib"])))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda file: verdict(host, file), files))
    for text, count in collections.Counter(text for _, text, _ in verdicts).most_common():
        print(f"{count:6}  {text}")
    wrong = [text for _, text, is_right in verdicts if not is_right]
    print(f"{len(files)} libraries, {len(wrong)} refused without a reason")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
