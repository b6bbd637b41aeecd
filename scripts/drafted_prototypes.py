"""The functions of a header, as clang sees them, for scripts/check-drafts.py."""

import re


def last_file(node, file):
    """Returns the file of the last place in a part of the tree: clang names a file only where it changes."""
    rest = [node]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            file = node["file"] if isinstance(node.get("file"), str) else file
            parts = [part for name, part in node.items() if name != "includedFrom"]
        else:
            parts = node
        rest += [part for part in reversed(parts) if isinstance(part, (dict, list))]
    return file


class Prototypes:
    """The functions of a translation unit, as clang sees them."""

    def __init__(self, tree):
        self.typedefs, self.given, self.born, self.functions, self.sources = {}, set(), set(), {}, {}
        self.unions = set()
        complete, named, file = set(), set(), ""
        for node in tree["inner"]:
            kind, name = node["kind"], node.get("name", "")
            file = last_file(node.get("loc", {}), file)
            if kind == "TypedefDecl":
                self.typedefs[name] = node["type"]["qualType"]
            elif kind == "RecordDecl":
                (complete if node.get("completeDefinition") else named).add(name)
                if node["tagUsed"] == "union":
                    self.unions.add(name)
            elif kind == "FunctionDecl":
                self.functions.setdefault(name, []).append((node, file))
            file = last_file(node, file)
        self.incomplete = {"struct " + name for name in named - complete}
        for declarations in self.functions.values():
            for node, _ in declarations:
                result = self.resolved(node["type"]["qualType"].split("(")[0])
                objects = {self.core(result)} if result.endswith("*") else set()
                targets = [self.pointee(parameter["type"]["qualType"]) for parameter in self.parameters(node)]
                objects |= {self.core(target) for target in targets if target and self.resolved(target).endswith("*")}
                self.given |= objects
                # A function that takes an object may return the same one.
                self.born |= objects - {self.resolved(target) for target in targets if target}

    @staticmethod
    def parameters(node):
        return [child for child in node.get("inner", []) if child["kind"] == "ParmVarDecl"]

    @staticmethod
    def plain(text):
        text = re.sub(r"\b(const|volatile|restrict|__restrict|_Nullable|_Nonnull)\b", " ", text)
        return " ".join(text.replace("*", " * ").split())

    def resolved(self, text):
        """Returns the type without typedefs at its top."""
        text = self.plain(text)
        for _ in range(64):
            stars = ""
            while text.endswith("*"):
                text, stars = text[:-1].strip(), stars + "*"
            meaning = self.typedefs.get(text)
            if meaning is None or meaning == text or "(" in meaning or "[" in meaning:
                return text + " " * bool(stars) + stars
            text = self.plain(meaning) + stars
        return text

    def pointee(self, text):
        """Returns the type behind an address, as it is written; None for anything else."""
        if "(" in text:
            return None
        text = re.sub(r"\b(restrict|__restrict|_Nullable|_Nonnull)\b", "", text).strip()
        text = re.sub(r"\*\s*const$", "*", text)
        for _ in range(64):
            if text.endswith("*"):
                return text[:-1].strip()
            bare = self.plain(text)
            if bare not in self.typedefs or "(" in self.typedefs[bare]:
                return None
            text = re.sub(r"\*\s*const$", "*", self.typedefs[bare])
        return None

    def core(self, text):
        return self.resolved(text).rstrip("* ")

    def text(self, file, start, end):
        if file not in self.sources:
            try:
                with open(file, "rb") as source:
                    self.sources[file] = source.read()
            except OSError:
                self.sources[file] = b""
        return self.sources[file][start:end].decode("utf-8", "replace")


def offset(place):
    return (place.get("spellingLoc") or place).get("offset", 0)
