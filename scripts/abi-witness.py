#!/usr/bin/env python3
"""Writes a C program from the headers alone that shows the whole ABI to abidiff.

    scripts/abi-witness.py INCLUDE FOLDER

INCLUDE has promise_plugin.h and all that it includes. In FOLDER it leaves witness.c, and growing.ini for abidiff. CC is
the compiler.

abidiff compares the debugging information of libraries, and that of libpromise.so is not C's. So the program stands in
for it: each declared function with an empty body, and a function for everything else that programs have compiled in -
each type, each constant, and each field of a struct that may grow at its end. An addition is then another function, and
a change or a removal is a function that differs or is missing.
"""

import os
import re
import subprocess
import sys

VISIBLE = re.compile(r'__attribute__\s*\(\(visibility\("default"\)\)\)')
FUNCTION_POINTER = re.compile(r"\(\s*\*[^()]*?(\w+)\s*\)\s*\(")
# The size is in another struct: promise_plugin_t.function_size.
SIZED_ELSEWHERE = {"promise_plugin_function_t"}


def declarations(text):
    """Yields the declarations at the outermost level, each without its semicolon."""
    start = depth = 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        ends_body = character == "}" and text[start:at].lstrip().startswith("static")
        if depth == 0 and (character == ";" or ends_body):
            yield " ".join(text[start:at].split())
            start = at + 1


def declared_name(declaration):
    """Returns the name that a typedef or a field declares."""
    pointer = FUNCTION_POINTER.search(declaration.rpartition("}")[2])
    return pointer.group(1) if pointer else re.findall(r"\w+", declaration.split("[")[0])[-1]


def fields(declaration):
    """Returns the declarations of a struct's fields."""
    return list(declarations(declaration[declaration.index("{") + 1 : declaration.rindex("}")]))


def witness(name, parameter, before=""):
    return f"{before}void witness_{name}({parameter});\nvoid witness_{name}({parameter}) {{ (void)it; }}\n"


def constant(name, value):
    return witness(name, f"enum witness_{name} *it", f"enum witness_{name} {{ value_of_{name} = {value} }};\n")


def main(include, folder):
    header = os.path.join(include, "promise_plugin.h")
    preprocess = [os.environ.get("CC", "cc"), "-std=c11", "-E", "-P", header]
    output = subprocess.run(preprocess, check=True, stdout=subprocess.PIPE, text=True).stdout
    text = "\n".join(line for line in output.splitlines() if not line.startswith("#"))
    program, growing = [], []
    for declaration in declarations(text):
        visible = VISIBLE.search(declaration)
        if visible:
            program.append(declaration[visible.start() :] + " { __builtin_trap(); }\n")
        elif declaration.startswith("enum {"):
            names = re.findall(r"(\w+)\s*(?:=[^,}]*)?[,}]", declaration)
            program += [constant(name, name) for name in names if name.startswith("PROMISE_")]
        elif declaration.startswith("typedef") and declared_name(declaration).startswith("promise_"):
            name = declared_name(declaration)
            inside = fields(declaration) if declaration.startswith("typedef struct") and "{" in declaration else []
            if name in SIZED_ELSEWHERE or (inside and inside[0] == "uint32_t size"):
                growing.append(re.match(r"typedef struct (\w+)", declaration).group(1))
                for field in map(declared_name, inside):
                    whole = f"{name}_{field}"
                    program.append(witness(whole, f"__typeof__((({name} *)0)->{field}) *it"))
                    program.append(constant(f"offset_{whole}", f"offsetof({name}, {field})"))
            program.append(witness(name, f"{name} *it"))
    with open(os.path.join(folder, "witness.c"), "w", encoding="utf-8") as file:
        file.write('#include "promise_plugin.h"\n' + "".join(program))
    with open(os.path.join(folder, "growing.ini"), "w", encoding="utf-8") as file:
        file.write(f"[suppress_type]\n  type_kind = struct\n  name_regexp = ^({'|'.join(growing)})$\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: abi-witness.py INCLUDE FOLDER")
    main(*sys.argv[1:])
