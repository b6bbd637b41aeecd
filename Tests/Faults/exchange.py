"""Calls a plugin for a time while its file and one that is refused take each other's place.

usage: exchange.py PLUGIN_HOST [SECONDS]

Half of the time plugins run in-process, half of it in worker processes. No byte of the other file may run: each call
gives the result of the good plugin, or is refused.
"""

import collections
import os
import sys
import tempfile
import time

from attacks import exchanged


def main(host, seconds="60"):
    os.environ["LC_ALL"] = "C.UTF-8"
    for isolation in ("in-process", "process"):
        end = time.monotonic() + float(seconds) / 2
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            # At least one call, however slow the machine is.
            is_over = lambda end=end, counts=counts: counts.total() > 0 and time.monotonic() >= end
            wrong = exchanged(host, isolation, folder, is_over, counts)
        print(f"{isolation}: {counts['fulfilled']} calls fulfilled, {counts['refused']} refused")
        if wrong:
            print(f"another file ran, or the host failed: {wrong}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
