"""Calls a plugin for a time while its file, or a library that it needs, changes to one that is refused, and back.

usage: exchange.py PLUGIN_HOST [SECONDS]

Each variant of the attack takes SECONDS, a quarter in each isolation mode. No byte of the refused file may run: each
call gives the result of the good plugin, or is refused, and one at least gives the result.
"""

import collections
import os
import sys
import tempfile
import time

from attacks import EXCHANGES


def main(host, seconds="60"):
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    failed = 0
    for name, race in EXCHANGES:
        for isolation in ("in-process", "thread", "process", "pool"):
            end = time.monotonic() + float(seconds) / 4
            counts = collections.Counter()
            with tempfile.TemporaryDirectory() as folder:

                def is_over(end=end, counts=counts):
                    # At least ten calls, and until one was fulfilled, however slow the machine is.
                    enough = 10 if counts["fulfilled"] else 200
                    return counts.total() >= enough and time.monotonic() >= end

                verdict = race(host, isolation, folder, is_over, counts)
            print(f"{name}, {isolation}: {counts['fulfilled']} calls fulfilled, {counts['refused']} refused", flush=True)
            if not verdict:
                failed = 1
                print(verdict.reason, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
