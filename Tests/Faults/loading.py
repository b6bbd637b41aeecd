"""Files that must not be loaded, each made from a good plugin: (name, how it is made, the message of the host)."""

import os

import elf
from building import build


def changed(change, *flags):
    """Returns a function that makes a plugin, and changes its file by `change`."""

    def make(folder):
        library = elf.Library(build(folder, "sums", flags))
        change(library)
        return library.save(os.path.join(folder, "changed.so"))

    return make


def built(*flags):
    return lambda folder: build(folder, "sums", flags)


def fifo(folder):
    path = os.path.join(folder, "fifo.so")
    os.mkfifo(path)
    return path


def needing(spoil):
    """Returns a function that makes a good plugin, and replaces a library that the plugin needs by `spoil`."""

    def make(folder):
        helper = build(folder, "help", ())
        plugin = build(folder, "sums", ("-DNEEDS_HELP", helper))
        spoil(helper)
        return plugin

    return make


def make_fifo(path):
    os.remove(path)
    os.mkfifo(path)


def second_stack(library):
    # This kind of program header is dispensable: a second PT_GNU_STACK replaces it, which the loader obeys.
    at = (library.headers(elf.RELRO) or library.headers(4))[0]
    library.put32(at, elf.STACK)
    library.put32(at + 4, 7)


def dynamic_elsewhere(library):
    at = library.headers(elf.DYNAMIC)[0]
    library.put64(at + 16, library.u64(at + 16) + 0x100000)


def swap_segments(library):
    first, second = library.headers(elf.LOAD)[1:3]
    one, two = library.bytes[first : first + 56], library.bytes[second : second + 56]
    library.bytes[first : first + 56], library.bytes[second : second + 56] = two, one


def overlapping(library):
    at = library.headers(elf.LOAD)[1]
    library.put64(at + 40, library.u64(at + 40) + 0x100000)


def relocation(offset, change, kinds=(8,)):
    def apply(library):
        at = library.relocation(kinds)
        library.put64(at + offset, change(library.u64(at + offset)))

    return apply


def value(tag, change):
    def apply(library):
        at = library.entry(tag)
        library.put64(at + 8, change(library.u64(at + 8)))

    return apply


def tag(old, new):
    return lambda library: library.put64(library.entry(old), new)


def cyclic_chain(library):
    at = library.table(elf.HASH)
    buckets = library.u32(at)
    for index in range(1, library.u32(at + 4)):
        library.put32(at + 8 + (buckets + index) * 4, index)


def name_of_symbol(library):
    library.put32(library.table(elf.SYMTAB) + 24, 0x7FFFFFFF)


def version_of_symbol(library):
    library.put16(library.table(elf.VERSYM) + 2, 0x7FF)


# A dependency of the plugin, and symbol versions.
LIBC = ("-Wl,--no-as-needed", "-lm", "-Wl,-u,cos")

ROWS = [
    ("a FIFO", fifo, "is a FIFO"),
    ("a device", lambda folder: "/dev/zero", "is a device"),
    ("truncated", changed(lambda library: library.bytes.__delitem__(slice(0x1800, None))), "is truncated"),
    ("needs a FIFO", needing(make_fifo), "is a FIFO"),
    ("needs a truncated library", needing(lambda path: os.truncate(path, 0x1800)), "is truncated"),
    ("DT_SONAME is a path", built("-Wl,-soname,/proc/self/fd/4"), "DT_SONAME"),
    ("two PT_GNU_STACK", changed(second_stack), "two program headers"),
    ("executable stack", built("-Wl,-z,execstack"), "executable stack"),
    ("text relocations", built("-DTEXT_RELOCATION", "-Wl,-z,notext"), "relocations in its code"),
    ("PT_DYNAMIC elsewhere in memory", changed(dynamic_elsewhere), "dynamic section"),
    ("segments out of order", changed(swap_segments), "overlaps the one before"),
    ("segments overlap", changed(overlapping), "overlaps the one before"),
    ("relocation outside the library", changed(relocation(0, lambda old: old + 0x1000000)), "writable segment"),
    ("relocation of read-only memory", changed(relocation(0, lambda old: 0x10)), "writable segment"),
    ("relocation makes a wild pointer", changed(relocation(16, lambda old: 0x7F0000000000)), "outside its memory"),
    ("relocation of an unknown type", changed(relocation(8, lambda old: 0xFF)), "of type 255"),
    ("relocation names no symbol", changed(relocation(8, lambda old: 6, kinds=(6,))), "names no symbol"),
    ("relocation's symbol is out of range", changed(relocation(8, lambda old: 6 | 9999 << 32, kinds=(6,))), "9999"),
    ("size of a relocation", changed(value(elf.RELAENT, lambda old: 16)), "expected 24"),
    ("number of relocations", changed(value(elf.RELASZ, lambda old: old + 24 * 100000)), "outside the file's"),
    ("relocations overlap a list", changed(relocation(0, lambda old: old & ~7 | 4)), "is not"),
    ("initialiser outside the code", changed(value(elf.INIT, lambda old: 0x10)), "is not code"),
    ("no size of the relocations", changed(tag(elf.RELASZ, 0x6FFFFEF8)), "not its size"),
    ("unknown tag", changed(tag(elf.INIT, 0x12345678)), "no linker"),
    ("DT_AUDIT", changed(tag(elf.INIT, 0x6FFFFEFC)), "which has no place in a library"),
    ("a program (ET_EXEC)", changed(lambda library: library.put16(16, 2)), "is a program"),
    ("duplicate tag", changed(tag(elf.INIT, elf.STRTAB)), "twice"),
    ("string table outside", changed(value(elf.STRTAB, lambda old: old + 0x1000000)), "points outside"),
    ("string table without an end", changed(value(elf.STRSZ, lambda old: old - 1)), "does not end"),
    ("name outside the string table", changed(value(elf.NEEDED, lambda old: 0x7FFFFFFF), *LIBC), "outside the string table"),
    ("symbol's name outside the string table", changed(name_of_symbol), "outside the string table"),
    ("cyclic hash chain", changed(cyclic_chain, "-Wl,--hash-style=sysv"), "without an end"),
    ("version of a symbol out of range", changed(version_of_symbol, *LIBC), "has the version 2047"),
]
