"""Runs the fault matrix against a plugin-host: each row is a plugin that is broken or hostile, run by the real command.

usage: run.py PLUGIN_HOST [PART-OF-A-NAME]

A row passes if the host ends by itself, with the status that is documented, says what the row expects on standard
error, and writes nothing to standard output but the row's result.
"""

import os
import subprocess
import sys
import tempfile

import attacks
import endings
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


def call_row(host, make, status, output, text):
    with tempfile.TemporaryDirectory() as folder:
        ended, written, errors = run([host, *make(folder)])
        if ended != status or written != output or not all(part in errors for part in text):
            return f"status {ended}, output {written!r}, errors {errors.strip()!r}"
    return None


def race_row(host, judge):
    with tempfile.TemporaryDirectory() as folder:
        return judge(host, folder)


def main(host, part=""):
    rows = [(name, lambda row=row: load_row(host, *row)) for name, *row in loading.ROWS + wild.ROWS]
    rows += [(name, lambda row=row: call_row(host, *row)) for name, *row in attacks.ROWS + endings.ROWS]
    rows += [(name, lambda row=row: race_row(host, row)) for name, row in attacks.RACES]
    rows = [row for row in rows if part in row[0]]
    failed = 0
    for name, judge in rows:
        wrong = judge()
        failed += wrong is not None
        print(f"{'FAILED' if wrong else 'ok':6}  {name}" + (f": {wrong}" if wrong else ""), flush=True)
    print(f"{len(rows)} faults, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    sys.exit(main(*sys.argv[1:]))
