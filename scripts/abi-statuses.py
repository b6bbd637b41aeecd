#!/usr/bin/env python3
"""Compares the statuses that the headers promise, of every function, with those that the programs of Tests/ABI see.

    scripts/abi-statuses.py wrap INCLUDE FOLDER     writes statuses.so, and statuses.seen, which is empty, to FOLDER
    scripts/abi-statuses.py check INCLUDE FOLDER    names each status that a header promises and no call returned, and
                                                    each that a call returned and its header does not promise

Run the programs between the two commands, with LD_PRELOAD=FOLDER/statuses.so and STATUSES_SEEN=FOLDER/statuses.seen:
statuses.so wraps the library's functions, and notes the result of each call, or promise_last_status() if the result is
NULL. CC is the compiler.

A function promises the statuses named by the comment above its declaration, from the first "Returns", "NULL:" or
"Errors:" at the beginning of a line on, and those of the functions to which it refers by "as promise_x()". A comment
above a section promises nothing, so that each function has its own result. Only the functions under ANSWERS in
promise.h promise no status.
"""

import glob
import os
import re
import subprocess
import sys

VISIBLE = re.compile(r'__attribute__\s*\(\(visibility\("default"\)\)\)')
FUNCTION_POINTER = re.compile(r"\(\s*\*[^()]*?(\w+)\s*\)\s*\(")
STATUS = re.compile(r"PROMISE_(?:OK|E[A-Z]+)\b")
RESULT = re.compile(r"^(?:Returns|NULL:|Errors:)", re.MULTILINE)
# "PROMISE_EXAMPLE as promise_x()" refers to that status alone, which the text names itself.
REFERENCE = re.compile(r"(PROMISE_E[A-Z]+ )?\bas (promise_\w+)\(\)")
# Statuses of the error that rejects a promise or ends a stream, not of the call.
CODE = re.compile(r"\bcode PROMISE_E[A-Z]+")
# Statuses of only the other function of a pair that shares a comment.
ELSEWHERE = re.compile(r"; (promise_\w+)\(\) also (PROMISE_E[A-Z]+)")
PLACES = 32  # of a function: its statuses, 0 to -30, and anything else

WRAPPER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "promise.h"

static unsigned char *seen;
__attribute__((constructor)) static void begin(void) {
  int file = open(getenv("STATUSES_SEEN"), O_RDWR);
  seen = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
}
static void note(int function, long status) {
  seen[function * PLACES + (status <= 0 && status > 1 - PLACES ? -status : PLACES - 1)] = 1;
}
#define FIND(name) \
  static __typeof__(&name) found; \
  if (found == NULL) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
/* Reading the last status resets it: what this library has read, the program still finds. */
static __thread promise_status_t last;
static promise_status_t why(const volatile void *result) {
  FIND(promise_last_status);
  if (result != NULL) return PROMISE_OK;
  promise_status_t status = found();
  if (status != PROMISE_OK) last = status;
  return status;
}
promise_status_t promise_last_status(void) {
  promise_status_t status = last;
  last = PROMISE_OK;
  note(LAST_STATUS, status);
  return status;
}
"""


def parameters(text):
    """Yields the parameters of a declaration."""
    depth = start = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip() != "void":
        yield text[start:]


def parameter_name(parameter):
    pointer = FUNCTION_POINTER.search(parameter)
    return pointer.group(1) if pointer else re.findall(r"\w+", parameter.split("[")[0])[-1]


def functions(include):
    """Returns each function's result and parameters, by name."""
    preprocess = [os.environ.get("CC", "cc"), "-std=c11", "-E", "-P", os.path.join(include, "promise.h")]
    output = subprocess.run(preprocess, check=True, stdout=subprocess.PIPE, text=True).stdout
    text = " ".join(output.split())
    found = {}
    for match in VISIBLE.finditer(text):
        declaration = text[match.end() : text.index(";", match.end())].strip()
        result, name, rest = re.match(r"(.*?[\s*])(promise_\w+)\s*\((.*)\)$", declaration).groups()
        found[name] = result.strip(), rest
    return dict(sorted(found.items()))


