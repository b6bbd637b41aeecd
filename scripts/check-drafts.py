#!/usr/bin/env python3
"""Judges the drafts of plugin-host adopt from the headers of real libraries.

usage: scripts/check-drafts.py PLUGIN_HOST [--table] [--check] [--caller-memory] [LIBRARY HEADER [OPTION]...]

Reads each header with clang once more, and compares every drafted parameter with its prototype by rules of its own. A
draft is unsafe if a call could write where the host has allocated no memory: one element for the address of bytes, of
letters or of an unknown number of elements; an address of an address that may be an array or be kept, unless the header
or, with --check, calls show that it is written; the value of a struct that is an object of the library's; a buffer for
a handle; an object that is destroyed without being known to be the caller's; an object that is allocated with another
size than its type has. Each row of the built-in type map for the function has to fit the header. With --check each
draft is also called with random arguments, by plugin-host adopt --check: a wrong write is unsafe. The last lines are
then the sums of the tables, the functions that read elsewhere, and the reasons for which functions were not called.
Ends with 1 if there is an unsafe draft, if a table does not add up, or if a header that is there cannot be adopted.
Libraries whose headers are not installed are skipped.
"""

import itertools
import json
import os
import re
import subprocess
import sys

from drafted_libraries import LIBRARIES, MAKERS  # noqa: F401, which scripts/draw-functions.py reads
from drafted_parameters import Draft, parts, split
from drafted_prototypes import Prototypes, offset

FOLDERS = ["/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include"]


def identity(types, written):
    """Returns the object that a type points to; for a typedef of void, the typedef's name."""
    core = types.core(written)
    return core if core != "void" else types.plain(written).rstrip("* ")


def owned(types, signature):
    """Returns why a call may destroy an object that does not belong to the caller."""
    name = signature.split("(", 1)[0]
    for destructor, object in re.findall(r"own\((\w+)\) ptr<(\w+)>", signature):
        if destructor == "g_object_unref":
            # A function that keeps such an object takes a reference to it.
            kin = {function for function in types.functions if function.replace("_", "").startswith(object.lower())}
            ends = {function.replace("_", "")[len(object):] for function in kin}
            if "gettype" not in ends or ends & {"unref", "free", "destroy"}:
                return f"nothing says that a {object} is a GObject"
            continue
        if destructor not in types.functions:
            return f"{destructor} is not in the header"
        parameters = types.parameters(types.functions[destructor][-1][0])
        if len(parameters) != 1 or not types.resolved(parameters[0]["type"]["qualType"]).endswith("*"):
            return f"{destructor} does not destroy one object"
        core = identity(types, parameters[0]["type"]["qualType"])
        if re.search(rf"out\(\d+\) own\({destructor}\)", signature):
            # The object is in the host's memory: only the destructor ends it, and the host frees the memory.
            continue
        for other, declarations in types.functions.items():
            for index, parameter in enumerate(types.parameters(declarations[-1][0])):
                written = parameter["type"]["qualType"]
                same = identity(types, written) == core and "const" not in written
                if same and other == name and types.resolved(written).count("*") == 1:
                    return f"{other} is given a {object} and may give the same one"
                if same and index and re.search(r"(?i)(^|_)(add|append|insert|push|attach|adopt|steal|set0)", other):
                    return f"{other} may take a {object} over"
    return None


