#!/usr/bin/env python3
"""Judges the drafts of plugin-host adopt from the headers of real libraries.

usage: scripts/check-drafts.py PLUGIN_HOST [--table] [--check] [LIBRARY HEADER [OPTION]...]

Reads each header with clang once more, and compares every drafted parameter with its prototype by rules of its own. A
draft is unsafe if a call could write where the host has set no memory aside: one element for the address of bytes, of
letters or of an unknown number of elements; an address of an address that may be an array or be kept; the value of a
struct that is an object of the library's; a buffer for a handle; an object that is destroyed without being known to be
the caller's; an object set aside with another size than its type has. With --check each draft is also called with
random arguments, by plugin-host adopt --check: a wrong write is unsafe. Ends with 1 if there is one, or if a header
that is there cannot be adopted. Libraries whose headers are not installed are skipped.
"""

import fnmatch
import itertools
import json
import os
import re
import subprocess
import sys

from drafted_libraries import LIBRARIES, MAKERS  # noqa: F401, which scripts/draw-functions.py reads
from drafted_prototypes import Prototypes, offset

FOLDERS = ["/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include"]
SCALAR = re.compile(r"(?:out|inout) (?:bool|[iuf]\d+x?|usize|isize)$")
# An enum that is written by that name is a status: UErrorCode *err.
STATUS = re.compile(r"(?i)p?_*(e|ec|err|error|status|error_?code)$")
# The names of functions that change a text in place.
CHANGES = re.compile(r"rev|strip|trim|ch[ou]mp|chug|chop|delimit|canon|down|up|lower|lwr|squeeze|minify|temp|tok|name$")
MAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/plugin-host/Adopting/TypeMap+Bundled.swift")
MANUALS = MAP.replace("Bundled", "Parameters")
BYTES = {"char", "unsigned char", "signed char", "_Bool", "bool"}


def split(parameters):
    """The parameters of a signature."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(parameters):
        depth += (character in "([{<") - (character in ")]}>" and parameters[index - 1] != "-")
        if character == "," and depth == 0:
            parts.append(parameters[start:index])
            start = index + 1
    parts.append(parameters[start:])
    return [part.strip() for part in parts if part.strip()]


def parts(signature):
    """The parameters of a signature, as one text, and the rest."""
    depth = 0
    for index, character in enumerate(signature):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            return signature[signature.index("(") + 1 : index], signature[index + 1 :]
    raise ValueError(signature)


def words(name):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def texts(node):
    """The texts of a declaration's documentation."""
    own = [node["text"]] if "text" in node else []
    return own + [text for child in node.get("inner", []) for text in texts(child)]


def evidence(types, node, file, index, name, target):
    """The evidence that an address is written behind a parameter that is the address of an address."""
    parameters = types.parameters(node)
    # A function that is given an object may set the address in a later call.
    objects = [parameter for parameter in parameters if (pointee := types.pointee(parameter["type"]["qualType"]))
               and types.resolved(pointee).startswith("struct ") and not re.search(r"\bconst\b", pointee)]
    if not objects and f"*{name} will be set" in " ".join(texts(node)):
        return "documentation"
    for child in node.get("inner", []):
        if child["kind"] == "FullComment":
            for part in child.get("inner", []):
                if part.get("param") == name and part.get("direction") == "out":
                    return "documentation"
    end = offset(parameters[index]["range"]["end"])
    following = offset(parameters[index + 1]["range"]["begin"]) if index + 1 < len(parameters) else end + 200
    if re.match(r"[^/;]*/\*[\W_]*out\b", types.text(file, end, following), re.IGNORECASE):
        return "comment"
    if re.match(r"(?i)_*(e|err|error)$", name) and "error" in types.core(target).lower():
        return "type"
    if {"out", "ret", "return", "output", "result", "res"} & set(words(name)[:1] + words(name)[-1:]):
        return "name"
    if types.core(target) in ("GError", "struct _GError"):
        return "GError"
    core = types.core(target)
    opaque = core == "void" and types.plain(target).split()[0] != "void" or core in types.incomplete
    # The address of a struct under a name of its own: FT_Face.
    opaque = opaque or not types.plain(target).endswith("*") and core.startswith("struct ")
    is_text = core == "char" or "wchar_t" in types.plain(target)
    if is_text and re.search(r"(?i)^(p|pz)?_*(end_?p(tr)?|err(or)?_?(msg|message|str|string|ptr))$", name):
        return "name"
    plural = len(name) > 2 and name.lower().endswith("s") and not re.search(r"(ss|us|is)$", name.lower())
    if core in ("char", "unsigned char") and "get" in node["name"].lower() and not plural:
        return "getter"
    making = re.search(r"open|new|create|init|alloc|dup|clone|copy|connect|prepare|load", node["name"], re.IGNORECASE)
    if opaque and making:
        return "constructor"
    # Nothing counts, and the function finds one, or the parameter is one of its type: GMatchInfo **match_info.
    finding = {"get", "find", "lookup", "search", "fetch", "read", "query", "accept", "begin", "first", "parse", "import",
               "peek", "match", "make", "build", "compile", "derive", "generate", "ref", "decode", "list", "recv",
               "receive", "collect"} & set(words(node["name"]))
    ends = re.search(r"(?i)(free|destroy|delete|release|unref|close|clear|cleanup|dispose|fini)", node["name"])
    own = words(name) == words(types.plain(target).rstrip("* "))[-len(words(name)):]
    return "getter" if opaque and (finding or own) and not ends else None


