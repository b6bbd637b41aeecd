"""Judges a drafted parameter of plugin-host adopt beside its prototype: scripts/check-drafts.py.

The evidence is in the header: types, lengths, attributes, comments and documentation. Drafts that rest on a name or on
the built-in type map are not judged right: they are counted apart, as "name" and "map".
"""

import fnmatch
import os
import re

from drafted_prototypes import offset

SCALAR = re.compile(r"(?:out|inout) (?:bool|[iuf]\d+x?|usize|isize)$")
# An enum at an address with such a name is a status: UErrorCode *err.
STATUS = re.compile(r"(?i)p?_*(e|ec|err|error|status|error_?code)$")
# The names of functions that change a text in place.
CHANGES = re.compile(r"rev|strip|trim|ch[ou]mp|chug|chop|delimit|canon|down|up|lower|lwr|squeeze|minify|temp|tok|name$")
MAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/plugin-host/Adopting/TypeMap+Bundled.swift")
MANUALS = [MAP.replace("Bundled", name) for name in ("Parameters", "Addresses", "Compression", "OpenSSL")]
POSITION = re.compile(r"(?i)(^|_)(pos|position|offset)$")  # one number, beside a count too
CONVERSION = re.compile(r"u_charsToUChars(_\d+)?$")  # writes as many units as it reads bytes
BYTES = {"char", "unsigned char", "signed char", "_Bool", "bool"}


def split(parameters):
    """Returns the parameters of a signature."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(parameters):
        depth += (character in "([{<") - (character in ")]}>" and parameters[index - 1] != "-")
        if character == "," and depth == 0:
            parts.append(parameters[start:index])
            start = index + 1
    parts.append(parameters[start:])
    return [part.strip() for part in parts if part.strip()]


def parts(signature):
    """Returns the parameters of a signature, as one text, and the rest."""
    depth = 0
    for index, character in enumerate(signature):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            return signature[signature.index("(") + 1 : index], signature[index + 1 :]
    raise ValueError(signature)


def words(name):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def texts(node):
    """Returns the texts of a declaration's documentation."""
    own = [node["text"]] if "text" in node else []
    return own + [text for child in node.get("inner", []) for text in texts(child)]


def evidence(types, node, file, index, name, target):
    """Returns the evidence that a function writes an address to the memory behind a parameter."""
    parameters = types.parameters(node)
    # A function that takes an object may set the address in a later call.
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
    # A destructor takes the result of an earlier call: sqlite3_free_table(char **result).
    ends = re.search(r"(?i)(free|destroy|delete|release|unref|close|clear|cleanup|dispose|fini)", node["name"])
    if not ends and {"out", "ret", "return", "output", "result", "res"} & set(words(name)[:1] + words(name)[-1:]):
        return "name"
    if types.core(target) in ("GError", "struct _GError"):
        return "GError"
    is_text = types.core(target) == "char" or "wchar_t" in types.plain(target)
    if is_text and re.search(r"(?i)^(p|pz)?_*(end_?p(tr)?|err(or)?_?(msg|message|str|string|ptr))$", name):
        return "name"
    # The name of a function is none: LLVMGetParamTypes(LLVMTypeRef, LLVMTypeRef *Dest) fills an array.
    return None


def named_beside(types, parameters, index, file):
    """Returns whether the comment behind a parameter is its name: int * /* direction_return */."""
    end = offset(parameters[index]["range"]["end"])
    following = offset(parameters[index + 1]["range"]["begin"]) if index + 1 < len(parameters) else end + 200
    return re.match(r"[^/;]*/\*\s*[a-z]\w*(_\w+)?\s*\*/", types.text(file, end, following))


def mapped(parameter, bound):
    """Returns whether the built-in type map says that a parameter has so many elements."""
    with open(MAP, encoding="utf-8") as file:
        elements = re.findall(r'"([\w*]+\.[\w*]+)": (\d+)', file.read())
    return any(fnmatch.fnmatchcase(parameter, pattern) and int(number) == bound for pattern, number in elements)


def manuals():
    """Returns the parameters that the built-in type map has from manuals, as patterns."""
    lines = []
    for path in MANUALS:
        with open(path, encoding="utf-8") as file:
            lines += re.findall(r"^    ([\w*. ]+\.[\w*. ]+): .+$", file.read(), re.MULTILINE)
    return [pattern for line in lines for pattern in line.split(" ")]


def array(types, draft, name, target, count):
    """Why structs, or addresses of objects, that another parameter counts are not a draft's; None if they are."""
    if draft == "&[cstr; argc]":
        return None
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


