#!/usr/bin/env python3
"""Checks that the folders of a target use each other in one direction.

    scripts/check-layers.py DOCUMENT

The document has blocks of code with the language `layers`. A line names a folder and the order of its subfolders:

    Sources/plugin-host: Text < System < Plugins, YAML < .

A subfolder may use those before it, and those beside it after a comma; `.` is the folder's own files. A file uses a
subfolder if it names a type that is declared at the top level of a file there, or calls a function that only files
there declare. Only names of two words count for functions (`noteDrop`): shorter ones have namesakes in the standard
library. An indented line after it is an exception, a type or function that a subfolder may name although it comes
later: `Values: PluginObject`.

A block with the language `cells` names the files of a folder that may use `cell.pointee`: `Engine: Box, Job`.

Prints FILE: the name and the two folders, for each use in the wrong direction; each exception that no file needs;
FILE: `cell.pointee`, for a file that is not named; and each named file without it. Exits with 1 if there is any.
"""

import re
import subprocess
import sys

MODIFIERS = (
    r"^([ ]*)((?:@\w+(?:\([^)]*\))?[ ]+|(?:public|package|internal|private|fileprivate|final|indirect|nonisolated|unsafe|"
    r"open|static|class|override|mutating|consuming|borrowing)(?:\(\w+\))?[ ]+)*)")
TYPE = re.compile(MODIFIERS + r"(?:struct|enum|class|protocol|actor|typealias)[ ]+(\w+)", re.M)
FUNCTION = re.compile(MODIFIERS + r"func[ ]+(\w*[a-z][A-Z]\w*)", re.M)
# Functions of collections, which types of other folders may declare, too.
COMMON = {"popFirst", "popLast", "removeFirst", "removeLast", "removeValue"}


def orders(document):
    """Yields (folder, {subfolder: rank}, exceptions) for each line of a block `layers`."""
    found = []
    for block in re.findall(r"^```layers\n(.*?)^```", document, re.M | re.S):
        for line in block.splitlines():
            name, _, rest = line.partition(":")
            if line.startswith(" "):
                found[-1][2].update((name.strip(), word.strip()) for word in rest.split(","))
            else:
                ranks = {folder.strip(): rank for rank, layer in enumerate(rest.split("<")) for folder in layer.split(",")}
                found.append((name, ranks, set()))
    return found


def sources(folder):
    names = subprocess.run(["git", "ls-files", "-z", "--", folder], capture_output=True, text=True, check=True).stdout
    for name in names.split("\0"):
        if name.endswith(".swift"):
            parts = name[len(folder) + 1:].split("/")
            with open(name, encoding="utf-8") as file:
                code = re.sub(r'//.*|"(?:[^"\\\n]|\\.)*"', "", file.read())
            yield name, parts[0] if len(parts) > 1 else ".", code


def check(folder, ranks, exceptions, report):
    files = list(sources(folder))
    declared, local, needed = {}, set(), set()
    for name, place, code in files:
        if place not in ranks:
            report(f"{name}: the folder {place} is not in the order of {folder}")
        for pattern, outer in ((TYPE, ""), (FUNCTION, "  ")):
            for indent, modifiers, word in pattern.findall(code):
                if len(indent) > len(outer) or "private" in modifiers:
                    local.add((place, word))
                elif word not in COMMON:
                    declared.setdefault(word, set()).add(place)
    for name, place, code in files:
        # A name of a type after a dot is nested in another type.
        for word in sorted(set(re.findall(r"(?<![.\w])[A-Z]\w*|\b[a-z]\w*(?=\()", code))):
            places = declared.get(word, set())
            if len(places) != 1 or (place, word) in local or place not in ranks:
                continue
            used = next(iter(places))
            if ranks.get(used, -1) <= ranks[place]:
                continue
            if (place, word) in exceptions:
                needed.add((place, word))
            else:
                report(f"{name}: {word} is of {used}, which comes after {place} in the order of {folder}")
    for place, word in sorted(exceptions - needed):
        report(f"{folder}: no file needs the exception of {place} for {word}: remove it")


def check_cells(document, report):
    for folder, names in re.findall(r"^```cells\n([^:]*):(.*?)^```", document, re.M | re.S):
        named = {name.strip() for name in names.split(",")}
        users = {name for name, _, code in sources(folder) if re.search(r"\bcell\.pointee\b", code)}
        used = {name.rsplit("/", 1)[-1].removesuffix(".swift"): name for name in users}
        for name in sorted(used.keys() - named):
            report(f"{used[name]}: cell.pointee: use the fields that the kind's file names, or name the file as one")
        for name in sorted(named - used.keys()):
            report(f"{name} has no cell.pointee: remove it from the list of {folder}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-layers.py DOCUMENT")
    found = []
    with open(sys.argv[1], encoding="utf-8") as file:
        document = file.read()
    rules = orders(document)
    if not rules:
        sys.exit(f"check-layers.py: {sys.argv[1]} has no block of layers")
    for folder, ranks, exceptions in rules:
        check(folder, ranks, exceptions, found.append)
    check_cells(document, found.append)
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)


main()
