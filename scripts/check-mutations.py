#!/usr/bin/env python3
"""Checks the tables of hand-made mutations (docs/mutation.md) without building anything.

    scripts/check-mutations.py [TABLE...]       default: Tests/Mutations/*.txt

Each row's code is in its file exactly once, or as often as its `place:` needs, and the tests that it names exist.
Blanks do not count. Run it in the package's folder. The exit status is 1 if there is a mistake.
"""
import functools
import pathlib
import re
import sys


@functools.cache
def text(path):
    return pathlib.Path(path).read_text(encoding="utf-8") if pathlib.Path(path).is_file() else None


@functools.cache
def packed(path):
    return re.sub(r"\s+", "", text(path) or "")


@functools.cache
def declarations(folder):
    """Returns the names of types and functions in the Swift tests below a folder."""
    sources = [file.read_text(encoding="utf-8") for file in pathlib.Path(folder).rglob("*.swift")]
    return set(re.findall(r"\b(?:struct|class|enum|actor|extension|func) +`?(\w+)", "\n".join(sources)))


def rows(table):
    """Yields the rows of a table: line, name, fields, code before, code after."""
    row = None
    for number, line in enumerate(pathlib.Path(table).read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("== "):
            if row:
                yield row
            row = (number, line[3:], {}, [], [])
        elif row and line[:1] in ("-", "+", " "):
            if line[0] != "+":
                row[3].append(line.removeprefix("-"))
            if line[0] != "-":
                row[4].append(line.removeprefix("+"))
        elif row and (field := re.match(r"(\w+): *(.*)", line)):
            row[2][field[1]] = row[2].get(field[1], "") + field[2]
    if row:
        yield row


def test_mistake(name):
    """Returns the reason why a test that a row names is not there, or None."""
    if name.startswith("ABI/"):
        program, _, test = name[4:].partition(".")
        source = text(f"Tests/ABI/{program}.c")
        if source is None:
            return f"no program Tests/ABI/{program}.c"
        return None if not test or re.search(rf"\b{test}\b", source) else f"{program}.c has no test {test}"
    first, _, rest = name.partition(".")
    folder, path = (f"Tests/{first}", rest) if rest else ("Tests", first)
    if not pathlib.Path(folder).is_dir():
        return f"no folder {folder}"
    for part in path.split("/"):
        if part.split("(")[0] not in declarations(folder):
            return f"{folder} declares no {part}"
    return None


def mistakes(fields, before, after):
    code, file = re.sub(r"\s+", "", "".join(before)), fields.get("file", "")
    if not code or code == re.sub(r"\s+", "", "".join(after)):
        yield "it replaces nothing"
    elif text(file) is None:
        yield f"no file {file}: change the row, or remove it"
    else:
        count, place = len(re.findall(f"(?={re.escape(code)})", packed(file))), int(fields.get("place", 0))
        if count == 0:
            yield f"its code is not in {file}: change the row, or remove it"
        elif count < place or (place == 0 and count > 1):
            yield f"its code is in {file} {count} times: add context, or `place:`"
    tests = re.split(r"[ ,]+", fields.get("tests", "").strip(" ,"))
    if tests == [""] and "equivalent" not in fields:
        yield "it names no test, and is not `equivalent:`"
    yield from filter(None, (test_mistake(test) for test in tests if test))


def main(tables):
    names, failed = set(), 0
    for table in tables or sorted(map(str, pathlib.Path("Tests/Mutations").glob("*.txt"))):
        for line, name, fields, before, after in rows(table):
            found = list(mistakes(fields, before, after)) + (["a second row of this name"] if name in names else [])
            names.add(name)
            failed += len(found)
            for mistake in found:
                print(f"{table}:{line}: {name}: {mistake}", file=sys.stderr)
    if not names:
        print("check-mutations.py: no row found", file=sys.stderr)
    return 1 if failed or not names else 0


sys.exit(main(sys.argv[1:]))
