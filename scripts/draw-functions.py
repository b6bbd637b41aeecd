#!/usr/bin/env python3
"""Draws functions at random from the headers of real libraries, and says how many of them can be called.

usage: scripts/draw-functions.py PLUGIN_HOST SEED... [--count NUMBER] [--list]

Drafts with plugin-host adopt each header that scripts/check-drafts.py reads, and draws 200 of the functions that the
libraries export, for each seed. A function is counted as run if all of these hold:

- it is drafted, and the host accepts the draft;
- its arguments can be written down: text, numbers, structs, callbacks, and handles that a callable function of the
  library, of the C library, or of a library whose objects it takes returns, or that a callback is given; memory, where
  the draft says so, is an object of memory_new;
- its result is of use: memory_read reads the data behind an address;
- a call with random arguments returns, and none has written elsewhere. The functions of the library's other headers
  make objects for the call, and of MAKERS; memory of memory_new has 64 KiB of zeros.

A function of which some call reads elsewhere, and another returns, is run, and shown apart. A function that needs a
handle, or memory, and that no call with random arguments has run is counted apart, as callable by its signature: in a
session, or in a callback. Any other function is counted by the reason. --list shows each function's class.
"""

import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent import futures

FOLDER = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("check_drafts", os.path.join(FOLDER, "check-drafts.py"))
drafts = importlib.util.module_from_spec(specification)
specification.loader.exec_module(drafts)

# Addresses of these types are data that no signature reads: a call returns such an address as a number, and takes none.
DATA = re.compile(r"void|any|char|bool|function|[iuf]\d+x?|[ui]size|u?int\d+_t|s?size_t")
# Parameters with such names, or none, are addresses of memory.
BUFFER = re.compile(r"(?i)\w*(buf|ptr|mem|argument\d)\w*$|p$")
# The parameters for which a draft asks for memory.
MEMORY = re.compile(r"  # check: (?:.*?'(\w+)'.*: give memory that suffices|(\w+) is a \w+, which no function here makes)")
# The number of single calls, with other arguments and objects, of a function that no call has run.
SEEDS = 24
REASONS = [
    ("variadic", "variadic"),
    ("takes a va_list", "variadic"),
    ("is a function pointer", "function pointer"),
    ("of a function pointer", "function pointer"),
    ("a variadic function", "function pointer"),
    ("returns", "function pointer"),
    ("has a function in it", "function pointer"),
    ("may be an array of addresses", "T **: an array, or kept"),
    ("nothing says how", "a count that is not found"),
    ("is written to", "a count that is not found"),
    ("may be written to", "a count that is not found"),
    ("may be kept", "an address that may be kept"),
    ("libffi cannot", "a type that libffi cannot pass"),
    ("does not return", "does not return"),
]


def handles(text):
    """Returns the names of the objects in a type, without those whose addresses may be NULL."""
    return [name for name, mark in re.findall(r"ptr<(\w+)>(\??)", text) if not mark]


class Function:
    """A function of a header: its draft, or why there is none."""

    def __init__(self, row, name, signature=None, reason=None, symbol=None, is_own=True, memory=()):
        self.row, self.name, self.signature, self.reason, self.is_own = row, name, signature, reason, is_own
        self.symbol = symbol or name
        self.memory = set(memory)
        if not signature:
            return
        body, result = drafts.parts(signature)
        named = [part.split(": ", 1) for part in drafts.split(body) if part != "..."]
        named = [part for part in named if not part[1].startswith("const ")]
        names, parameters = [part[0] for part in named], [part[1] for part in named]
        result = re.sub(r" !.*", "", result.removeprefix(" -> "))
        outputs = [part for part in parameters if re.match(r"(out|inout)( |\()", part)]
        inputs = [part for part in parameters if not re.match(r"out( |\()", part)]
        self.needs = {
            handle for name, part in zip(names, parameters) if part in inputs and not part.startswith("fn(")
            and name not in memory for handle in handles(part)}
        self.asks = bool(self.needs or memory)
        # Beside a callback it is data of the user's, which may be NULL. As in C, any object is one of void.
        has_callback = any(part.startswith("fn(") for part in inputs)
        untyped = [name for name, part in zip(names, parameters) if part.startswith("ptr<void>") and name not in memory]
        self.untyped = not has_callback and any(BUFFER.match(name) for name in untyped)
        self.takes = {name for part in inputs if not part.startswith("fn(") for name in re.findall(r"ptr<(\w+)", part)}
        # The addresses in an inout struct were passed to the function, not made by it.
        made = [part for part in outputs if part.startswith("out")]
        self.gives = set(re.findall(r"ptr<(\w+)", " ".join(made + [result])))
        addresses = re.match(r"(own(\(\w+\))? )?ptr<(\w+)>", result)
        # Addresses that a callback receives: a Swift closure can call functions with them.
        self.lends = {name for part in inputs if part.startswith("fn(") for name in re.findall(r"ptr<(\w+)", part)}
        self.result = addresses.group(3) if addresses else None
        self.has_output, self.reads = bool(outputs), False