class Parameter:
    """A drafted parameter beside its prototype, judged by whether a call could write outside memory of the host."""

    def __init__(self, function, index, draft):
        self.function, self.index, self.types = function, index, function.types
        # A kept argument is a copy of the same size, which may be written as well.
        self.name, self.draft = draft[0], re.sub(r" = .*", "", draft[1]).removeprefix("keep ")
        self.node = function.parameters[index]
        self.written = self.node["type"]["qualType"]
        self.target = self.types.pointee(self.written)
        if self.target is None:
            return
        self.core, self.own = self.types.resolved(self.target), self.types.plain(self.target)
        self.is_const = bool(re.search(r"\bconst\b", self.target)) and "*" not in self.target
        begin, start = offset(self.node["range"]["begin"]), offset(self.node["loc"])
        self.type_text = self.types.text(function.file, begin, start)
        self.declared = self.types.text(function.file, start, offset(self.node["range"]["end"]) + 1)

    def is_described(self):
        """Returns whether the built-in type map describes the parameter, by its name or by its place."""
        names = [f"{self.function.name}.{name}" for name in (self.name, f"argument{self.index + 1}")]
        return any(fnmatch.fnmatchcase(named, pattern) for named in names for pattern in MANUAL)

    def is_unnamed(self):
        return "name" not in self.node and not named_beside(
            self.types, self.function.parameters, self.index, self.function.file)

    def of_any_form(self):
        if re.match(r"(out|inout) ", self.draft) and self.is_const:
            yield "const, but written"
        if self.draft == "context" and (self.core != "void" or self.is_const or not self.function.passes_context):
            yield f"the host's context for {self.written}"
        is_array = "[" in self.declared or self.name in self.function.counts
        if self.draft.startswith("out(") and (self.core in self.types.born or self.is_const or is_array):
            yield f"a caller-allocated object for {self.written}"

    def one_number(self):
        chain = self.own + " " + " ".join(str(self.types.typedefs.get(self.own, "")).split())
        if self.core in BYTES or self.core == "void":
            yield f"one byte for {self.written}"
        elif "char" in chain.lower():
            yield f"one letter for {self.written}"
        elif self.is_unnamed():
            yield f"{self.written} without a name"
        elif "[" in self.declared or "*" not in self.type_text:
            yield f"an array of {self.written}"
        elif self.function.free:
            if not POSITION.search(self.name) and not (self.core.startswith("enum ") and STATUS.match(self.name)):
                yield f"one element beside the count {self.function.free[0]}"
            self.function.rests.add("name")
        elif re.search(r"(param|value|matri|arra|vect|buf)", self.name.lower()) and self.function.name.endswith("v"):
            yield "one element for a vector"

    def fixed_array(self):
        bound = re.search(r"; (\d+)\]", self.draft).group(1)
        name_of_type = self.type_text.replace("const", "").strip()
        if f"[{bound}]" in self.declared or f"[{bound}]" in self.types.typedefs.get(name_of_type, ""):
            return
        # sizes() compares the value of a constant.
        said = re.search(rf"\[\s*(static\s+)?({bound}|[A-Za-z_]\w*)\s*\]", self.declared)
        if not said and mapped(f"{self.function.name}.{self.name}", int(bound)):
            self.function.rests.add("map")
        elif not said:
            yield f"{bound} elements that nothing says"

    def address(self):
        kind = evidence(self.types, self.function.node, self.function.file, self.index, self.name, self.target)
        if not kind and self.name in self.function.called:
            kind = "calls"
        if kind:
            self.function.found.append(kind)
            self.function.rests |= {kind} & {"name"}
        else:
            yield f"nothing says that {self.written} is written"

    def struct(self):
        if re.sub(r"^(&|inout |out )", "", self.draft) in STRUCTS:
            self.function.rests.add("map")
            return
        parameters = self.function.parameters
        following = parameters[self.index + 1] if self.index + 1 < len(parameters) else None
        if self.core in self.types.given or self.core in self.types.incomplete:
            yield f"the value of {self.written}, an object of the library's"
        elif following and re.search(r"len|size|count|num", following.get("name", "").lower()):
            yield f"the value of {self.written}, which has a size"
        elif "[" in self.declared or self.is_unnamed():
            yield f"{self.written} may be several"

    def uncounted(self):
        # Texts whose addresses are not exchanged: char *const argv[].
        if self.draft.startswith("&[cstr") and re.search(r"\*\s*const$", self.target.replace("restrict", "").strip()):
            return
        # Changed in place, by a function whose name says so, and which has no other text to write.
        if self.draft.startswith("inout ") and (self.core != "char" or not CHANGES.search(self.function.name.lower())):
            yield f"{self.written} is written, and nothing says how much"
        elif self.draft.startswith("inout "):
            self.function.rests.add("name")
        elif not self.draft.startswith("inout ") and not self.is_const:
            yield f"{self.written} may be written, and nothing says how much"

    def moved(self):
        # An address that is moved beside the number of elements that are left.
        count = re.search(r"\[(\w+)\]$", self.draft).group(1)
        numbers = {node.get("name", "").lstrip("_"): node["type"]["qualType"] for node in self.function.parameters}
        if not self.own.endswith("*") or "*" not in self.types.plain(numbers.get(count, "")):
            yield f"{self.written} moved, counted by {count}"
        elif not re.search(r"(?i)avail|left|remain", count):
            yield f"{self.written} may be written, and {count} with it"
        elif self.draft.startswith("out ") and not any(draft.startswith("moving ") for _, draft in self.function.drafted):
            yield f"{self.written} is written, and no such data is read"
        elif not self.draft.startswith("out ") and not re.search(r"\bconst\b", self.target):
            yield f"{self.written} may be written"

    def counted(self):
        count = re.search(r"[\[ ](\w+)\]\??$", self.draft).group(1)
        is_opaque = self.core == "void" and "void" not in self.own.lower()
        is_handle = self.core.startswith(("struct ", "union ")) or is_opaque
        if is_handle and (fault := array(self.types, self.draft, self.name, self.target, count)):
            yield fault
        read = re.compile(rf"(bytes|str)\[{count}\]|&\[.*; {count}\]")
        others = [draft for name, draft in self.function.drafted if name != self.name]
        is_written = self.draft.startswith(("out ", "inout ")) and not CONVERSION.match(self.function.name)
        if is_written and any(read.match(draft) for draft in others):
            yield "written, with the count of what is read"

    # The check of the first form that fits a draft is made.
    FORMS = [
        (SCALAR, one_number),
        (re.compile(r"(out )?moving "), moved),
        (re.compile(r"(out|inout) \["), fixed_array),
        (re.compile(r"out (cstr|(own\(\w+\) )?ptr<)"), address),
        (re.compile(r"(&|inout |out )?\{"), struct),
        (re.compile(r".*(\[\*\]|; \*\])"), uncounted),
        (re.compile(r"((out|inout) )?((bytes|str)\[|&\[)"), counted),
    ]

    def faults(self):
        yield from self.of_any_form()
        for form, judged in self.FORMS:
            if form.match(self.draft) and not (judged is Parameter.one_number and self.name in self.function.counts):
                yield from judged(self)
                return


