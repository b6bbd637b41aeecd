"""Plugin code that ends the process, or does not return: rows of commands, and the place and the code of each fault.

A row names a macro of ending.c and its meaning. A negative status is a signal.
"""

import signal

import isolated
from building import build

FILE = "ending.so"
FUNCTION = "org.example.ending.call"

# The faults, by the names of their rows.
FAULTS = {}


class Fault:
    """A fault in code that a command runs: the macro, the code, the function that is called, and the status of a host
    with the plugin in a worker process. That host lives on: a call that is rejected is rescued, and a session survives
    a mistake."""

    def __init__(self, where, code, function, in_worker, texts):
        self.where, self.code, self.function, self.in_worker, self.texts = where, code, function, in_worker, texts
        self.is_survived = code in GOOD or code.startswith("IN_CHILD")
        self.is_loading = where not in ("IN_CALL", "IN_UNLOAD") and code != "atexit(hang)" and not self.is_survived

    def make(self, folder):
        return build(folder, "ending", (f"-D{self.where}={self.code}", f"-DOTHERS={isolated.PENDING}"))

    def text(self):
        """Returns the text that a worker's report must have."""
        if self.function.startswith("wild"):
            return "was killed by SIGSEGV"
        return self.texts[0] if self.is_survived and self.texts else "" if self.is_survived else ENDS[self.code]


def row(name, where, code, status, texts, function="call", output="", command="call", in_worker=None):
    def make(folder):
        plugin = build(folder, "ending", (f"-D{where}={code}",))
        words = [function] if command == "call" else []
        return [command, "--plugin-timeout", "1", plugin, *words]

    if command == "call":
        by_default = 0 if where == "IN_CALL" else status
        FAULTS[name] = Fault(where, code, function, by_default if in_worker is None else in_worker, texts)
    return name, make, status, output, texts


# The report of a worker's end, by the code that ended it.
ENDS = {
    "exit(0)": "exited with status 0",
    "_exit(0)": "exited with status 0",
    "_Exit(0)": "exited with status 0",
    "quick_exit(0)": "exited with status 0",
    "exit(77)": "exited with status 77",
    "exit_on_thread()": "exited with status 0",
    "close_all()": "closed",
    "crash()": "was killed by SIGSEGV",
    "overflow(0)": "was killed by SIGSEGV",
    "abort()": "was killed by SIGABRT",
    "raise(SIGBUS)": "was killed by SIGBUS",
    "atexit(hang)": "it did not exit after unload()",
    "hang()": "did not return in 1.0 seconds",
    "pthread_exit(0)": "tried to end its thread",
}
# Code that is not a fault.
GOOD = ["fork_and_exit()", "break_pipe()", "exceed_file_size()", "recurse()"]


def judge_isolated(host, name):
    """Judges the fault of a row in a worker process; None if the row's command runs no code in the host."""
    fault = FAULTS.get(name)
    if not fault:
        return None
    call = f"ending.{fault.function}"
    if fault.is_loading:
        return isolated.judge_lines(host, fault.make, fault.text())
    if fault.where != "IN_CALL" or fault.is_survived:
        result = ["42"] if fault.function == "call" else []
        return isolated.judge_unloading(host, fault.make, fault.text(), call, result, fault.in_worker)
    verdict = isolated.judge_lines(host, fault.make, fault.text(), call)
    if fault.function == "call" and fault.code != "pthread_exit(0)":
        wrong = isolated.judge_pending(host, fault.make, fault.text())
        if wrong:
            verdict.set("settled", False, wrong)
    return verdict


# Faults in-process that leave the host alive.
LIVES = {"pthread_exit() in a call", "pthread_exit() in promise_plugin_entry()", "pthread_exit() in load()"}


def outcome(name):
    return "lives" if name in LIVES or name not in FAULTS or FAULTS[name].is_survived else "ends"


def judge_session(host, name):
    """Judges a fault of LIVES, in a session."""
    fault = FAULTS[name]
    call = f"ending.{fault.function}" if fault.where == "IN_CALL" else None
    return isolated.judge_lines(host, fault.make, fault.text(), call, "in-process")