def survey(host, row):
    """Returns the functions of a header that its library exports, and the draft; None if there is no draft."""
    library, header, *options = row.split()
    run = subprocess.run([host, "adopt", header, "--library", library, "--caller-memory"] + options, capture_output=True, text=True)
    if run.returncode:
        return None
    functions, start, memory = [], "  - signature: '", set()
    has_memory = f"{start}memory_new(" in run.stdout
    has_functions = f"{start}library_function(" in run.stdout
    lines = run.stdout.split("\n")
    for line, following in zip(lines, lines[1:] + [""]):
        if line.startswith(start):
            signature = line[len(start) : -1].replace("''", "'")
            # The C library's functions make and read structs and memory; the header does not declare them.
            is_own = not re.match(r"    symbol: '?(mem(cpy|set)|calloc|strdup|dlopen|dlsym)'?$", following)
            symbol = re.match(r"    symbol: '?(\w+)", following)
            function = Function(
                row, signature.split("(")[0], signature, symbol=symbol and symbol.group(1), is_own=is_own, memory=memory)
            if has_memory:
                # Any object is one of void, and memory_read reads the data behind an address.
                function.needs.discard("void")
                function.untyped, function.reads = False, True
            if has_functions:
                # library_function gives the address of each function.
                function.needs.discard("function")
            functions.append(function)
            memory = set()
        elif named := MEMORY.match(line):
            memory.add(named.group(1) or named.group(2))
        elif re.match("#   (?!.*(does not export|inline))", line):
            name, reason = line[4:].split(": ", 1)
            functions.append(Function(row, name, reason=reason))
    return functions, run.stdout


def makeable(functions, in_callbacks=False):
    """Returns the handles that callable functions return, and optionally those that callbacks receive."""
    made = set()
    while True:
        more = {
            name for function in functions if function.signature and function.needs <= made and not function.untyped
            for name in (function.gives | function.lends if in_callbacks else function.gives)
            if not DATA.fullmatch(name)
        }
        if more <= made:
            return made
        made |= more


def session(function, functions, text):
    """Returns a draft with the functions that make objects for a function, directly or indirectly, and the parameters
    that take memory of the caller."""
    own = [other for other in functions if other.row == function.row]
    added, names = [], {other.name for other in own}
    # The check itself makes a FILE.
    needs = set().union(*(other.needs for other in own if other.signature)) - {"FILE"}
    while more := [other for other in functions if other.signature and other.name not in names and other.gives & needs]:
        for other in more:
            if other.name not in names:
                names.add(other.name)
                needs |= other.needs - {"FILE"}
                added.append(other)
    entries = ""
    for other in added:
        written = other.signature.replace("'", "''")
        entries += f"  - signature: '{written}'\n    symbol: {other.symbol}\n"
    end = re.search(r"^(constants:|# Left out:)|\Z", text, re.MULTILINE).start()
    memory = [f"--memory={other.name}.{name}" for other in own + added if other.signature for name in other.memory]
    return text[:end] + entries + text[end:], memory


def run(host, file, name, *options, timeout=30):
    """Returns the fields of the line that calls of a function with random arguments report."""
    try:
        command = [host, "check-function", file, name, *options]
        ending = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        return (ending.stdout.split("\n")[0] or f"ended {ending.returncode}").split("\t")
    except subprocess.TimeoutExpired:
        return ["endless"]


