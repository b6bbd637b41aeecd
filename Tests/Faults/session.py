"""Drives a `plugin-host shell` at a terminal, where a mistake leaves the session open. Counts resources."""

import os
import pty
import queue
import subprocess
import tempfile
import threading
import time

from building import build

# Seconds: longer than any answer takes, so that a host which hangs fails its row.
PATIENCE = 60


def wait_for(condition, patience=PATIENCE):
    """Waits until a condition holds. Returns whether it did."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def fields_of(process):
    """Returns the fields of /proc/PID/stat after the name; an empty list if the process has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def processes_of_session(leader):
    """Returns the running processes of a session."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        fields = fields_of(name)
        if fields and fields[0] != "Z" and int(fields[3]) == leader:
            found.add(int(name))
    return found


def run(arguments, environment=None, patience=10):
    """Runs a command in a session of its own. Returns its status, negative for a signal, or "hangs"; its output and its
    errors; and whether the session has no process left, after `patience` seconds at most."""
    with tempfile.TemporaryDirectory() as state:
        # A quarantine of its own: the same plugin fails in many rows.
        environment = environment or dict(os.environ, XDG_STATE_HOME=state)
        return run_there(arguments, environment, patience)


def run_there(arguments, environment, patience):
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=environment,
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        status = "hangs"
    return status, output, errors, wait_for(lambda: not processes_of_session(process.pid), patience)


class Session:
    """A host with a bystander: a good plugin in a worker of its own, which must work to the end."""

    def __init__(self, host, folder, *options):
        beside = os.path.join(folder, "beside")
        os.mkdir(beside)
        bystander = build(beside, "sums", ('-DID="org.example.bystander"',), "bystander.so")
        terminal, end = pty.openpty()
        self.terminal = terminal
        self.screen = b""
        self.results = queue.Queue()
        environment = dict(os.environ, TERM="xterm", XDG_STATE_HOME=beside)
        self.process = subprocess.Popen(
            [host, "shell", *options],
            stdin=end,
            stdout=subprocess.PIPE,
            stderr=end,
            env=environment,
            start_new_session=True,
        )
        os.close(end)
        threading.Thread(target=self._read_terminal, daemon=True).start()
        threading.Thread(target=self._read_results, daemon=True).start()
        self.number = 0
        self.ask(f"use {bystander}")
        self.bystander = self.children()

    def _read_terminal(self):
        try:
            while text := os.read(self.terminal, 65536):
                self.screen += text
        except OSError:
            pass

    def _read_results(self):
        for line in self.process.stdout:
            self.results.put(line.decode(errors="replace").rstrip("\n"))
        self.results.put(None)

    def ask(self, line, text=""):
        """Enters a line, then a call of the bystander. Returns the results of the line; None if the session ended, the
        bystander gave a wrong result, or `text` did not appear on the terminal."""
        seen = len(self.screen)
        self.number += 1
        os.write(self.terminal, f"{line}\rbystander.add {self.number}\r".encode())
        lines = []
        while True:
            try:
                lines.append(self.results.get(timeout=PATIENCE))
            except queue.Empty:
                return None
            if lines[-1] is None:
                return None
            if lines[-1] == str(self.number + 1):
                break
        shown = wait_for(lambda: text.encode() in self.screen[seen:].replace(b"\r\n", b"\n"), 10)
        return lines[:-1] if shown else None

    def children(self):
        return {process for process in processes_of_session(self.process.pid) if process != self.process.pid}

    def counts(self):
        """Returns the number of descriptors, threads, processes and shared memories of the host."""
        proc = f"/proc/{self.process.pid}"
        with open(f"{proc}/maps", encoding="utf-8", errors="replace") as file:
            shared = sum("/memfd:" in line or "/dev/shm/" in line or "/SYSV" in line for line in file)
        return {
            "descriptors": len(os.listdir(f"{proc}/fd")),
            "threads": len(os.listdir(f"{proc}/task")),
            "processes": len(self.children()),
            "shared memories": shared + len(os.listdir("/dev/shm")),
        }

    def returns_to(self, before):
        """Waits until the host holds no more than before. Returns the excess."""
        excess = {}

        def has_settled():
            excess.clear()
            excess.update({name: n - before[name] for name, n in self.counts().items() if n > before[name]})
            return not excess

        wait_for(has_settled, 20)
        return excess

    def end(self):
        """Ends the session as its user would. Returns the status; None if it hangs or leaves a process."""
        try:
            os.write(self.terminal, b"\x04")
            status = self.process.wait(timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return status if wait_for(lambda: not processes_of_session(self.process.pid), 10) else None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)