def judge_pool(host, name):
    """Judges the fault of a row in a pool of two workers."""
    fault = FAULTS.get(name)
    # A call without a result cannot be rescued.
    if not fault or fault.function in ("wild_out", "fail"):
        return None
    call = None if fault.is_loading else f"ending.{fault.function}"
    return isolated.judge_pool(host, fault.make, fault.text(), call, fault.in_worker)


ROWS = [
    row("exit(0) in an initialiser", "IN_INITIALISER", "exit(0)", 2, [FILE, "called exit(0) in its initialisers"]),
    row("exit(0) in promise_plugin_entry()", "IN_ENTRY", "exit(0)", 2, [FILE, "exit(0) in promise_plugin_entry()"]),
    row("exit(0) in load()", "IN_LOAD", "exit(0)", 2, [FILE, "called exit(0) in load()"]),
    row("exit(0) in a call", "IN_CALL", "exit(0)", 1, [FUNCTION, "called exit(0) in this call"]),
    row("exit(77) in a call", "IN_CALL", "exit(77)", 1, [FUNCTION, "called exit(77)"]),
    row("_exit(0) in a call", "IN_CALL", "_exit(0)", 1, [FUNCTION, "called _exit(0)"]),
    row("_Exit(0) in a call", "IN_CALL", "_Exit(0)", 1, [FUNCTION, "called _exit(0)"]),
    row("quick_exit(0) in a call", "IN_CALL", "quick_exit(0)", 1, [FUNCTION, "called quick_exit(0)"]),
    row("_exit(0) in an initialiser", "IN_INITIALISER", "_exit(0)", 2, [FILE, "called _exit(0)"]),
    row("exit(0) on a thread of the plugin's", "IN_CALL", "exit_on_thread()", 1, ["a thread of its own"]),
    row("exit(0) in unload()", "IN_UNLOAD", "exit(0)", 1, ["org.example.ending: called exit(0) in unload()"], output="42\n"),
    row("exit(0) in unload() after a rejection", "IN_UNLOAD", "exit(0)", 1, ["in unload()", "fail"], function="fail"),
    row("good: a child process ends", "IN_CALL", "fork_and_exit()", 0, [], output="42\n"),
    row("an initialiser closes all descriptors", "IN_INITIALISER", "close_all()", 2, [FILE, "standard streams"]),
    row("exit(0) in an IFUNC resolver", "IN_RESOLVER", "exit(0)", 2, [FILE, "called exit(0) in its initialisers"]),
    row("pthread_exit() in an initialiser", "IN_INITIALISER", "pthread_exit(0)", 2, [FILE, "tried to end its thread"]),
    row("pthread_exit() in promise_plugin_entry()", "IN_ENTRY", "pthread_exit(0)", 2, [FILE, "tried to end its thread"]),
    row("pthread_exit() in load()", "IN_LOAD", "pthread_exit(0)", 2, [FILE, "tried to end its thread"]),
    row("pthread_exit() in a call", "IN_CALL", "pthread_exit(0)", 1, ["ending.call", "tried to end its thread"]),
    row("good: writes to a broken pipe", "IN_CALL", "break_pipe()", 0, [], output="42\n"),
    row("good: writes beyond the limit of a file", "IN_CALL", "exceed_file_size()", 0, [], output="42\n"),
    row("good: calls itself without end", "IN_CALL", "recurse()", 0, [], output="42\n"),
    row("SIGSEGV in a call", "IN_CALL", "crash()", -signal.SIGSEGV, [FUNCTION, "SIGSEGV in this call"]),
    row("abort() in a call", "IN_CALL", "abort()", -signal.SIGABRT, [FUNCTION, "SIGABRT in this call"]),
    row("a signal that is sent in a call", "IN_CALL", "raise(SIGBUS)", -signal.SIGBUS, [FUNCTION, "SIGBUS"]),
    row("stack overflow in a call", "IN_CALL", "overflow(0)", -signal.SIGSEGV, [FUNCTION, "SIGSEGV in this call"]),
    row("SIGSEGV in an initialiser", "IN_INITIALISER", "crash()", -signal.SIGSEGV, [FILE, "SIGSEGV in its init"], in_worker=2),
    row(
        "SIGSEGV in unload()",
        "IN_UNLOAD",
        "crash()",
        -signal.SIGSEGV,
        ["SIGSEGV in unload()"],
        output="42\n",
        in_worker=1,
    ),
    row("an initialiser never returns", "IN_INITIALISER", "hang()", 3, [FILE, "1000 ms from its initialisers"]),
    row("promise_plugin_entry() never returns", "IN_ENTRY", "hang()", 3, [FILE, "from promise_plugin_entry()"]),
    row("load() never returns", "IN_LOAD", "hang()", 3, [FILE, "1000 ms from load()"]),
    row("unload() never returns", "IN_UNLOAD", "hang()", 3, ["1000 ms from unload()"], output="42\n"),
    row("unload() never returns after a rejection", "IN_UNLOAD", "hang()", 1, ["unload()", "fail"], "fail", in_worker=3),
]