def answers(include):
    """Returns the functions whose result is not a status, by the table of promise.h."""
    with open(os.path.join(include, "promise.h"), encoding="utf-8") as file:
        table = re.search(r"\bANSWERS\b.*?\n \*\n", file.read(), re.DOTALL)
    return set(re.findall(r"\bpromise_\w+", table.group().partition("\n")[2])) if table else set()


def wrap(include, folder):
    known = functions(include)
    numbers = {"PLACES": PLACES, "SIZE": PLACES * len(known), "LAST_STATUS": list(known).index("promise_last_status")}
    lines = [f"#define {name} {number}" for name, number in numbers.items()] + [WRAPPER]
    for number, (name, (result, rest)) in enumerate(known.items()):
        if name == "promise_last_status":
            continue
        call = f"found({', '.join(parameter_name(parameter) for parameter in parameters(rest))})"
        status = "why(result)" if "*" in result else "(long)result"
        if name in answers(include):
            status = "0"
        body = f"FIND({name}); {result} result = {call}; note({number}, {status}); return result;"
        lines.append(f"{result} {name}({rest}) {{ {body} }}")
    source = os.path.join(folder, "statuses.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(os.path.join(folder, "statuses.seen"), "wb") as file:
        file.write(bytes(PLACES * len(known)))
    compiler = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", "-I", include, source, "-ldl"]
    subprocess.run(compiler + ["-o", os.path.join(folder, "statuses.so")], check=True)


def comments(include):
    """Returns the comments of the functions in the headers, by function."""
    found = {}
    for header in glob.glob(os.path.join(include, "promise", "*.h")):
        comment = ""
        with open(header, encoding="utf-8") as file:
            parts = re.split(r"(/\*.*?\*/)", file.read(), flags=re.DOTALL)
        for part in parts:
            if part.startswith("/*"):
                comment = re.sub(r"^ ?\* ?", "", part[2:-2].strip(), flags=re.MULTILINE)
            for name in re.findall(r"PROMISE_API[^;]*?(promise_\w+)\s*\(", part):
                found[name] = comment
    return found


def promised(name, said, passed=()):
    comment = said.get(name, "")
    start = RESULT.search(comment)
    if start is None or name in passed:
        return set()
    text = CODE.sub("", " ".join(comment[start.start() :].split()))
    others = {status for function, status in ELSEWHERE.findall(text) if function != name}
    statuses = set(STATUS.findall(text)) - others
    for status, reference in REFERENCE.findall(text):
        statuses |= set() if status else promised(reference, said, (*passed, name))
    return statuses


def check(include, folder):
    with open(os.path.join(include, "promise", "status.h"), encoding="utf-8") as file:
        numbers = dict(re.findall(r"\bXX\((PROMISE_\w+), -?(\d+),", file.read()))
    with open(os.path.join(folder, "statuses.seen"), "rb") as file:
        seen = file.read()
    said = comments(include)
    without = answers(include)
    count = 0
    wrong = []
    for number, name in enumerate(functions(include)):
        given = seen[number * PLACES : (number + 1) * PLACES]
        if not any(given):
            wrong.append(f"{name}: never called")
        if name in without:
            continue
        statuses = promised(name, said)
        count += len(statuses)
        if not statuses:
            wrong.append(f"{name}: its comment promises no status")
        for status, place in numbers.items():
            if status in statuses and not given[int(place)]:
                wrong.append(f"{name}: never gave {status}")
            elif status not in statuses and given[int(place)] and status != "PROMISE_OK":
                wrong.append(f"{name}: gave {status}, which its comment does not promise")
    print("\n".join([*wrong, f"{count} statuses promised, {len(wrong)} wrong"]))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("wrap", "check"):
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    sys.exit((wrap if sys.argv[1] == "wrap" else check)(*sys.argv[2:]))