def named_beside(types, parameters, index, file):
    """Whether the comment behind a parameter is its name: int * /* direction_return */."""
    end = offset(parameters[index]["range"]["end"])
    following = offset(parameters[index + 1]["range"]["begin"]) if index + 1 < len(parameters) else end + 200
    return re.match(r"[^/;]*/\*\s*[a-z]\w*(_\w+)?\s*\*/", types.text(file, end, following))


def mapped(parameter, bound):
    """Whether the type map that is built in says that a parameter has so many elements."""
    with open(MAP, encoding="utf-8") as file:
        elements = re.findall(r'"([\w*]+\.[\w*]+)": (\d+)', file.read())
    return any(fnmatch.fnmatchcase(parameter, pattern) and int(number) == bound for pattern, number in elements)


def manuals():
    """The parameters that the type map which is built in has from manuals, as patterns."""
    with open(MANUALS, encoding="utf-8") as file:
        lines = re.findall(r"^    ([\w*. ]+\.[\w*. ]+): .+$", file.read(), re.MULTILINE)
    return [pattern for line in lines for pattern in line.split(" ")]


def array(types, draft, name, target, count):
    """Why structs, or addresses of objects, that another parameter counts are not a draft's; None if they are."""
    elements = count.lower().replace("_", "")
    numbers = re.match(r"(n|num|numof|numberof|nof)[a-z]*$|.*(count|cnt|num|nelem|items|memb)$", elements)
    if re.match(r"&\[(cstr|ptr<)", draft) and types.plain(target).endswith("*"):
        return None if numbers or re.match(r".*(len|length)$", elements) else f"{target} counted by {count}"
    if re.match(r"(out )?&\[\{", draft) and types.resolved(target).startswith("struct "):
        # xcb_rectangle_t *rectangles, behind rectangles_len.
        is_named = "const" in target and count.lower() == f"{name}_len".lower()
        return None if numbers or is_named else f"{target} counted by {count}"
    handle = types.plain(target)
    if re.match(r"&\[ptr<", draft) and types.resolved(target).endswith("*"):
        return None if numbers else f"{handle} counted by {count}"
    return f"the handle {handle} as a buffer"


