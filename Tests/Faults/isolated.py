"""Judges faults in worker processes: the host lives, promises are settled, others are untouched, nothing is leaked."""

import os
import subprocess
import tempfile

from building import build
from session import PATIENCE, Session, processes_of_session, run, wait_for

COLUMNS = ["alive", "settled", "others", "no leaks"]
# Repetitions of a fault, after a first one, that must leave nothing behind.
REPETITIONS = 2


class Verdict:
    """The cells of a row: True, False with a reason, or None where the question does not arise."""

    def __init__(self, **cells):
        self.cells = {column: cells.get(column.replace(" ", "_")) for column in COLUMNS}
        self.reason = ""

    def set(self, column, holds, reason=""):
        self.cells[column] = self.cells[column] is not False and bool(holds)
        if not holds and not self.reason:
            self.reason = f"{column}: {reason}"

    def __bool__(self):
        return False not in self.cells.values()

    def __str__(self):
        words = {True: "yes", False: "NO", None: "-"}
        return "".join(f"{words.get(cell, cell):9}" for cell in self.cells.values())


def options(isolation, right="processes"):
    """Returns the options for an isolation mode. They allow the right for workers alone, since others have none."""
    return ["--isolation", isolation, *(["--allow", right] if isolation == "process" else [])]


def judge_lines(host, make, text, call=None, isolation="process"):
    """Enters `use PLUGIN`, and a call if there is one, several times: each must be reported with the text."""
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        session = Session(host, folder, *options(isolation), "--plugin-timeout", "1")
        try:
            use = f"use {path}"
            lines = [use] if call is None else [call] * REPETITIONS
            first = session.ask(use, text if call is None else "")
            if call is not None and first is not None:
                first = session.ask(call, text)
            before = session.counts() if first is not None else None
            if isolation == "thread" and before and call is None:
                # The thread that each `use` starts stays until the host ends, as its initialisers may have run there.
                before["threads"] += len(lines)
            settled = first == [] and all(session.ask(line, text) == [] for line in lines)
            verdict.set("settled", settled, f"expected {text!r}: {session.screen[-600:]!r}")
            verdict.set("alive", session.process.poll() is None, f"status {session.process.poll()}")
            if verdict:
                verdict.set("others", session.bystander <= session.children(), "the bystander's worker has ended")
                excess = session.returns_to(before)
                verdict.set("no leaks", not excess, f"{excess} more than before")
            if verdict:
                verdict.set("alive", session.end() == 0, "the session did not end with status 0")
        finally:
            session.close()
    return verdict


def judge_unloading(host, make, text, call, result, expected):
    """Ends a session whose plugin fails in unload(): the host reports that and ends with the expected status."""
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        session = Session(host, folder, *options("process"), "--plugin-timeout", "1")
        try:
            session.ask(f"use {path}")
            answer = session.ask(call)
            verdict.set("settled", answer == result, f"the call gave {answer}")
            verdict.set("others", session.bystander <= session.children(), "the bystander's worker has ended")
            status = session.end()
            verdict.set("alive", status == expected, f"status {status}: {session.screen[-600:]!r}")
            is_reported = wait_for(lambda: text.encode() in session.screen, 10)
            verdict.set("alive", is_reported, f"expected {text!r}: {session.screen[-600:]!r}")
            left = processes_of_session(session.process.pid)
            verdict.set("no leaks", not left, f"processes {left}")
        finally:
            session.close()
    return verdict


PENDING = 3


def judge_pool(host, make, text, call=None, expected=2):
    """Runs a pipeline in which two workers have the plugin: each fault is reported, a plugin beside them works, and the
    host ends with the expected status.

    Without a call the plugin must be refused. Without a text no call may be rejected.
    """
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        beside = os.path.join(folder, "beside")
        os.mkdir(beside)
        bystander = build(beside, "sums", ('-DID="org.example.bystander"',), "bystander.so")
        pipeline = os.path.join(folder, "pool.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f"plugins:\n  - {{plugin: {path}, isolation: process, pool: 2}}\n")
            file.write(f"  - {{plugin: {bystander}, isolation: process}}\nsteps:\n")
            names = [] if call is None else [f"fault{n}" for n in range(REPETITIONS * 2)]
            for name in names:
                file.write(f"  {name}: {{call: {call}, rescue: {{value: 5}}}}\n")
            file.write("  other: {call: bystander.add, with: {a: 41}}\nresult: other\n")
        memory = os.listdir("/dev/shm")
        status, output, errors, left = run(
            [host, "run", *options("process"), "--plugin-timeout", "1", pipeline],
            dict(os.environ, XDG_STATE_HOME=beside),
            20,
        )
        ended = f"status {status}, output {output!r}, errors {errors!r}"
        verdict.set("alive", status == expected, ended)
        if call is None:
            verdict.set("settled", text in errors and not output, ended)
        else:
            verdict.set("settled", text in errors if text else "rejected" not in errors, ended)
            verdict.set("others", output == "42\n", ended)
        verdict.set("no leaks", left and os.listdir("/dev/shm") == memory, "processes or shared memories")
    return verdict


def judge_pending(host, make, text):
    """Runs calls that stay pending beside the one that ends their worker. Returns a reason if one is not settled."""
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        bystander = build(folder, "sums", ())
        names = ["fault"] + [f"pending{n}" for n in range(PENDING)]
        calls = ["ending.after_others"] + ["ending.never"] * PENDING
        steps = [f"  {name}: {{call: {call}, rescue: {{value: 5}}}}\n" for name, call in zip(names, calls)]
        pipeline = os.path.join(folder, "pending.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f"plugins: [{path}, {bystander}]\nsteps:\n{''.join(steps)}")
            file.write("  other: {call: sums.add, with: {a: 41}}\nresult: other\n")
        try:
            done = subprocess.run(
                [host, "run", "--isolation", "process", pipeline],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                env=dict(os.environ, XDG_STATE_HOME=folder),
            )
        except subprocess.TimeoutExpired:
            return "promises stay pending"
    reports = [line for line in done.stderr.splitlines() if text in line]
    if done.returncode != 0 or done.stdout != "42\n" or not all(any(n in line for line in reports) for n in names):
        return f"status {done.returncode}, output {done.stdout!r}, errors {done.stderr!r}"
    return None


def judge_command(host, arguments, judge):
    """Runs a command with workers, which is judged as the same command in-process."""
    return judge([host, arguments[0], "--isolation", "process", *arguments[1:]])


def plugin_of(path, isolation):
    """Returns the entry of a plugin in a pipeline."""
    pool = ", pool: 2" if isolation == "pool" else ""
    return f"{{plugin: {path}, isolation: {'process' if pool else isolation}{pool}}}"
