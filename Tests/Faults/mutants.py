"""Measures which share of the damaged files that kill or hang a process, when they are loaded as they are, the verifier
refuses before they are.

usage: mutants.py PLUGIN_HOST [COUNT [SEED]]

A mutant is a good plugin in which one to three bytes of its headers and tables, or of anything, are another number.
"""

import collections
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile
import time

import elf
from building import HERE, INCLUDE, build


def places(library):
    """The bytes that describe the file, and all of it."""
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


def ended(command):
    try:
        run = subprocess.run(command, capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "hangs", b""
    return run.returncode, run.stdout


def judge(host, loader, path):
    status, output = ended([loader, path])
    accepted = ended([host, "inspect", "--elf", path])[0]
    os.remove(path)
    # 127: an assertion in the system's loader.
    kills = status == "hangs" or status < 0 or status == 127
    kind = "kills" if kills else "works" if output == b"42\n" else "other"
    return kind, {0: "accepted", 2: "refused"}.get(accepted, f"verifier: {accepted}")


def main(host, count="1000", seed=None):
    seed = int(seed or time.time())
    print(f"seed {seed}")
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        loader = os.path.join(folder, "load")
        subprocess.run(["cc", "-I", INCLUDE, os.path.join(HERE, "load.c"), "-o", loader, "-ldl"], check=True)
        sources = [
            build(folder, "sums", ("-Wl,--no-as-needed", "-lm")),
            build(folder, "sums", ("-Wl,--hash-style=sysv", "-DID=\"org.example.other\""), "other.so"),
        ]
        paths = [os.path.join(folder, f"{index}.so") for index in range(int(count))]
        for path in paths:
            mutate(generator.choice(sources), generator, path)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            verdicts = collections.Counter(pool.map(lambda path: judge(host, loader, path), paths))
    for (kind, verdict), number in sorted(verdicts.items()):
        print(f"{number:6}  {kind}, {verdict}")
    killing = {verdict: number for (kind, verdict), number in verdicts.items() if kind == "kills"}
    share = killing.get("refused", 0) / max(1, sum(killing.values()))
    broken = sum(number for (_, verdict), number in verdicts.items() if verdict.startswith("verifier"))
    print(f"refused of those that kill: {share:.1%}; the verifier failed {broken} times")
    return 0 if share >= 0.8 and broken == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
