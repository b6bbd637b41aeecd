#!/usr/bin/env python3
"""Checks the tables of hand-made mutations (docs/mutation.md) without building anything.

    scripts/check-mutations.py [TABLE...]       default: Tests/Mutations/*.txt

Each row's code is in its file exactly once, or as often as its `place:` needs; it is statements, not the declaration of
a function, where no switch can stand; in C it is whole, and declares nothing that is used behind it; and the tests that
it names exist, all in one product. For each row of docs/features.txt that `rows:`
names there is a single test with that number in its name. Blanks do not count. Run it in the package's folder. The exit
status is 1 if there is a mistake.
"""
import functools
import pathlib
import re
import sys


# The folders of tests that are not named after their target.
FOLDERS = {"Orderings": "EngineInterleavings", "AdapterTests": "Adapters/Tests/AdapterTests"}

# The beginning of a declaration with a body, in Swift.
DECLARATION = r"(?:\bfunc |(?<![.\w])(?:deinit\b|init[?(])|\bvar \w+: [^=\n]*(?:\{|$))"

FIELDS = "file|breaks|rows|tests|equivalent|unseen|place|repeat"


@functools.cache
def text(path):
    return pathlib.Path(path).read_text(encoding="utf-8") if pathlib.Path(path).is_file() else None


@functools.cache
def declarations(folder):
    """Returns the names of types and functions in the Swift tests below a folder."""
    sources = [file.read_text(encoding="utf-8") for file in pathlib.Path(folder).rglob("*.swift")]
    return set(re.findall(r"\b(?:struct|class|enum|actor|extension|func) +`?(\w+)", "\n".join(sources)))


@functools.cache
def single_tests(folder):
    """Returns the display names of Swift tests below a folder, with those of their suites, by suite and function."""
    found = {}
    # Texts and comments are matched too, so that a word in them declares nothing.
    shape = re.compile(
        r'@(?P<kind>Test|Suite)\(\s*"(?P<shown>(?:[^"\\]|\\.)*)"|"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*'
        r"|\b(?P<what>struct|class|enum|actor|extension|func) +`?(?P<name>\w+)")
    for file in pathlib.Path(folder).rglob("*.swift"):
        shown, suites, source = {}, [], file.read_text(encoding="utf-8")
        for match in shape.finditer(source):
            if match["kind"]:
                shown[match["kind"]] = match["shown"]
            if not match["what"]:
                continue
            line = source[source.rfind("\n", 0, match.start()) + 1:]
            depth = len(line) - len(line.lstrip(" "))
            suites = [suite for suite in suites if suite[0] < depth]
            if match["what"] != "func":
                suites.append((depth, match["name"], shown.pop("Suite", "")))
            elif "Test" in shown:
                path = "/".join([suite[1] for suite in suites] + [match["name"]])
                found[path] = " ".join([suite[2] for suite in suites] + [shown.pop("Test")])
    return found


@functools.cache
def features():
    """Returns the numbers of the rows of docs/features.txt that are offered."""
    return set(re.findall(r"^([A-Z]+[0-9]+) +\S", text("docs/features.txt") or "", re.M))


def rows(table):
    """Yields the rows of a table: line, name, fields, code before, code after. A line outside of the rows, for
    which the tool refuses the table, has no fields."""
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
        elif row and (field := re.match(rf"({FIELDS}): *(.*)", line)):
            row[2][field[1]] = row[2].get(field[1], "") + field[2]
        elif line and not line.startswith("#"):
            yield number, line, None, [], []
    if row:
        yield row


def is_header(file):
    """Whether a file is an installed header, whose rows are judged without switches (scripts/mutate-headers.py)."""
    return file.startswith("include/")


def is_c_program(name):
    return text(f"Tests/ABI/{name}.c") is not None


def test_mistake(name):
    """Returns the reason why a test that a row names is not there, or None."""
    if name.startswith("Headers/"):
        program = name.removeprefix("Headers/")
        file = f"Tests/ABI/hpp/{program}.cpp"
        known = program == "check-headers" or is_c_program(program) or text(file) is not None
        return None if known else f"no program {program}.cpp in Tests/ABI/hpp, or {program}.c in Tests/ABI"
    if name.startswith(("ABI/", "Threads/")):
        program, _, test = name.split("/", 1)[1].partition(".")
        source = text(f"Tests/ABI/{program}.c") or text(f"Sources/promise-conformance/checks/{program}.c")
        if source is None:
            return f"no program {program}.c in Tests/ABI or Sources/promise-conformance/checks"
        return None if not test or re.search(rf"\b{test}\b", source) else f"{program}.c has no test {test}"
    target, _, path = name.partition(".")
    if not path:
        return f"{name} has no target of tests before it: PromisesTests.{name}"
    folder = f"Tests/{FOLDERS.get(target, target)}"
    if not pathlib.Path(folder).is_dir():
        return f"no folder {folder}"
    for part in path.split("/"):
        if part.split("(")[0] not in declarations(folder):
            return f"{folder} declares no {part}"
    return None