class Draft:
    """The draft of a function beside its prototype. `called` has the parameters that calls have written."""

    def __init__(self, types, signature, called=()):
        self.called, self.rests = called, set()
        self.types, self.name, body = types, signature.split("(", 1)[0], parts(signature)[0]
        self.node, self.file = types.functions[self.name][-1]
        self.parameters = types.parameters(self.node)
        # Behind "..." stand a function's variadic arguments, which its prototype does not have.
        self.drafted = [part.split(": ", 1) for part in split(body.split(", ...,")[0])]
        self.passes_context = any(draft.startswith("fn(") and "context" in draft for _, draft in self.drafted)
        counts = re.findall(r"(?:bytes|str)\[(\w+)\]|; ([A-Za-z_]\w*)\]", body)
        self.counts = {name for pair in counts for name in pair if name}
        # Integers that look like counts, but count no other parameter.
        self.free = [name for (name, draft), _ in zip(self.drafted, self.parameters)
                     if name not in self.counts and re.search(r"len|size|count|cap|num|max", name.lower())
                     and re.match(r"[iu]\d+|usize|isize", draft)]
        self.found = []

    def judge(self):
        """Returns why the draft is unsafe, the kinds of evidence for addresses that are written, and whether the draft
        rests on a name or on the type map."""
        both = zip(range(len(self.parameters)), self.drafted)
        addresses = [part for index, draft in both if (part := Parameter(self, index, draft)).target is not None]
        judged = [part for part in addresses if not part.is_described()]
        self.rests |= {"map"} if len(judged) < len(addresses) else set()
        return [f"{part.name}: {fault}" for part in judged for fault in part.faults()], self.found, self.rests


def structs():
    """Returns the structs with counts that the built-in type map has from manuals."""
    with open(MAP, encoding="utf-8") as file:
        return set(re.findall(r'": "(\{[^"]*\[[^"]*\})"', file.read()))


MANUAL, STRUCTS = manuals(), structs()
