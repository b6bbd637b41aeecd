#!/usr/bin/env python3
"""Checks that docs/testing.md and the Makefile name the same targets.

    scripts/check-targets.py [MAKEFILE [DOCUMENT]]

Each target of tests in the Makefile has a row in the document's table, and each target of a row is in the Makefile. The
document's first paragraph lists those that `make test` does not run.
Prints each difference. Exits with 1 if there is any.
"""

import re
import sys

# The other targets build, install or clean.
NO_TESTS = re.compile(r"(all|demo|test|build|libpromise|plugin-host|conformance|install|uninstall|docs|format|clean|"
                      r"setup-.*)")
SPAN = re.compile(r"`([^`]+)`")


def main(makefile="Makefile", document="docs/testing.md"):
    with open(makefile, encoding="utf-8") as file:
        rules = file.read().replace("\\\n", " ")
    with open(document, encoding="utf-8") as file:
        text = file.read()
    phony = set(re.search(r"^\.PHONY:(.*)$", rules, re.M)[1].split())
    targets = {target for target in phony if not NO_TESTS.fullmatch(target)}
    run = {name for parts in re.findall(r"^(?:BESIDE|IN_TURN) =(.*)$", rules, re.M) for name in parts.split()}
    rows = re.findall(r"^\|([^|]*)\|", text, re.M)
    described = {span for row in rows[1:] for span in SPAN.findall(row)}
    sentence = re.search(r"runs all of this but(.*?);", text, re.S)
    left_out = set(SPAN.findall(sentence[1])) if sentence else set()
    problems = [] if sentence else [f"{document}: no sentence \"runs all of this but ...;\""]
    problems += [f"{document}: no row for the target {name}" for name in sorted(targets - described)]
    problems += [f"{document}: a row for {name}, which is not a target of tests" for name in sorted(described - targets)]
    problems += [f"{document}: {name} is not in the list of targets that `make test` does not run"
                 for name in sorted(targets - run - left_out)]
    problems += [f"{document}: {name} is in that list, but is not such a target" for name in sorted(left_out - (targets - run))]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