def sizes(types, signatures, path, flags):
    """Returns the objects for which a draft allocates another size than C has for them, as clang says."""
    claims = {}
    for signature in signatures:
        function, (body, _) = signature.split("(", 1)[0], parts(signature)
        # The struct that memcpy makes or reads is named by a typedef, a tag, or a typedef of its address.
        if function not in types.functions and (size := re.search(r"size: const usize = (\d+)", body)):
            made = re.search(r"(?:made: out\(\d+\) (?:own )?|struct: )ptr<(\w+)>", body)
            if not made:
                # Of caller-allocated memory.
                continue
            name = made.group(1)
            if name not in types.typedefs:
                name = f"union {name}" if name in types.unions else f"struct {name}"
            name = f"*({name})0" if types.resolved(name).endswith("*") else name
            claims[f"sizeof({name}) == {size.group(1)}"] = signature
        parameters = types.parameters(types.functions[function][-1][0]) if function in types.functions else []
        for part, parameter in zip(split(body), parameters):
            file = types.functions[function][-1][1]
            declared = types.text(file, offset(parameter["loc"]), offset(parameter["range"]["end"]) + 1)
            bound = re.search(r"\[\w+; (\d+)\]$", part)
            if bound and (constant := re.search(r"\[\s*([A-Za-z_]\w*)\s*\]", declared)):
                claims[f"{constant.group(1)} == {bound.group(1)}"] = signature
            if size := re.search(r": out\((\d+)\)", part):
                claims[f"sizeof({types.pointee(parameter['type']['qualType'])}) == {size.group(1)}"] = signature
    lines = [f'#include "{path}"'] + [f'_Static_assert({claim}, "");' for claim in claims]
    clang = ["clang", "-x", "c", "-fsyntax-only", "-w", "-ferror-limit=0"] + flags + ["-"]
    errors = subprocess.run(clang, input="\n".join(lines), capture_output=True, text=True).stderr
    wrong = {int(line) for line in re.findall(r"<stdin>:(\d+):\d+: error", errors)}
    return [f"{signature}\n      {claim} does not hold"
            for number, (claim, signature) in enumerate(claims.items(), 2) if number in wrong]


class Calls:
    """The results of plugin-host adopt --check."""

    TITLES = ["drafted", "safe", "wrong reads", "wrong writes", "not called"]
    REASONS = [
        (r"no call has shown that it is written|used it after", "no call shows that a T ** is written"),
        (r"which is called first", "the function that makes its object is wrong, or crashes"),
        (r"it needs", "it needs an object that no function here makes from random arguments"),
        (r"it crashes", "it crashes with random arguments"),
        (r"it aborts", "it aborts with random arguments"),
        (r"it did not return", "it did not return"),
        (r"its process ended", "it ended its process"),
    ]

    def __init__(self):
        self.numbers, self.reasons, self.partly, self.reads = [0] * len(self.TITLES), {}, 0, []

    def add(self, run):
        """Adds the table and the draft of a run. Returns the faults in them."""
        table = list(itertools.takewhile(lambda line: not line.startswith("  "), run.stderr.split("\n")[1:]))
        rows = [[int(number) for number in line.split()[-5:]] for line in table if re.match(r"\S+( +\d+){6}$", line)]
        # Several headers have a sum behind them.
        numbers, writes = rows[-1], [line[4:] for line in run.stdout.split("\n") if re.match(r"#   \w+: it writes", line)]
        self.reads += [line[4:] for line in run.stdout.split("\n") if re.match(r"#   \w+: it reads", line)]
        notes = re.findall(r"^  (\w+): not checked: (.*)$", run.stderr, re.MULTILINE)
        self.partly += len(re.findall(r"^  \w+: checked by \d+ calls only: ", run.stderr, re.MULTILINE))
        for _, text in notes:
            reason = next((label for pattern, label in self.REASONS if re.search(pattern, text)), text)
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self.numbers = [sum(pair) for pair in zip(self.numbers, numbers)]
        faults = ["a wrong write that is not listed"] * max(numbers[3] - len(writes), 0)
        if numbers[0] != sum(numbers[1:]) or numbers[4] != len(notes) or len(rows) > 1 and any(
                sum(column) != total for column, total in zip(zip(*rows[:-1]), numbers)):
            faults.append(f"the table does not add up: {rows}, {len(notes)} functions not called")
        return writes + faults

    def lines(self):
        """Returns the sums, for people."""
        sums = ", ".join(f"{number} {title}" for number, title in zip(self.numbers, self.TITLES))
        yield f"check-drafts: by calls: {sums}; of the safe ones {self.partly} by some of the calls"
        for read in self.reads:
            yield f"check-drafts: left out: {read}"
        for reason, number in sorted(self.reasons.items(), key=lambda pair: -pair[1]):
            yield f"check-drafts: not called: {number:5} {reason}"


