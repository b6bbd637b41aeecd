"""Times `plugin-host list` of 1,000 plugins against that of 1,000 empty files, run in turn.

    listed_plugins.py PLUGIN_HOST CALLEE.so [--long]

A child process looks at each file. The reference is the cost of 1,000 children that find nothing to verify and to map.
Prints a heading and a row, as the other benchmarks do. The times are processor time, of the children too. Exits with 1
if the budget is exceeded, and with 2 if a run fails.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from statistics import median, quantiles

PLUGINS = 1000
BUDGET = 5
host, callee, *options = sys.argv[1:]
rounds = 50 if "--long" in options else 10


def milliseconds(folder, status):
    """Lists a folder, with an expected status. Returns the processor time, and the number of plugins."""
    with tempfile.TemporaryFile() as output:
        command = [host, "list", "--accept-unsafe-files", folder]
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, ended, usage = os.wait4(process.pid, 0)
        output.seek(0)
        count = output.read().count(b"\n")
    if os.waitstatus_to_exitcode(ended) != status:
        print(f"benchmark: {' '.join(command)}: status {ended}", file=sys.stderr)
        sys.exit(2)
    return (usage.ru_utime + usage.ru_stime) * 1e3, count


with tempfile.TemporaryDirectory() as folder:
    plugins, empty = os.path.join(folder, "plugins"), os.path.join(folder, "empty")
    os.mkdir(plugins)
    os.mkdir(empty)
    for number in range(PLUGINS):
        shutil.copyfile(callee, os.path.join(plugins, f"{number}.so"))
        open(os.path.join(empty, f"{number}.so"), "wb").close()
    reference, ours = [], []
    for _ in range(rounds):
        reference.append(milliseconds(empty, 2)[0])
        taken, count = milliseconds(plugins, 0)
        if count != PLUGINS:
            print(f"benchmark: {count} plugins were listed", file=sys.stderr)
            sys.exit(2)
        ours.append(taken)
ratio = median(ours) / median(reference)
low = quantiles(mine / other for mine, other in zip(ours, reference))[0]
verdict = "ok" if ratio <= BUDGET else "near" if low <= BUDGET else "OVER"
title = "Listing, against children that find nothing to map"
print(f"\n{title:<60} {'reference':>10} {'ours':>10} {'ratio':>8} {'budget':>8}   (ms)")
numbers = f"{median(reference):10.2f} {median(ours):10.2f} {ratio:8.2f} {f'<= {BUDGET:.2f}':>8}"
print(f"  {f'{PLUGINS:,} plugins':<58} {numbers}   {verdict}", flush=True)
sys.exit(0 if verdict != "OVER" else 1)
