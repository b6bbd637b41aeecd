"""Faults that reach beyond the plugin: the state of its process, its streams, other plugins, processes that stay.

A row is its name, its judge, which takes the host and a mode and returns a verdict, and the modes to which it applies.
"""

import ctypes
import os
import signal
import struct
import subprocess
import tempfile
import time

import isolated
from building import build
from session import PATIENCE, Session, processes_of_session, wait_for


HERE = ("in-process", "thread")
IN_WORKERS = ("process",)


def verdict_of(isolation, wrong):
    verdict = isolated.Verdict()
    for column in ("alive", "settled"):
        verdict.set(column, wrong is None, f"{isolation}: {wrong}")
    return verdict


def output_of(host, isolation, plugin, function, stdin):
    """Calls a function. Returns its result, or the failure, as text."""
    command = [host, "call", *isolated.options(isolation, "all"), plugin, function]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "its output is still open"
    return done.stdout if done.returncode == 0 else f"status {done.returncode}, errors {done.stderr!r}"


def standard_input(host, isolation):
    """A worker's standard input is empty; in-process it is the host's."""
    with tempfile.TemporaryDirectory() as folder:
        output = output_of(host, isolation, build(folder, "ending", ()), "input", "five\n")
    expected = "5\n" if isolation in HERE else "0\n"
    return verdict_of(isolation, None if output == expected else output)


def grandchild(host, isolation):
    """A process that left its group keeps the worker's streams, and the host does not wait for their end."""
    with tempfile.TemporaryDirectory() as folder:
        output = output_of(host, isolation, build(folder, "ending", ("-DIN_CALL=leave_grandchild()",)), "call", "")
    return verdict_of(isolation, None if output == "42\n" else output)


def changed_process(host, isolation):
    """A plugin does not change the current folder, the mask of modes and the handling of signals of the host."""

    def state(process):
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            lines = [line for line in file if line.startswith(("Umask:", "SigIgn:", "SigCgt:"))]
        return os.readlink(f"/proc/{process}/cwd"), lines

    def settled_state(process):
        """Returns the state while the shell waits for a line: its signal handlers change after the prompt."""
        seen, unchanged = state(process), 0
        while unchanged < 20:
            time.sleep(0.02)
            now = state(process)
            unchanged = unchanged + 1 if now == seen else 0
            seen = now
        return seen

    verdict = isolated.Verdict()
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "ending", ("-DIN_CALL=change_process()",))
        session = Session(host, folder, "--isolation", isolation)
        try:
            session.ask(f"use {plugin}")
            before = settled_state(session.process.pid)
            answer = session.ask("ending.call")
            verdict.set("settled", answer == ["42"], f"the call gave {answer}")
            after = settled_state(session.process.pid)
            verdict.set("others", after == before, f"the host's state became {after}, from {before}")
            verdict.set("alive", session.end() == 0, "the session did not end with status 0")
        finally:
            session.close()
    return verdict


