"""Runs the fault matrix against a plugin-host: each row is a plugin that is broken or hostile, run by the real command,
in each isolation mode that applies.

usage: run.py PLUGIN_HOST [PART-OF-A-NAME]

Each mode has four columns: the host lives, each pending promise is settled with the expected reason, another plugin is
untouched, and nothing is leaked.

In-process, a command ends by itself, with the status that is documented, writes the row's message to standard error,
and writes nothing to standard output but the row's result. Where the documented outcome is the end of the host, its
column says "ends", and no process may be left. Otherwise a session repeats the fault.

With plugins on threads of their own, the commands that run code of the plugin end in the same way.

In a worker process, a session of the host repeats the fault, and may have no more descriptors, threads, processes and
shared memories than after the first time. In a pool of two workers, a pipeline repeats the fault.
"""

import os
import sys
import tempfile

import attacks
import endings
import hostile
import isolated
import loading
import surroundings
import wild
from session import run


def expecting(status, output, text, environment=None):
    """Returns a judge of a command by its status, its outputs, and the processes and shared memories that are left."""

    def judge(arguments):
        verdict = isolated.Verdict()
        memory = os.listdir("/dev/shm")
        ended, written, errors, is_empty = run(arguments, environment)
        reason = f"status {ended}, output {written!r}, errors {errors.strip()!r}"
        verdict.set("alive", ended == status, reason)
        verdict.set("settled", written == output and all(part in errors for part in text), reason)
        verdict.set("no leaks", is_empty and os.listdir("/dev/shm") == memory, "processes or shared memories")
        return verdict

    return judge


def load_row(host, make, text, isolation):
    """Judges a file that is refused, by commands and in a session.

    The commands check the owners of the files first, for which they read the file in their own process.
    """
    strict = dict(os.environ, PROMISE_ACCEPT_UNSAFE_FILES="")
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        for command in (["call", "--isolation", isolation, path, "add", "41"], ["inspect", path], ["list", path]):
            verdict = expecting(2, "", [text, path], strict)([host, *command])
            if not verdict:
                return failed(f"{command[0]}: {verdict.reason}")
        status = run([host, "inspect", "--elf", path])[0]
        if status not in (0, 2):
            return failed(f"inspect --elf: status {status}")
    return isolated.judge_lines(host, make, text, isolation=isolation)


def failed(reason):
    verdict = isolated.Verdict()
    verdict.set("settled", False, reason)
    return verdict


def call_row(host, make, outcome, status, output, text, place="in-process"):
    """Judges a command with a plugin in the host's process. Commands that read a description have no place."""
    with tempfile.TemporaryDirectory() as folder:
        command, *rest = make(folder)
        options = ["--isolation", place] if command == "call" else []
        verdict = expecting(status, output, text)([host, command, *options, *rest])
    if outcome == "ends" and verdict.cells["alive"]:
        verdict.cells["alive"] = "ends"
    return verdict


def ending_row(host, name, row):
    """Judges a command, and for a fault that the host survives in-process, a session."""
    verdict = call_row(host, *row)
    return endings.judge_session(host, name) if verdict and name in endings.LIVES else verdict


def isolated_command(host, make, *expected):
    with tempfile.TemporaryDirectory() as folder:
        return isolated.judge_command(host, make(folder), expecting(*expected))


def race_row(host, race, isolation):
    with tempfile.TemporaryDirectory() as folder:
        return race(host, isolation, folder)


def rows(host):
    """Yields the name of each row, and its judges for the modes; None for a mode to which the row does not apply."""
    for name, make, text in loading.ROWS + wild.ROWS:
        yield (
            name,
            lambda make=make, text=text: load_row(host, make, text, "in-process"),
            lambda make=make, text=text: load_row(host, make, text, "thread"),
            lambda make=make, text=text: isolated.judge_lines(host, make, text),
            lambda make=make, text=text: isolated.judge_pool(host, make, text),
        )
    for name, make, *expected in attacks.ROWS:
        has_call = expected[0] == 0
        yield (
            name,
            lambda row=(make, "lives", *expected): call_row(host, *row),
            (lambda row=(make, "lives", *expected): call_row(host, *row, "thread")) if has_call else None,
            (lambda row=(make, *expected): isolated_command(host, *row))
            if has_call
            else lambda: attacks.judge_impostor(host),
            (lambda make=make: isolated.judge_pool(host, lambda folder: make(folder)[1], "", "sums.add, with: {a: 41}", 0))
            if has_call
            else None,
        )
    for name, make, *expected in endings.ROWS:
        yield (
            name,
            lambda row=(make, endings.outcome(name), *expected), name=name: ending_row(host, name, row),
            name in endings.FAULTS
            and (lambda row=(make, endings.outcome(name), *expected): call_row(host, *row, "thread")),
            lambda name=name: endings.judge_isolated(host, name),
            lambda name=name: endings.judge_pool(host, name),
        )
    for name, code, text in hostile.ROWS:
        yield (
            name,
            None,
            None,
            lambda row=(code, text): hostile.judge(host, *row),
            lambda row=(code, text): hostile.judge_pool(host, *row),
        )
    for name, judge, modes in surroundings.ROWS:
        yield name, *((lambda judge=judge, mode=mode: judge(host, mode)) if mode in modes else None for mode in MODES)
    for name, race in attacks.RACES:
        yield name, *(lambda race=race, mode=mode: race_row(host, race, mode) for mode in MODES)


MODES = ["in-process", "thread", "process", "pool"]


def main(host, part=""):
    os.environ["LC_ALL"] = "C.UTF-8"
    # A host that is built for debugging would take seconds to print the stacks of a crash.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    width = 9 * len(isolated.COLUMNS)
    print(f"{'':6}  {'':50}  " + "  ".join(f"{mode:{width}}" for mode in MODES).rstrip())
    columns = "".join(f"{name:9}" for name in isolated.COLUMNS)
    print(f"{'':6}  {'fault':50}  " + "  ".join([columns] * len(MODES)).rstrip())
    count = bad = 0
    for name, *judges in rows(host):
        if part not in name:
            continue
        verdicts = [judge() if judge else None for judge in judges]
        is_wrong = any(verdict is not None and not verdict for verdict in verdicts)
        count, bad = count + 1, bad + is_wrong
        cells = "  ".join(f"{'' if verdict is None else str(verdict):{width}}" for verdict in verdicts)
        print(f"{'FAILED' if is_wrong else 'ok':6}  {name:50}  {cells}".rstrip(), flush=True)
        for mode, verdict in zip(MODES, verdicts):
            if verdict is not None and verdict.reason:
                print(f"        {mode}: {verdict.reason}", flush=True)
    print(f"{count} faults, {bad} failed")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
