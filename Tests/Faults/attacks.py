"""Commands with hostile plugins: (name, how the arguments are made, status, standard output, parts of errors)."""

import collections
import ctypes
import multiprocessing
import os
import random
import time

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

    def exchange():
        for _ in range(2):
            assert libc.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], EXCHANGE) == 0

    return lambda over: attacking(exchange, over)


def attacking(step, over):
    """Repeats a step, after which the good file is in place, until `over` is set. Half of the time it pauses, so that
    some calls find the good file unchanged."""
    while not over.is_set():
        end = time.monotonic() + random.random() / 20
        while time.monotonic() < end:
            step()
        time.sleep(random.random() / 20)


def overwriting(path, other):
    """Overwrites a file with the content of another and with its own in turn, and resets the time of modification."""
    with open(path, "rb") as file, open(other, "rb") as another:
        contents = [another.read(), file.read()]
    size = max(map(len, contents))
    contents = [content.ljust(size, b"\0") for content in contents]
    descriptor = os.open(path, os.O_WRONLY)
    times = (os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns)
    os.truncate(path, size)

    def overwrite():
        for content in contents:
            os.pwrite(descriptor, content, 0)
            os.utime(path, ns=times)

    return lambda over: attacking(overwrite, over)


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


def command_of(host, isolation, plugin, folder):
    """Returns the command that calls a function of a plugin in a mode. A pool is that of a pipeline."""
    if isolation != "pool":
        return [host, "call", "--isolation", isolation, plugin, "add", "41"]
    pipeline = os.path.join(folder, "pipeline.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(f"plugins: [{isolated.plugin_of(plugin, isolation)}]\n")
        file.write("steps:\n  one: {call: sums.add, with: {a: 41}}\nresult: one\n")
    return [host, "run", pipeline]


def raced(make):
    """A race of a host that calls a plugin with another process that changes files.

    Makes 60 calls, or calls until `is_over` holds. `counts` receives the numbers of calls that were fulfilled and
    refused. Each must be one or the other, and one at least be fulfilled.
    """

    def race(host, isolation, folder, is_over=None, counts=None):
        good, attack = make(folder)
        counts = counts if counts is not None else collections.Counter()
        is_over = is_over or (lambda: counts.total() >= 60)
        over = multiprocessing.Event()
        attacker = multiprocessing.Process(target=attack, args=(over,))
        command = command_of(host, isolation, good, folder)
        verdict = isolated.Verdict()
        attacker.start()
        try:
            while verdict and not is_over():
                status, output, errors, is_empty = run(command)
                is_right = (status, output) == (0, "42\n") or status == 2 and output == ""
                reason = f"status {status}, output {output!r}, errors {errors!r}"
                verdict.set("alive", status in (0, 2), reason)
                verdict.set("settled", is_right and "it runs" not in errors, reason)
                verdict.set("no leaks", is_empty, "processes")
                counts["fulfilled" if status == 0 else "refused"] += 1
        finally:
            over.set()
            attacker.join()
        if verdict:
            verdict.set("settled", counts["fulfilled"] > 0, f"no call was fulfilled, {counts['refused']} were refused")
        return verdict

    return race


def taken_name(host, isolation, folder):
    """Two plugins with libraries of the same name beside them: each has its own, or the second is refused."""
    for name in ("first", "second"):
        place = os.path.join(folder, name)
        os.mkdir(place)
        build(place, "help", (f"-DHELP={len(name)}",))
        needs = ("-DNEEDS_HELP", "-DOFFSET=help()", "-L", place, "-l:help.so", "-Wl,-rpath,$ORIGIN")
        build(place, "sums", (*needs, f'-DID="org.example.{name}"'))
    plugins = [isolated.plugin_of(f"{folder}/{name}/sums.so", isolation) for name in ("first", "second")]
    pipeline = os.path.join(folder, "pipeline.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(f"plugins: [{', '.join(plugins)}]\nsteps:\n")
        file.write("  one: {call: first.add, with: {a: 0}}\n  two: {call: second.add, with: {a: {step: one}}}\nresult: two\n")
    status, output, errors, is_empty = run([host, "run", pipeline])
    refused = (2, "", f"{folder}/second/help.so: is another file than {folder}/first/help.so")
    expected = (0, "11\n", "") if isolation in ("process", "pool") else refused
    reason = f"status {status}, output {output!r}, errors {errors!r}"
    verdict = isolated.Verdict()
    verdict.set("alive", status == expected[0], reason)
    verdict.set("settled", output == expected[1] and expected[2] in errors, reason)
    verdict.set("no leaks", is_empty, "processes")
    return verdict


# Races, each of which returns a verdict.
EXCHANGES = [
    ("exchanged between the check and loading", raced(exchanged_file)),
    ("exchanged, with a library beside itself", raced(exchanged_beside_its_library)),
    ("a needed library is exchanged", raced(exchanged_library)),
    ("overwritten between the check and loading", raced(overwritten_file)),
]
RACES = [("the name of another plugin's library", taken_name), *EXCHANGES]

ROWS = [
    ("the name of another plugin's file", impostor, 2, "org.example.sums  1.0.0  1 function\n", ["DT_SONAME"]),
    ("good: finds a library beside itself", beside, 0, "42\n", []),
    ("good", lambda folder: ["call", build(folder, "sums", ()), "add", "41"], 0, "42\n", []),
]