def judge(types, signature):
    """Why the draft of a function is unsafe; and the kinds of evidence for addresses that are written."""
    function, (body, _) = signature.split("(", 1)[0], parts(signature)
    node, file = types.functions[function][-1]
    parameters = types.parameters(node)
    # Behind "..." stand a function's variadic arguments, which its prototype does not have.
    drafted = [part.split(": ", 1) for part in split(body.split(", ...,")[0])]
    pass_back = [part for part in drafted if part[1].startswith("fn(") and "context" in part[1]]
    counts = set(re.findall(r"(?:bytes|str)\[(\w+)\]|; ([A-Za-z_]\w*)\]", body))
    counts = {name for pair in counts for name in pair if name}
    faults, found = [], []
    free = [
        part[0] for part, parameter in zip(drafted, parameters)
        if part[0] not in counts and re.search(r"len|size|count|cap|num|max", part[0].lower())
        and re.match(r"[iu]\d+|usize|isize", part[1])
    ]
    for index, (part, parameter) in enumerate(zip(drafted, parameters)):
        name, draft = part
        # A copy of the same size, which may be written as well.
        draft = re.sub(r" = .*", "", draft).removeprefix("keep ")
        written = parameter["type"]["qualType"]
        target = types.pointee(written)
        if target is None or any(fnmatch.fnmatchcase(f"{function}.{name}", pattern) for pattern in MANUAL):
            continue
        core, own = types.resolved(target), types.plain(target)
        isConst = bool(re.search(r"\bconst\b", target)) and "*" not in target
        end, start = offset(parameter["range"]["end"]), offset(parameter["loc"])
        declared = types.text(file, start, end + 1)
        is_handle = core.startswith(("struct ", "union ")) or core == "void" and "void" not in own.lower()
        if re.match(r"(out|inout) ", draft) and isConst:
            faults.append(f"{name}: const, but written")
        if draft == "context" and (core != "void" or isConst or not pass_back):
            faults.append(f"{name}: the host's context for {written}")
        if draft.startswith("out(") and (core in types.born or isConst or "[" in declared or name in counts):
            faults.append(f"{name}: an object set aside for {written}")
        if SCALAR.match(draft) and name not in counts:
            chain = own + " " + " ".join(str(types.typedefs.get(own, "")).split())
            if core in BYTES or core == "void":
                faults.append(f"{name}: one byte for {written}")
            elif "char" in chain.lower():
                faults.append(f"{name}: one letter for {written}")
            elif "name" not in parameter and not named_beside(types, parameters, index, file):
                faults.append(f"{name}: {written} without a name")
            elif "[" in declared or "*" not in types.text(file, offset(parameter["range"]["begin"]), start):
                faults.append(f"{name}: an array of {written}")
            elif free and not (core.startswith("enum ") and STATUS.match(name)):
                faults.append(f"{name}: one element beside the count {free[0]}")
            elif re.search(r"(param|value|matri|arra|vect|buf)", name.lower()) and node["name"].endswith("v"):
                faults.append(f"{name}: one element for a vector")
        elif re.match(r"(out|inout) \[", draft):
            bound = re.search(r"; (\d+)\]", draft).group(1)
            name_of_type = types.text(file, offset(parameter["range"]["begin"]), start).replace("const", "").strip()
            if f"[{bound}]" not in declared and f"[{bound}]" not in types.typedefs.get(name_of_type, ""):
                # sizes() compares the value of a constant.
                said = re.search(rf"\[\s*(static\s+)?({bound}|[A-Za-z_]\w*)\s*\]", declared)
                if not said and not mapped(f"{function}.{name}", int(bound)):
                    faults.append(f"{name}: {bound} elements that nothing says")
        elif re.match(r"out (cstr|(own\(\w+\) )?ptr<)", draft):
            kind = evidence(types, node, file, index, name, target)
            if kind:
                found.append(kind)
            else:
                faults.append(f"{name}: nothing says that {written} is written")
        elif re.sub(r"^(&|inout |out )", "", draft) in STRUCTS:
            continue
        elif re.match(r"(&|inout |out )?\{", draft):
            following = parameters[index + 1] if index + 1 < len(parameters) else None
            if core in types.given or core in types.incomplete:
                faults.append(f"{name}: the value of {written}, an object of the library's")
            elif following and re.search(r"len|size|count|num", following.get("name", "").lower()):
                faults.append(f"{name}: the value of {written}, which has a size")
            elif "[" in declared or "name" not in parameter and not named_beside(types, parameters, index, file):
                faults.append(f"{name}: {written} may be several")
        elif "[*]" in draft or "; *]" in draft:
            # Changed in place, by a function whose name says so, and which has no other text to write.
            if draft.startswith("inout ") and (core != "char" or not CHANGES.search(function.lower())):
                faults.append(f"{name}: {written} is written, and nothing says how much")
            elif not draft.startswith("inout ") and not isConst:
                faults.append(f"{name}: {written} may be written, and nothing says how much")
        elif re.match(r"((out|inout) )?((bytes|str)\[|&\[)", draft):
            count = re.search(r"[\[ ](\w+)\]\??$", draft).group(1)
            if is_handle and (fault := array(types, draft, name, target, count)):
                faults.append(f"{name}: {fault}")
            read = re.compile(rf"(bytes|str)\[{count}\]|&\[.*; {count}\]")
            if draft.startswith(("out ", "inout ")) and any(read.match(other[1]) for other in drafted if other[0] != name):
                faults.append(f"{name}: written, with the count of what is read")
    return faults, found


