"""Calls functions of damaged plugins.

usage: mutants.py PLUGIN_HOST in-process|process [COUNT [SEED]]

in-process: loads each damaged file without a check, and measures the verifier: the share that it refuses of the files
that kill or hang their process. process: calls each damaged plugin in a worker process, where it must give a number, or
be refused or rejected with a reason; the host must neither die nor hang.

A mutant is a good plugin of which one to three bytes were changed, mostly in its headers and tables.
"""

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import elf
from building import HERE, INCLUDE, build


def places(library):
    """Returns the offsets of the bytes that describe the file, and of all bytes."""
    tables = list(range(0, 64 + 56 * library.u16(56)))
    for tag, size in [(elf.STRTAB, library.value(elf.STRSZ)), (elf.RELA, library.value(elf.RELASZ)), (elf.SYMTAB, 240)]:
        tables += range(library.table(tag), library.table(tag) + size)
    entries = list(library.entries())
    tables += range(entries[0], entries[-1] + 16)
    return tables, range(len(library.bytes))


def mutate(source, generator, path):
    library = elf.Library(source)
    tables, all_bytes = places(library)
    for _ in range(generator.randint(1, 3)):
        at = generator.choice(tables if generator.random() < 0.9 else all_bytes)
        library.bytes[at] = generator.choice([0, 1, 0x7F, 0x80, 0xFF, library.bytes[at] ^ 1 << generator.randrange(8)])
    library.save(path)


def ended(command, patience=20):
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return "hangs", b"", b""
    return run.returncode, run.stdout, run.stderr


def judge(host, loader, path):
    status, output, _ = ended([loader, path])
    accepted = ended([host, "inspect", "--elf", path])[0]
    os.remove(path)
    # 127: an assertion in the system's loader.
    kills = status == "hangs" or status < 0 or status == 127
    kind = "kills" if kills else "works" if output == b"42\n" else "other"
    return kind, {0: "accepted", 2: "refused"}.get(accepted, f"verifier: {accepted}")


# Reasons that the host finds itself, by a part of their texts.
REASONS = {
    b"worker process": "its worker ended",
    b"did not end within": "it did not return",
    b"was refused": "it asked for a right",
}


def judge_isolated(host, path):
    """Returns how a call in a worker ended, and whether that is permitted."""
    # A damaged plugin may not return.
    command = [host, "call", "--isolation", "process", "--plugin-timeout", "3", "--timeout", "3", path, "add", "41"]
    status, output, errors = ended(command, 60)
    os.remove(path)
    is_fulfilled = re.fullmatch(rb"[0-9]+\n", output)
    if status == 0 and is_fulfilled:
        return ("works" if output == b"42\n" else "gives another number"), True
    if status in (1, 3) and is_fulfilled and b": its worker process (version " in errors:
        # The call is fulfilled; a destructor, or unload(), ends the process.
        return "gives a number, and its worker does not unload", True
    is_right = status in (1, 2, 3) and output == b"" and b"plugin-host: " in errors
    how = {1: "rejected", 2: "refused", 3: "rejected", 64: "refused"}.get(status, f"status {status}")
    if status == 64 and b"has no function" in errors:
        # The description is damaged: the function has another name or other parameters.
        return "refused: another description", output == b""
    found = next((text for part, text in REASONS.items() if part in errors), "with a reason")
    return (f"{how}: {found}" if is_right else f"{how}: {output!r} {errors[-400:]!r}"), is_right


def print_counts(verdicts):
    for text, number in sorted(verdicts.items()):
        print(f"{number:6}  {text}")


def measure_isolated(host, paths):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = collections.Counter(pool.map(lambda path: judge_isolated(host, path), paths))
    print_counts(collections.Counter({text: number for (text, _), number in verdicts.items()}))
    wrong = sum(number for (_, is_right), number in verdicts.items() if not is_right)
    print(f"{len(paths)} damaged plugins in worker processes; the host failed {wrong} times")
    return 0 if wrong == 0 and len(paths) > 0 else 1


def measure(host, folder, paths):
    loader = os.path.join(folder, "load")
    subprocess.run(["cc", "-I", INCLUDE, os.path.join(HERE, "load.c"), "-o", loader, "-ldl"], check=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = collections.Counter(pool.map(lambda path: judge(host, loader, path), paths))
    print_counts(collections.Counter({f"{kind}, {verdict}": n for (kind, verdict), n in verdicts.items()}))
    killing = {verdict: number for (kind, verdict), number in verdicts.items() if kind == "kills"}
    share = killing.get("refused", 0) / max(1, sum(killing.values()))
    broken = sum(number for (_, verdict), number in verdicts.items() if verdict.startswith("verifier"))
    print(f"refused of those that kill: {share:.1%}; the verifier failed {broken} times")
    return 0 if share >= 0.8 and broken == 0 else 1


def main(host, isolation, count="1000", seed=None):
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    seed = int(seed or time.time())
    print(f"{isolation}, seed {seed}")
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        # The store in which ends of workers are counted.
        os.environ["XDG_STATE_HOME"] = folder
        sources = [
            build(folder, "sums", ("-Wl,--no-as-needed", "-lm")),
            build(folder, "sums", ("-Wl,--hash-style=sysv", "-DID=\"org.example.other\""), "other.so"),
        ]
        paths = [os.path.join(folder, f"{index}.so") for index in range(int(count))]
        for path in paths:
            mutate(generator.choice(sources), generator, path)
        return measure_isolated(host, paths) if isolation == "process" else measure(host, folder, paths)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