def call(host, function, file, memory):
    """Calls a function with random arguments. Returns how it ran, or None and the last report."""
    reads = False
    # Random arguments may make the function wait or abort, or may be objects that it refuses.
    single = [["--calls", "1", "--seed", str(seed)] for seed in range(1, SEEDS + 1)]
    last, hung = [""], 0
    for number, options in enumerate([[]] + single):
        kind, *rest = run(host, file, function.name, *memory, *options, timeout=5 if number else 40)
        is_other = len(rest) > 2 and rest[2]
        if kind == "overwritten" or kind in ("fault writes", "fault accesses"):
            if not is_other:
                return None, [kind] + rest
        elif kind == "checked":
            return ("run, reads elsewhere with other arguments" if reads else
                    "run, with memory of the caller" if function.memory else "run"), []
        reads = reads or kind == "fault reads" and not is_other
        last = last if number and kind == "unmade" else [kind] + rest
        hung += kind == "endless"
        if hung == 3:
            break
    return None, last


def judge(host, function, functions, file, memory):
    """Returns "callable", or why a function is not. `functions` are those of its library and of the C library."""
    if not function.signature:
        return next((label for text, label in REASONS if text in function.reason), "left out for another reason")
    if function.untyped:
        return "an untyped address"
    if function.needs - makeable(functions):
        if function.needs <= makeable(functions, in_callbacks=True):
            return "callable in a callback, by its signature"
        return "a handle that nothing drafted makes"
    taken = {name for other in functions if other.signature for name in other.takes}
    is_data = function.result and (DATA.fullmatch(function.result) or function.result not in taken)
    if is_data and not function.has_output and not function.reads:
        return "a result of data behind an address"
    ran, report = call(host, function, file, memory)
    if ran:
        return ran
    kind, *rest = report
    if kind == "overwritten" or kind.startswith("fault") and not (len(rest) > 2 and rest[2]):
        return "wrong: " + " ".join(rest[:1] + [kind])
    if function.asks:
        return "callable in a session, by its signature"
    return {"unmade": "not run: " + (rest or [""])[0]}.get(kind, "not run: it crashes, or does not return")


def draft(function, surveys, makers, file):
    """Writes a draft with a function and those that make objects for it. Returns these, and the options of a call."""
    library = function.row.split()[0]
    functions = [
        other for row, (others, _) in surveys.items() if row.split()[0] in (library, "libc.so.6") for other in others]
    functions += [other for found in makers.get(library, []) if found for other in found[0]]
    text, memory = session(function, functions, surveys[function.row][1])
    with open(file, "w", encoding="utf-8") as written:
        written.write(text)
    return functions, memory


def report(seed, count, drawn, labels, show, total):
    """Prints the classes of the functions that a seed draws."""
    classes = {}
    for function, label in zip(drawn, labels):
        classes.setdefault(label, []).append(function)
    for label, members in sorted(classes.items(), key=lambda pair: (not pair[0].startswith(("run", "callable")), -len(pair[1]))):
        print(f"{len(members):5} {label}")
        for function in members if show else []:
            print(f"        {function.row.split()[1]}: {function.signature or function.name}")
    ran, signed = (sum(len(members) for label, members in classes.items() if label.startswith(start))
                   for start in ("run", "callable"))
    print(f"draw-functions: of {count} functions {ran} ran, and {signed} more are callable by their signatures; drawn from "
          f"{total}, seed {seed}", flush=True)


def main():
    arguments = sys.argv[1:]
    show = "--list" in arguments
    count = int(arguments.pop(arguments.index("--count") + 1)) if "--count" in arguments else 200
    words = [argument for argument in arguments if not argument.startswith("--")]
    host, seeds = os.path.abspath(words[0]), [int(word) for word in words[1:]]
    with tempfile.TemporaryDirectory() as folder, futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [row for row in drafts.LIBRARIES.split("\n") if row]
        surveys = {row: found for row, found in zip(rows, pool.map(lambda row: survey(host, row), rows)) if found}
        makers = {
            library: list(pool.map(lambda row: survey(host, row), rows)) for library, rows in drafts.MAKERS.items()}
        everything = sorted(
            (function for functions, _ in surveys.values() for function in functions if function.is_own),
            key=lambda one: (one.row, one.name))

        def judged(numbered):
            number, function = numbered
            file = os.path.join(folder, f"draft{number}.adopt.yaml")
            functions, memory = draft(function, surveys, makers, file)
            return judge(host, function, functions, file, memory)

        for seed in seeds:
            drawn = random.Random(seed).sample(everything, count)
            report(seed, count, drawn, list(pool.map(judged, enumerate(drawn))), show, len(everything))


if __name__ == "__main__":
    main()