def feature_mistake(feature, tests):
    """Returns the reason why no test that a row names is one of a row of docs/features.txt, or None."""
    if feature not in features():
        return f"docs/features.txt offers no row {feature}"
    for name in tests:
        target, _, path = name.partition(".")
        shown = single_tests(f"Tests/{target}").get(path.split("(")[0], "") if "(" in path else ""
        if re.search(rf"\b{re.sub('([0-9])', '-?' + chr(92) + '1', feature, count=1)}\b", shown):
            return None
    return f"names no single test with {feature} in its name: PromisesTests.Suite/test()"


def unpaired(code):
    """Returns code without comments, texts and the pairs of its braces."""
    code = re.sub(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*", "", code)
    while (rest := re.sub(r"\{[^{}]*\}", "", code)) != code:
        code = rest
    return code


def places(source, before):
    """Returns the spans of the code in a source. Blanks do not count."""
    shape = r"\s*".join(map(re.escape, re.sub(r"\s+", "", "".join(before))))
    return [match.span(1) for match in re.finditer(f"(?=({shape}))", source)]


def ends_declaration(file, before, place):
    """Whether a brace in Swift code begins or ends the body of a declaration that begins before the code."""
    ends = unpaired("\n".join(before)).count("}")
    is_body = "".join(before).lstrip().startswith("{")
    found = places(text(file), before) if ends or is_body else []
    if len(found) < max(place, 1):
        return False
    heads = unpaired(text(file)[:found[max(place, 1) - 1][0]]).split("{")
    heads = heads[:-1][-ends:] * (ends > 0) + heads[-1:] * is_body
    return any(re.search(DECLARATION + r"(?:(?!\b(?:if|guard|while|switch|do|else|defer|let)\b)[^}])*$", head)
               for head in heads)


def switch_mistake(file, before, after):
    """Returns the reason why no switch can stand around the code, or why it cannot compile, or None."""
    code, new = (re.sub(r"\"(?:[^\"\\]|\\.)*\"|'.'", "", "\n".join(lines)) for lines in (before, after))
    if any(code.count(one) - code.count(other) != new.count(one) - new.count(other) for one, other in ("()", "{}", "[]")):
        return "the code after opens another number of brackets than the code before"
    if not file.endswith((".c", ".cpp", ".h")):
        return None
    if any(code.count(one) != code.count(other) for one, other in ("()", "{}", "[]")):
        return "a bracket has no counterpart: replace whole statements, or one expression"
    if re.match(r"\s*(?:if|while|for|switch)\b", code) and not re.search(r"[;}]\s*$", code):
        return "it is half a statement: add what the condition controls, or replace the condition alone"
    if code.rstrip().endswith(","):
        return "it is an element of a list: replace an expression within it"
    depth = 0
    for line in before:
        declared = re.match(r"\s*(?!return\b|goto\b|else\b|case\b)(?:\w+ )*\w+[ *]+(\w+)(?:\[.*\])? *(?:=[^=]|;)", line)
        if depth == 0 and declared and len(re.findall(rf"\b{declared[1]}\b", text(file))) > len(
                re.findall(rf"\b{declared[1]}\b", code)):
            return f"it declares {declared[1]}, which would end with the switch: leave the declaration out"
        depth += line.count("{") - line.count("}")
    return None


def product(test):
    """Returns the product whose tests a name stands for (docs/mutation.md)."""
    kinds = {"ABI/": "library", "Engine": "interleavings", "AdapterTests.": "adapters", "Headers/": "headers"}
    return next((kind for prefix, kind in kinds.items() if test.startswith(prefix)), "bundle")


def mistakes(fields, before, after):
    if fields is None:
        yield "it is no line of a row, and no comment (#)"
        return
    code, file = re.sub(r"\s+", "", "".join(before)), fields.get("file", "")
    if not code or code == re.sub(r"\s+", "", "".join(after)):
        yield "it replaces nothing"
    elif text(file) is None:
        yield f"no file {file}: change the row, or remove it"
    else:
        count, place = len(places(text(file), before)), int(fields.get("place", 0))
        if count == 0:
            yield f"its code is not in {file}: change the row, or remove it"
        elif count < place or (place == 0 and count > 1):
            yield f"its code is in {file} {count} times: add context, or `place:`"
        if file.endswith(".swift") and re.match(r"\s*(?:[@\w()]+ +)*" + DECLARATION, "\n".join(before)):
            yield "it begins with the declaration of a function or a property: replace statements of its body"
        elif file.endswith(".swift") and ends_declaration(file, before, place):
            yield "it has the beginning or the end of a function, where no switch can stand: replace statements of its body"
        if not is_header(file) and (mistake := switch_mistake(file, before, after)):
            yield mistake
    if not fields.get("breaks"):
        yield "it has no `breaks:`"
    tests = re.split(r"[ ,]+", fields.get("tests", "").strip(" ,"))
    if tests == [""] and "equivalent" not in fields and "unseen" not in fields:
        yield "it names no test, and is not `equivalent:`"
    if len({product(test) for test in tests}) > 1:
        yield "it names tests of two products, of which one judges it: make it two rows"
    if any(is_header(file) != (product(test) == "headers") for test in tests if test):
        yield "a header is judged by tests named Headers/..., and they judge nothing else"
    yield from filter(None, (test_mistake(test) for test in tests if test))
    for feature in re.split(r"[ ,]+", fields.get("rows", "").strip(" ,")):
        if feature and (mistake := feature_mistake(feature, tests)):
            yield mistake


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
