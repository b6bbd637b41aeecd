"""Descriptors whose pointers lead nowhere: (name, the macro of wild.c and its meaning, the message of the host)."""

from building import build


def row(name, macro, value, text):
    return name, lambda folder: build(folder, "wild", (f"-D{macro}={value}",)), text


WILD = "((void *)0x123456789000)"

ROWS = [
    row("a descriptor that is nowhere", "DESCRIPTOR", WILD, "its descriptor at 0x123456789000"),
    row("an id that is nowhere", "ID", WILD, "has id at 0x123456789000"),
    row("a function table that is nowhere", "TABLE", WILD, "functions[0] at 0x123456789000"),
    row("a huge function_size", "SIZE", "0x7ffffff8", "functions[1] at"),
    row("a signature that is nowhere", "SIGNATURE", WILD, "functions[0].signature at"),
    row("a function that is nowhere", "ENTRY", WILD, "functions[0].entry at 0x123456789000, which is not code"),
    row("a function that is data", "ENTRY", "&plugin", "functions[0].entry at"),
    row("load() that is nowhere", "LOAD", WILD, "has load at 0x123456789000"),
    row("requirements that are nowhere", "REQUIRED", WILD, "required[0] at 0x123456789000"),
]
