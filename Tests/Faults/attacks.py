"""Commands with hostile plugins: (name, how the arguments are made, status, standard output, parts of standard error)."""

import collections
import ctypes
import os
import subprocess
import threading

import isolated
from building import build


def impostor(folder):
    """A plugin whose name is the path of another one, which is loaded after it."""
    victim = build(folder, "sums", ())
    name = os.path.join(folder, "sums.so")
    plugin = build(
        folder, "sums", ("-DOFFSET=625", '-DID="org.example.impostor"', f"-Wl,-soname,{name}"), "impostor.so"
    )
    return ["list", plugin, victim]


def judge_impostor(host):
    """Loads the impostor, then the plugin whose name it has, each in a worker: the second must be itself."""

    def make(folder):
        _, liar, victim = impostor(folder)
        return f"{liar}\ruse {victim}"

    return isolated.judge_unloading(host, make, "", "sums.add 41", ["42"])


def beside(folder):
    """A plugin that finds a library beside itself."""
    build(folder, "help", ())
    return ["call", build(folder, "sums", ("-DNEEDS_HELP", "-L", folder, "-l:help.so", "-Wl,-rpath,$ORIGIN")), "add", "41"]


EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
AT_FDCWD = -100


def exchange(first, second, over):
    """Exchanges two files until `over` is set."""
    paths = [os.fsencode(path) for path in (first, second)]
    libc = ctypes.CDLL(None, use_errno=True)
    while not over.is_set():
        assert libc.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], EXCHANGE) == 0


def exchanged(host, isolation, folder, is_over=None, counts=None):
    """Calls a plugin while its file and one that is refused take each other's place: says what went wrong.

    100 times, or until `is_over` holds. `counts` receives the numbers of calls that were fulfilled and refused.
    """
    good = build(folder, "sums", ())
    bad = build(folder, "sums", ("-DOFFSET=625", "-DTELLS", "-Wl,-z,execstack"), "bad.so")
    counts = counts if counts is not None else collections.Counter()
    is_over = is_over or (lambda: counts.total() >= 100)
    over = threading.Event()
    attacker = threading.Thread(target=exchange, args=(good, bad, over))
    attacker.start()
    command = [host, "call", "--isolation", isolation, good, "add", "41"]
    try:
        while not is_over():
            run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            is_right = (run.returncode, run.stdout) == (0, "42\n") or run.returncode == 2 and run.stdout == ""
            if not is_right or "it runs" in run.stderr:
                return f"status {run.returncode}, output {run.stdout!r}, errors {run.stderr!r}"
            counts["fulfilled" if run.returncode == 0 else "refused"] += 1
    finally:
        over.set()
        attacker.join()
    return None


def judge_isolated(race, host, folder):
    """Judges a race in worker processes."""
    verdict = isolated.Verdict()
    wrong = race(host, "process", folder)
    for column in ("alive", "settled"):
        verdict.set(column, wrong is None, wrong)
    return verdict


# Attacks with their own check of the result.
RACES = [("exchanged between the check and loading", exchanged)]

ROWS = [
    ("the name of another plugin's file", impostor, 2, "org.example.sums  1.0.0  1 function\n", ["DT_SONAME"]),
    ("good: finds a library beside itself", beside, 0, "42\n", []),
    ("good", lambda folder: ["call", build(folder, "sums", ()), "add", "41"], 0, "42\n", []),
]
