"""Times the second run of a pipeline of 1,000 cached steps against `plugin-host --version`, run in turn.

    cached_steps.py PLUGIN_HOST CALLEE.so [--long]

Prints a heading and a row for each place of plugins, as the other benchmarks do. The reference is 1.5 times the time
of --version, plus 1 ms a step. Exits with 1 if the budget is exceeded, and with 2 if a run fails.
"""

import os
import subprocess
import sys
import tempfile
import time
from statistics import median, quantiles

STEPS = 1000
host, callee, *options = sys.argv[1:]
rounds = 100 if "--long" in options else 20


def fail(message):
    print(f"benchmark: {message}", file=sys.stderr)
    sys.exit(2)


def milliseconds(*words):
    start = time.perf_counter()
    ending = subprocess.run([host, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    taken = (time.perf_counter() - start) * 1e3
    if ending.returncode != 0:
        fail(f"{' '.join(words)}: {ending.stderr.decode(errors='replace')}")
    return taken, ending.stdout


def row(place, folder):
    words = ["run", "--isolation", place, "--accept-unsafe-files", "--progress", "off"]
    words += ["--cache", os.path.join(folder, place + ".db"), os.path.join(folder, "steps.yaml")]
    first = milliseconds(*words)[1]
    reference, ours = [], []
    for _ in range(rounds):
        reference.append(1.5 * milliseconds("--version")[0] + STEPS)
        taken, result = milliseconds(*words)
        if result != first:
            fail("the second run has another result")
        ours.append(taken)
    ratio = median(ours) / median(reference)
    low = quantiles(mine / other for mine, other in zip(ours, reference))[0]
    verdict = "ok" if ratio <= 1 else "near" if low <= 1 else "OVER"
    name = f"{STEPS:,} cached steps, plugins {place}"
    numbers = f"{median(reference):10.2f} {median(ours):10.2f} {ratio:8.2f}"
    print(f"  {name:<58} {numbers} {'<= 1.00':>8}   {verdict}", flush=True)
    return verdict != "OVER"


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "steps.yaml"), "w", encoding="utf-8") as file:
        file.write(f"plugins: [{os.path.abspath(callee)}]\npure: [callee.add]\nsteps:\n")
        for number in range(STEPS):
            file.write(f"  s{number}: {{call: callee.add, with: {{left: {number}, right: 1}}}}\n")
    title = "A second run, against 1.5 x --version + 1 ms a step"
    print(f"\n{title:<60} {'reference':>10} {'ours':>10} {'ratio':>8} {'budget':>8}   (ms)", flush=True)
    held = [row(place, folder) for place in ("in-process", "process")]
sys.exit(0 if all(held) else 1)