WILD = "SIGSEGV in reading the results"
ROWS += [
    row("a wild result", "IN_CALL", "(void)0", -signal.SIGSEGV, ["ending.wild", WILD], function="wild"),
    row("a wild output", "IN_CALL", "(void)0", -signal.SIGSEGV, ["ending.wild_out", WILD], function="wild_out"),
    row("an exit handler never returns", "IN_LOAD", "atexit(hang)", 3, ["1000 ms from its exit"], output="42\n"),
    row("an exit handler never returns after a rejection", "IN_LOAD", "atexit(hang)", 1, ["fail"], "fail", in_worker=3),
    row("an exit handler of unload()'s never returns", "IN_UNLOAD", "atexit(hang)", 3, ["ms from its exit"], output="42\n"),
]



def forking(place, where, text):
    """Yields rows of a child process that continues as if it were the host, exits or crashes: the host is untouched."""
    for name, action, status, reports in [
        ("goes on", "(void)0", "1 << 8", [f"forked in {text}"]),
        ("exits", "exit(0)", "0", []),
        ("crashes", "crash()", "SIGSEGV", []),
    ]:
        yield row(f"a child of {place} {name}", where, f"IN_CHILD({action}, {status})", 0, reports, output="42\n")


ROWS += [
    *forking("an initialiser", "IN_INITIALISER", "its initialisers"),
    *forking("load()", "IN_LOAD", "load()"),
    *forking("a call", "IN_CALL", "this call"),
    *forking("unload()", "IN_UNLOAD", "unload()"),
]

COMMANDS = {"listed": "list", "inspected": "inspect", "documented": "doc"}


def described(name, how, where, code, status, text):
    """Returns a row of a command that reads the description in a child process."""
    return row(f"{name}, {how}", where, code, status, [FILE, text], command=COMMANDS[how])


ROWS += [
    described("exit(0) in an initialiser", "listed", "IN_INITIALISER", "exit(0)", 2, "status 0, in its"),
    described("exit(0) in an initialiser", "inspected", "IN_INITIALISER", "exit(0)", 2, "status 0"),
    described("exit(0) in an initialiser", "documented", "IN_INITIALISER", "exit(0)", 2, "status 0"),
    described(
        "exit_group(0) in an initialiser", "listed", "IN_INITIALISER", "syscall(SYS_exit_group, 0)", 2, "status 0"
    ),
    described("exit(0) in promise_plugin_entry()", "listed", "IN_ENTRY", "exit(0)", 2, "in promise_plugin_entry()"),
    described("SIGSEGV in an initialiser", "listed", "IN_INITIALISER", "crash()", 2, "by SIGSEGV, in its"),
    described("stack overflow in an initialiser", "inspected", "IN_INITIALISER", "overflow(0)", 2, "by SIGSEGV"),
    described("abort() in promise_plugin_entry()", "inspected", "IN_ENTRY", "abort()", 2, "by SIGABRT"),
    described("an initialiser stops its process", "listed", "IN_INITIALISER", "raise(SIGSTOP)", 3, "initialisers"),
    described("an initialiser never returns", "inspected", "IN_INITIALISER", "hang()", 3, "1000 ms from"),
    described("an initialiser closes all descriptors", "listed", "IN_INITIALISER", "close_all()", 2, "closed"),
    described("an entry forges a report", "listed", "IN_ENTRY", 'write_to(3, "forged report")', 2, "report"),
    described("promise_plugin_entry() never returns", "listed", "IN_ENTRY", "hang()", 3, "returned"),
]
