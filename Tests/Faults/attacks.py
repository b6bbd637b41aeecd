"""Commands with hostile plugins: (name, how the arguments are made, status, standard output, parts of standard error)."""

import ctypes
import os
import subprocess
import threading

from building import build


def impostor(folder):
    """A plugin whose name is the path of another one, which is loaded after it."""
    victim = build(folder, "sums", ())
    name = os.path.join(folder, "sums.so")
    plugin = build(
        folder, "sums", ("-DOFFSET=625", '-DID="org.example.impostor"', f"-Wl,-soname,{name}"), "impostor.so"
    )
    return ["list", plugin, victim]


def beside(folder):
    """A plugin that finds a library beside itself."""
    build(folder, "help", ())
    return ["call", build(folder, "sums", ("-DNEEDS_HELP", "-L", folder, "-l:help.so", "-Wl,-rpath,$ORIGIN")), "add", "41"]


EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
AT_FDCWD = -100


def exchanged(host, folder):
    """Calls a plugin while its file and one that is refused take each other's place: says what went wrong."""
    good = build(folder, "sums", ())
    bad = build(folder, "sums", ("-DOFFSET=625", "-DTELLS", "-Wl,-z,execstack"), "bad.so")
    paths = [os.fsencode(path) for path in (good, bad)]
    libc = ctypes.CDLL(None, use_errno=True)
    over = threading.Event()

    def exchange():
        while not over.is_set():
            assert libc.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], EXCHANGE) == 0

    attacker = threading.Thread(target=exchange)
    attacker.start()
    try:
        for _ in range(100):
            run = subprocess.run([host, "call", good, "add", "41"], capture_output=True, text=True, timeout=60)
            is_right = (run.returncode, run.stdout) == (0, "42\n") or run.returncode == 2 and run.stdout == ""
            if not is_right or "it runs" in run.stderr:
                return f"status {run.returncode}, output {run.stdout!r}, errors {run.stderr!r}"
    finally:
        over.set()
        attacker.join()
    return None


# Attacks with their own check of the result.
RACES = [("exchanged between the check and loading", exchanged)]

ROWS = [
    ("the name of another plugin's file", impostor, 2, "org.example.sums  1.0.0  1 function\n", ["DT_SONAME"]),
    ("good: finds a library beside itself", beside, 0, "42\n", []),
    ("good", lambda folder: ["call", build(folder, "sums", ()), "add", "41"], 0, "42\n", []),
]