def ignored_children(host, isolation):
    """A plugin in-process ignores SIGCHLD, so the host gets no status of children, but reports a worker's end."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "ending", ("-DIN_CALL=change_process()",))
        crashing = build(folder, "ending", ("-DIN_CALL=crash()", '-DID="org.example.crashing"'), "crashing.so")
        pipeline = os.path.join(folder, "children.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            plugins = [isolated.plugin_of(plugin, isolation), isolated.plugin_of(crashing, "process")]
            file.write(f"plugins: [{', '.join(plugins)}]\n")
            file.write("steps:\n  first: {call: ending.call}\n")
            file.write("  second: {call: crashing.call, after: [first], rescue: {value: 5}}\nresult: second\n")
        done = subprocess.run([host, "run", pipeline], capture_output=True, text=True, timeout=PATIENCE)
    has_ended = done.returncode == 0 and done.stdout == "5\n" and "its worker process (version 1.0.0, generation 1)" in done.stderr
    is_known = "SIGCHLD is ignored" in done.stderr or "was killed by SIGSEGV" in done.stderr
    wrong = f"status {done.returncode}, output {done.stdout!r}, errors {done.stderr!r}"
    return verdict_of(isolation, None if has_ended and is_known else wrong)


def never_unmapped(host, isolation):
    """A library that asks the system's loader to stay mapped is an ordinary plugin, and `inspect --elf` says so."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "sums", ("-Wl,-z,nodelete",))
        command = [host, "call", "--isolation", isolation, plugin, "add", "41"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        facts = subprocess.run([host, "inspect", "--elf", plugin], capture_output=True, text=True, timeout=PATIENCE)
    verdict = verdict_of(isolation, None if done.stdout == "42\n" else f"{done.stdout!r} {done.stderr!r}")
    verdict.set("others", "DF_1_NODELETE" in facts.stdout, f"inspect --elf does not say so: {facts.stdout!r}")
    return verdict


def unique_symbols(host, isolation):
    """Two libraries with an STB_GNU_UNIQUE symbol of the same name share it in one process, and only there."""
    with tempfile.TemporaryDirectory() as folder:
        names = {"one": 1, "two": 100}
        paths = [
            build(folder, "sums", (f"-DUNIQUE={value}", f'-DID="org.example.{name}"'), f"{name}.so")
            for name, value in names.items()
        ]
        pipeline = os.path.join(folder, "unique.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            plugins = ", ".join(isolated.plugin_of(path, isolation) for path in paths)
            file.write(f"plugins: [{plugins}]\nsteps:\n  second: {{call: two.add, with: {{a: 41}}}}\nresult: second\n")
        done = subprocess.run([host, "run", pipeline], capture_output=True, text=True, timeout=PATIENCE)
        facts = subprocess.run([host, "inspect", "--elf", paths[0]], capture_output=True, text=True, timeout=PATIENCE)
    expected = "42\n" if isolation in HERE else "141\n"
    verdict = verdict_of(isolation, None if done.stdout == expected else f"{done.stdout!r} {done.stderr!r}")
    verdict.set("others", "STB_GNU_UNIQUE" in facts.stdout, f"inspect --elf does not say so: {facts.stdout!r}")
    return verdict


def one_name(host, isolation):
    """Plugins of one DT_SONAME that no library needs are two plugins."""
    with tempfile.TemporaryDirectory() as folder:
        plugins = []
        for name, offset in (("one", 1), ("two", 100)):
            flags = (f"-DOFFSET={offset}", f'-DID="org.example.{name}"', "-Wl,-soname,plugin.so.1")
            plugins.append(isolated.plugin_of(build(folder, "sums", flags, f"{name}.so"), isolation))
        pipeline = os.path.join(folder, "names.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f"plugins: [{', '.join(plugins)}]\nsteps:\n  first: {{call: one.add, with: {{a: 0}}}}\n")
            file.write("  second: {call: two.add, with: {a: {step: first}}}\nresult: second\n")
        done = subprocess.run([host, "run", pipeline], capture_output=True, text=True, timeout=PATIENCE)
    return verdict_of(isolation, None if done.stdout == "101\n" else f"{done.stdout!r} {done.stderr!r}")


def unreadable_memory(host, isolation):
    """Wild addresses are noticed although the kernel does not permit process_vm_readv, as in some containers."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "wild", ("-DID=((void *)0x123456789000)",))
        command = [host, "call", "--isolation", isolation, plugin, "add", "41"]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, preexec_fn=refuse_reading
        )
    is_refused = done.returncode == 2 and "has id at 0x123456789000" in done.stderr
    return verdict_of(isolation, None if is_refused else f"status {done.returncode}, errors {done.stderr!r}")


def refuse_reading():
    """Installs a filter by which process_vm_readv fails with EPERM, in this process and its children."""
    number = {"x86_64": 310, "aarch64": 270}[os.uname().machine]
    # Load the number of the call; unless it is this one, skip an instruction; fail with EPERM; allow.
    code = struct.pack("<HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0, 0x15, 0, 1, number, 6, 0, 0, 0x50001, 6, 0, 0, 0x7FFF0000)
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    # PR_SET_NO_NEW_PRIVS; PR_SET_SECCOMP, SECCOMP_MODE_FILTER.
    for arguments in ((38, 1, 0, 0, 0), (22, 2, ctypes.create_string_buffer(program, len(program)), 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def killed_host(host, isolation):
    """The worker of a host that was killed ends."""
    verdict = isolated.Verdict()
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "ending", ())
        command = [host, "call", "--isolation", isolation, plugin, "never"]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        has_worker = wait_for(lambda: len(processes_of_session(process.pid)) > 1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        verdict.set("alive", has_worker, "no worker was started")
        is_empty = wait_for(lambda: not processes_of_session(process.pid), 20)
        verdict.set("no leaks", is_empty, f"processes {processes_of_session(process.pid)}")
    return verdict


def adopting(host, header, *options, end=None):
    """Adopts a library by a header. Returns the status, and whether no process is left; `end` may end the command."""
    process = subprocess.Popen(
        [host, "adopt", header, "--library", "libm.so.6", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if end:
        end(process)
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return "hangs", False
    return process.returncode, wait_for(lambda: not processes_of_session(process.pid), 10)


def adoption(status, ended):
    """Returns the verdict of an adoption that must end with a status."""
    verdict = isolated.Verdict()
    verdict.set("alive", ended[0] == status, f"status {ended[0]}")
    verdict.set("no leaks", ended[1], "a process of clang is left")
    return verdict


def interrupted_adoption(host, _):
    """SIGTERM ends clang and its children as well."""
    with tempfile.TemporaryDirectory() as folder:
        clang = os.path.join(folder, "clang")
        with open(clang, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nsleep 90 &\nwait\n")
        os.chmod(clang, 0o700)

        def end(process):
            wait_for(lambda: len(processes_of_session(process.pid)) > 2)
            process.terminate()

        return adoption(-signal.SIGTERM, adopting(host, "math.h", "--clang", clang, end=end))


def macro_bomb(host, _):
    """The timeout ends the adoption of a header whose macros expand without end."""
    with tempfile.TemporaryDirectory() as folder:
        header = os.path.join(folder, "bomb.h")
        with open(header, "w", encoding="utf-8") as file:
            file.write("#define M0 int f(void);\n")
            for level in range(1, 30):
                file.write(f"#define M{level} M{level - 1} M{level - 1} M{level - 1}\n")
            file.write("M29\n")
        return adoption(3, adopting(host, header, "--timeout", "2"))


def hard_link(host, isolation):
    """A file is one plugin by whichever path it is loaded."""
    verdict = isolated.Verdict()
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, "sums", ())
        link = os.path.join(folder, "link.so")
        os.link(plugin, link)
        session = Session(host, folder, "--isolation", isolation)
        try:
            session.ask(f"use {plugin}")
            before = session.counts()
            text = "" if isolation in HERE else "org.example.sums"
            verdict.set("settled", session.ask(f"use {link}", text) == [], f"{session.screen[-600:]!r}")
            answer = session.ask("sums.add 41")
            verdict.set("others", answer == ["42"], f"the call gave {answer}")
            excess = session.returns_to(before)
            verdict.set("no leaks", not excess, f"{excess} more than before")
            verdict.set("alive", session.end() == 0, "the session did not end with status 0")
        finally:
            session.close()
    return verdict


ROWS = [
    ("good: reads standard input", standard_input, HERE + IN_WORKERS),
    ("a process that stays has its streams", grandchild, IN_WORKERS),
    ("changes folder, mask, signals and locale", changed_process, IN_WORKERS),
    ("good: shares a unique symbol", unique_symbols, (*HERE, *IN_WORKERS, "pool")),
    ("has the status of children forgotten", ignored_children, HERE),
    ("good: is never unmapped (NODELETE)", never_unmapped, HERE + IN_WORKERS),
    ("the host is killed", killed_host, IN_WORKERS),
    ("adopt: ended by SIGTERM", interrupted_adoption, ("in-process",)),
    ("adopt: a macro bomb", macro_bomb, ("in-process",)),
    ("good: the same file by a hard link", hard_link, HERE + IN_WORKERS),
    ("good: two plugins of one DT_SONAME", one_name, (*HERE, *IN_WORKERS, "pool")),
    ("a wild descriptor, without process_vm_readv", unreadable_memory, HERE + IN_WORKERS),
]