def written(lines, start):
    """Returns the parameters that calls have written, by the drafts' signatures."""
    found, names = {}, []
    for line in lines:
        if mark := re.match(r"  # check: (\w+) was written by \d+ calls, and used by none later", line):
            names.append(mark.group(1))
        elif line.startswith(start):
            found[line[len(start) : -1].replace("''", "'")] = names
            names = []
    return found


def survey(host, library, header, options, more, calls=None):
    """Drafts one library. Returns the counts and the faults; None if the header or the library is missing."""
    command = [host, "adopt", header, "--library", library] + options + more
    minutes = 60 if calls else 5
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=minutes * 60)
    except subprocess.TimeoutExpired:
        return 0, 0, [f"{header}: adopt did not end within {minutes} minutes"], [], {}
    if run.returncode in (2, 64):
        return None
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or [""])[-1]
        return 0, 0, [f"{header}: adopt ended with {run.returncode}: {reason}"], [], {}
    flags = [option.removeprefix("--flag=") for option in options]
    folders = [flag[2:] for flag in flags if flag.startswith("-I")] + FOLDERS
    path = next(path for folder in folders if os.path.exists(path := os.path.join(folder, header)))
    clang = ["clang", "-x", "c", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"] + flags + ["--", path]
    types = Prototypes(json.loads(subprocess.run(clang, capture_output=True).stdout))
    lines = run.stdout.split("\n")
    start = "  - signature: '"
    signatures = [line[len(start) : -1].replace("''", "'") for line in lines if line.startswith(start)]
    own = [signature for signature in signatures if signature.split("(")[0] in types.functions]
    left = [line for line in lines if re.match("#   (?!.*(does not export|inline))", line)]
    faults, found = sizes(types, signatures, path, flags) + (calls.add(run) if calls else []), []
    rests = {"name": 0, "map": 0}
    # A parameter that a type map names, and the header does not.
    faults += [line[4:] for line in left if re.search(r": found .*, expected the name of ", line)]
    called = written(lines, start) if calls else {}
    for signature in signatures:
        if signature.split("(")[0] in types.functions:
            wrong, kinds, bases = Draft(types, signature, called.get(signature, ())).judge()
            wrong += [fault for fault in [owned(types, signature)] if fault]
            faults += [f"{signature}\n      {fault}" for fault in wrong[:1]]
            found += kinds
            for base in bases:
                rests[base] += 1
    return len(own), len(left), faults, found, rests


def main():
    host, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    table, more = "--table" in arguments, [word for word in ("--check", "--caller-memory") if word in arguments]
    chosen = [argument for argument in arguments if argument not in ["--table"] + more]
    calls = Calls() if "--check" in more else None
    rows = [chosen] if chosen else [line.split() for line in LIBRARIES.split("\n") if line]
    total, evident, resting, skipped = [0, 0, 0], {}, {"name": 0, "map": 0}, []
    for library, header, *options in rows:
        result = survey(host, library, header, options, more, calls)
        if result is None:
            skipped.append(header)
            continue
        drafted, left, faults, found, rests = result
        total = [total[0] + drafted + left, total[1] + drafted, total[2] + len(faults)]
        for kind in found:
            evident[kind] = evident.get(kind, 0) + 1
        for base, number in rests.items():
            resting[base] += number
        if table:
            print(f"{library:24} {header:24} {drafted + left:5} functions {drafted:5} drafted {len(faults):4} unsafe",
                  flush=True)
        for fault in faults if not table or chosen or calls else []:
            print(f"{header}: {fault}", flush=True)
    print(
        f"check-drafts: {len(rows) - len(skipped)} headers, {total[0]} functions, {total[1]} drafted "
        f"({100 * total[1] // max(total[0], 1)} %), {total[2]} unsafe; not judged: {resting['name']} by a name alone, "
        f"{resting['map']} by the type map; addresses written, by evidence: {evident}"
    )
    for line in calls.lines() if calls else []:
        print(line)
    if skipped:
        print(f"check-drafts: skipped, not installed: {' '.join(skipped)}")
    sys.exit(1 if total[2] or len(skipped) == len(rows) else 0)


if __name__ == "__main__":
    main()
