"""Commands with hostile plugins: (name, how the arguments are made, status, standard output, parts of errors)."""

import collections
import ctypes
import multiprocessing
import os
import subprocess

import isolated
from building import build
from session import run


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

    return isolated.judge_unloading(host, make, "", "sums.add 41", ["42"], 0)


def beside(folder):
    """A plugin that finds a library beside itself."""
    build(folder, "help", ())
    return ["call", build(folder, "sums", ("-DNEEDS_HELP", "-L", folder, "-l:help.so", "-Wl,-rpath,$ORIGIN")), "add", "41"]


EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
AT_FDCWD = -100
# Flags of a file that is refused, and that writes a line if its code runs in spite of that.
REFUSED = ("-DTELLS", "-Wl,-z,execstack")


def exchanging(first, second):
    """Exchanges two files until `over` is set."""
    paths = [os.fsencode(path) for path in (first, second)]
    libc = ctypes.CDLL(None, use_errno=True)

    def attack(over):
        while not over.is_set():
            assert libc.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], EXCHANGE) == 0

    return attack


def overwriting(path, other):
    """Overwrites a file with the content of another and with its own in turn, and resets the time of modification."""
    with open(path, "rb") as file, open(other, "rb") as another:
        contents = [another.read(), file.read()]
    size = max(map(len, contents))
    contents = [content.ljust(size, b"\0") for content in contents]
    descriptor = os.open(path, os.O_WRONLY)
    times = (os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns)
    os.truncate(path, size)

    def attack(over):
        while not over.is_set():
            for content in contents:
                os.pwrite(descriptor, content, 0)
                os.utime(path, ns=times)
        os.close(descriptor)

    return attack


def exchanged_file(folder):
    good = build(folder, "sums", ())
    return good, exchanging(good, build(folder, "sums", ("-DOFFSET=625", *REFUSED), "bad.so"))


def exchanged_beside_its_library(folder):
    """A plugin that looks for libraries beside itself."""
    build(folder, "help", ())
    needs = ("-DNEEDS_HELP", "-L", folder, "-l:help.so", "-Wl,-rpath,$ORIGIN")
    good = build(folder, "sums", needs)
    return good, exchanging(good, build(folder, "sums", (*needs, "-DOFFSET=625", *REFUSED), "bad.so"))


def exchanged_library(folder):
    """The library that a plugin needs."""
    library = build(folder, "help", ())
    good = build(folder, "sums", ("-DNEEDS_HELP", "-L", folder, "-l:help.so", "-Wl,-rpath,$ORIGIN"))
    return good, exchanging(library, build(folder, "help", REFUSED, "bad.so"))


def overwritten_file(folder):
    good = build(folder, "sums", ())
    return good, overwriting(good, build(folder, "sums", ("-DOFFSET=625", *REFUSED), "bad.so"))


def raced(make):
    """A race of a host that calls a plugin with another process that changes files.

    Makes 100 calls, or calls until `is_over` holds. `counts` receives the numbers of calls that were fulfilled and
    refused. Returns the first failure; None if there is none.
    """

    def race(host, isolation, folder, is_over=None, counts=None):
        good, attack = make(folder)
        counts = counts if counts is not None else collections.Counter()
        is_over = is_over or (lambda: counts.total() >= 100)
        over = multiprocessing.Event()
        attacker = multiprocessing.Process(target=attack, args=(over,))
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

    return race


def taken_name(host, isolation, folder):
    """Two plugins with libraries of the same name beside them: each has its own, or the second is refused."""
    for name in ("first", "second"):
        place = os.path.join(folder, name)
        os.mkdir(place)
        build(place, "help", (f"-DHELP={len(name)}",))
        needs = ("-DNEEDS_HELP", "-DOFFSET=help()", "-L", place, "-l:help.so", "-Wl,-rpath,$ORIGIN")
        build(place, "sums", (*needs, f'-DID="org.example.{name}"'))
    pipeline = os.path.join(folder, "pipeline.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(f"plugins: [{folder}/first/sums.so, {folder}/second/sums.so]\nsteps:\n")
        file.write("  one: {call: first.add, with: {a: 0}}\n  two: {call: second.add, with: {a: {step: one}}}\nresult: two\n")
    status, output, errors, _ = run([host, "run", "--isolation", isolation, pipeline])
    refused = (2, "", f"{folder}/second/help.so: is another file than {folder}/first/help.so")
    expected = (0, "11\n", "") if isolation == "process" else refused
    if (status, output) == expected[:2] and expected[2] in errors:
        return None
    return f"status {status}, output {output!r}, errors {errors!r}"


# Attacks with their own check of the result.
RACES = [
    ("the name of another plugin's library", taken_name),
    ("exchanged between the check and loading", raced(exchanged_file)),
    ("exchanged, with a library beside itself", raced(exchanged_beside_its_library)),
    ("a needed library is exchanged", raced(exchanged_library)),
    ("overwritten between the check and loading", raced(overwritten_file)),
]

ROWS = [
    ("the name of another plugin's file", impostor, 2, "org.example.sums  1.0.0  1 function\n", ["DT_SONAME"]),
    ("good: finds a library beside itself", beside, 0, "42\n", []),
    ("good", lambda folder: ["call", build(folder, "sums", ()), "add", "41"], 0, "42\n", []),
]
