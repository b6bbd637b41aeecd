#!/usr/bin/env python3
"""Checks that chains of operators type-check in a time that grows as their length.

    scripts/check-chains.py MODULES MODULEMAP     folders and files that `swift build` made

Two overloads that both match a call with a closure double the type checker's work at each link. So a chain of 12 links of
each operator may take at most twice the time of one link: processor time of the compiler, the least of three.
"""

import os
import subprocess
import sys
import tempfile

LINKS = 12
OPERATORS = [
    "map { $0 + 1 }",
    "map(on: .main) { $0 + 1 }",
    "flatMap { Future(fulfilled: $0 + 1) }",
    "mapError { $0 }",
    "onSuccess { print($0 + 1) }",
    "onError { print($0) }",
    "onComplete { print($0) }",
    "tap { print($0) }",
    "recover { _ in 1 }",
    "tryMap { $0 + 1 }",
    "always { print(1) }",
    "mapOrCancel { $0 + 1 }",
]


def seconds(source, flags):
    """The processor time that the compiler takes to check a file; exits if the file does not compile."""
    least = None
    for _ in range(3):
        before = os.times()
        result = subprocess.run(["swiftc", "-typecheck", "-swift-version", "6", *flags, source], capture_output=True,
                                text=True, timeout=300)
        after = os.times()
        if result.returncode != 0:
            sys.exit(f"check-chains.py: does not compile:\n{open(source).read()}\n{result.stderr}")
        taken = after.children_user - before.children_user + after.children_system - before.children_system
        least = taken if least is None else min(least, taken)
    return least


def chain(path, operator, links):
    with open(path, "w") as file:
        file.write("import Promises\nfunc chain(_ future: Future<Int, any Error>) {\n  _ = future\n")
        file.write(f"    .{operator}\n" * links + "}\n")
    return path


def main(modules, module_map):
    flags = ["-I", modules, "-Xcc", f"-fmodule-map-file={module_map}"]
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for operator in OPERATORS:
            one = seconds(chain(f"{folder}/one.swift", operator, 1), flags)
            many = seconds(chain(f"{folder}/many.swift", operator, LINKS), flags)
            if many > 2 * one:
                slow += 1
                print(f"check-chains.py: {LINKS} links of {operator} take {many / one:.1f} times one link", file=sys.stderr)
    print(f"check-chains.py: {len(OPERATORS) - slow} of {len(OPERATORS)} operators chain in linear time")
    return 1 if slow else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check-chains.py MODULES MODULEMAP")
    sys.exit(main(*sys.argv[1:]))
