"""Calls a plugin for a time while its file, or a library that it needs, changes to one that is refused, and back.

usage: exchange.py PLUGIN_HOST [SECONDS]

Each variant of the attack takes SECONDS: half of them with plugins in-process, half with plugins in worker processes.
No byte of the refused file may run: each call gives the result of the good plugin, or is refused.
"""

import collections
import os
import sys
import tempfile
import time

from attacks import RACES


def main(host, seconds="60"):
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    failed = 0
    for name, race in RACES:
        for isolation in ("in-process", "process"):
            end = time.monotonic() + float(seconds) / 2
            counts = collections.Counter()
            with tempfile.TemporaryDirectory() as folder:
                # At least one call, however slow the machine is.
                is_over = lambda end=end, counts=counts: counts.total() > 0 and time.monotonic() >= end
                wrong = race(host, isolation, folder, is_over, counts)
            print(f"{name}, {isolation}: {counts['fulfilled']} calls fulfilled, {counts['refused']} refused", flush=True)
            if wrong:
                failed = 1
                print(f"another file ran, or the host failed: {wrong}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