def structs():
    """The structs with counts that the type map which is built in has from manuals."""
    with open(MAP, encoding="utf-8") as file:
        return set(re.findall(r'": "(\{[^"]*\[[^"]*\})"', file.read()))


MANUAL, STRUCTS = manuals(), structs()


def identity(types, written):
    """The object whose address a type is: of names for void, the name."""
    core = types.core(written)
    return core if core != "void" else types.plain(written).rstrip("* ")


def owned(types, signature):
    """Why an object may be destroyed that is not the caller's."""
    name = signature.split("(", 1)[0]
    for destructor, object in re.findall(r"own\((\w+)\) ptr<(\w+)>", signature):
        if destructor == "g_object_unref":
            # A function that keeps such an object takes a reference of its own.
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
            # In memory of the host's: only that function ends it, and the host frees it.
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
    """The objects that are set aside with another size than C has for them, as clang says."""
    claims = {}
    for signature in signatures:
        function, (body, _) = signature.split("(", 1)[0], parts(signature)
        # The struct that memcpy makes or reads: of a typedef, a tag, or a typedef of the address.
        if function not in types.functions and (size := re.search(r"size: const usize = (\d+)", body)):
            name = re.search(r"(?:made: out\(\d+\) (?:own )?|struct: )ptr<(\w+)>", body).group(1)
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


def called(run):
    """The wrong reads and writes that calls have shown, from the table and the draft of plugin-host adopt --check."""
    lines = run.stderr.split("\n")
    numbers = [line.split()[-6:] for line in itertools.takewhile(lambda line: not line.startswith("  "), lines[1:])
               if re.match(r"\S+( +\d+){6}$", line)]
    writes = sum(int(row[4]) for row in numbers if len(numbers) == 1 or row is not numbers[-1])
    shown = [line[4:] for line in run.stdout.split("\n") if re.match(r"#   \w+: it writes", line)]
    return shown + ["a wrong write that is not listed"] * max(writes - len(shown), 0)


def survey(host, library, header, options, check=False):
    """Drafts one library. Returns the counts and the faults; None if its header or it is not there."""
    command = [host, "adopt", header, "--library", library] + options + ["--check"] * check
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=3600 if check else 300)
    except subprocess.TimeoutExpired:
        return 0, 0, [f"{header}: adopt did not end within 5 minutes"], []
    if run.returncode in (2, 64):
        return None
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or [""])[-1]
        return 0, 0, [f"{header}: adopt ended with {run.returncode}: {reason}"], []
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
    faults, found = sizes(types, signatures, path, flags) + (called(run) if check else []), []
    for signature in signatures:
        if signature.split("(")[0] in types.functions:
            wrong, kinds = judge(types, signature)
            wrong += [fault for fault in [owned(types, signature)] if fault]
            faults += [f"{signature}\n      {fault}" for fault in wrong[:1]]
            found += kinds
    return len(own), len(left), faults, found


def main():
    host, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    table, check = "--table" in arguments, "--check" in arguments
    chosen = [argument for argument in arguments if argument not in ("--table", "--check")]
    rows = [chosen] if chosen else [line.split() for line in LIBRARIES.split("\n") if line]
    total, evident, skipped = [0, 0, 0], {}, []
    for library, header, *options in rows:
        result = survey(host, library, header, options, check)
        if result is None:
            skipped.append(header)
            continue
        drafted, left, faults, found = result
        total = [total[0] + drafted + left, total[1] + drafted, total[2] + len(faults)]
        for kind in found:
            evident[kind] = evident.get(kind, 0) + 1
        if table:
            print(f"{library:24} {header:24} {drafted + left:5} functions {drafted:5} drafted {len(faults):4} unsafe")
        for fault in faults if not table or chosen else []:
            print(f"{header}: {fault}")
    print(
        f"check-drafts: {len(rows) - len(skipped)} headers, {total[0]} functions, {total[1]} drafted "
        f"({100 * total[1] // max(total[0], 1)} %), {total[2]} unsafe; addresses written, by evidence: {evident}"
    )
    if skipped:
        print(f"check-drafts: skipped, not installed: {' '.join(skipped)}")
    sys.exit(1 if total[2] or len(skipped) == len(rows) else 0)


if __name__ == "__main__":
    main()
