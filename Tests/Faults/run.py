"""Runs the fault matrix against a plugin-host: each row is a plugin that is broken or hostile, run by the real command,
in each isolation mode that applies.

usage: run.py PLUGIN_HOST [PART-OF-A-NAME]

In-process, a row passes if the host ends by itself, with the status that is documented, says what the row expects on
standard error, and writes nothing to standard output but the row's result.

In a worker process, a session of the host repeats the fault. The row passes if the session lives, each pending promise
is settled with the expected reason, a plugin in another worker is untouched, and the host has no more descriptors,
threads, processes and shared memories than after the first time.
"""

import os
import subprocess
import sys
import tempfile

import attacks
import endings
import isolated
import loading
import wild

# Longer than any row takes, so that a host which hangs fails its row.
PATIENCE = 60


def run(arguments):
    """How a command ended: its status as the shell has it, and what it wrote."""
    try:
        done = subprocess.run(
            arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    return done.returncode, done.stdout, done.stderr


def load_row(host, make, text):
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        for command in (["call", path, "add", "41"], ["inspect", path]):
            status, output, errors = run([host, *command])
            if status != 2 or output or text not in errors or path not in errors:
                return f"{command[0]}: status {status}, output {output!r}, errors {errors.strip()!r}"
    return None


def expecting(status, output, text):
    """A judge of a command: None if it ends as expected."""

    def judge(arguments):
        ended, written, errors = run(arguments)
        if ended != status or written != output or not all(part in errors for part in text):
            return f"status {ended}, output {written!r}, errors {errors.strip()!r}"
        return None

    return judge


def call_row(host, make, *expected):
    with tempfile.TemporaryDirectory() as folder:
        return expecting(*expected)([host, *make(folder)])


def isolated_command(host, make, *expected):
    with tempfile.TemporaryDirectory() as folder:
        return isolated.judge_command(host, make(folder), expecting(*expected))


def race_row(judge, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        return judge(*arguments, folder)


def rows(host):
    """Each row: its name, its outcome in-process, and the judges of the two modes."""
    for name, make, text in loading.ROWS + wild.ROWS:
        yield (
            name,
            "refused",
            lambda make=make, text=text: load_row(host, make, text),
            lambda make=make, text=text: isolated.judge_lines(host, make, text),
        )
    for name, make, *expected in attacks.ROWS:
        has_call = expected[0] == 0
        yield (
            name,
            "works" if has_call else "refused",
            lambda row=(make, *expected): call_row(host, *row),
            (lambda row=(make, *expected): isolated_command(host, *row))
            if has_call
            else lambda: attacks.judge_impostor(host),
        )
    for name, make, *expected in endings.ROWS:
        yield (
            name,
            "rejected" if name == "pthread_exit() in a call" else {0: "works", 2: "refused"}.get(expected[0], "ends, named"),
            lambda row=(make, *expected): call_row(host, *row),
            lambda name=name: endings.judge_isolated(host, name),
        )
    for name, judge in attacks.RACES:
        yield (
            name,
            "refused",
            lambda judge=judge: race_row(judge, host, "in-process"),
            lambda judge=judge: race_row(attacks.judge_isolated, judge, host),
        )


def main(host, part=""):
    os.environ["LC_ALL"] = "C.UTF-8"
    # A host that is built for debugging would take seconds to draw the stacks of a crash.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    print(f"{'':6}  {'fault':50}  {'in-process':12}  process: " + " ".join(f"{name:8}" for name in isolated.COLUMNS))
    count = failed = 0
    for name, outcome, judge, judge_isolated in rows(host):
        if part not in name:
            continue
        wrong, verdict = judge(), judge_isolated()
        is_wrong = bool(wrong) or verdict is not None and not verdict
        count, failed = count + 1, failed + is_wrong
        cells = "" if verdict is None else f"           {verdict}"
        print(f"{'FAILED' if is_wrong else 'ok':6}  {name:50}  {'FAILED' if wrong else outcome:12}  {cells}", flush=True)
        for reason in filter(None, [wrong, getattr(verdict, "reason", None)]):
            print(f"        {reason}", flush=True)
    print(f"{count} faults, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
