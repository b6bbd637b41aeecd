"""Files that must not be loaded, each made from a good plugin: (name, how it is made, the message of the host)."""

import os
import struct

import elf
from building import build


def changed(change, *flags, size=None):
    """Returns a function that makes a plugin, and changes its file by `change`. The file is extended to a size, without
    memory for the rest."""

    def make(folder):
        library = elf.Library(build(folder, "sums", flags))
        change(library)
        path = library.save(os.path.join(folder, "changed.so"))
        if size:
            os.truncate(path, size)
        return path

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


def at_the_end_of_memory(library):
    """Moves the library to the last addresses, where a sum of an address and a size is out of range."""
    distance = 2**64 - 0x100000
    for at in library.headers():
        library.put64(at + 16, library.u64(at + 16) + distance)
    for at in library.entries():
        if library.u64(at) in elf.ADDRESSES:
            library.put64(at + 8, library.u64(at + 8) + distance)
    # The number of words of the filter in the hash table.
    library.put32(library.table(elf.GNU_HASH) + 8, 0x80000000)


# More than the memory of any machine.
TERABYTE = 1 << 40


def long_strings(library):
    address = library.append(b"", TERABYTE // 2)
    library.put64(library.entry(elf.STRTAB) + 8, address)
    library.put64(library.entry(elf.STRSZ) + 8, TERABYTE // 2)


def long_chain(library):
    """A hash table with one bucket, whose chain does not end before the file."""
    address = library.append(struct.pack("<IIIIQI", 1, 1, 1, 6, 0, 1), TERABYTE // 2)
    library.put64(library.entry(elf.GNU_HASH) + 8, address)


def make_sparse(path):
    library = elf.Library(path)
    long_strings(library)
    os.truncate(library.save(path), TERABYTE)


def shared_versions(library):
    """Libraries of which versions are needed, each with the same list of versions: the product of two numbers."""
    count = 1 << 15
    first = library.table(elf.VERNEED)
    file, version = library.u32(first + 4), library.u32(first + library.u32(first + 8) + 8)
    outer = [struct.pack("<HHIII", 1, 1, file, (count - n) * 16, 16 * (n < count - 1)) for n in range(count)]
    inner = [struct.pack("<IHHII", 0, 0, 2, version, 16 * (n < count - 1)) for n in range(count)]
    library.put64(library.entry(elf.VERNEED) + 8, library.append(b"".join(outer + inner)))


def long_search(folder):
    """A plugin that needs a library 4,000 times, which is in the last of 1,900 folders."""
    needed = os.path.basename(build(folder, "help", ()))
    library = elf.Library(build(folder, "sums", ()))
    strings = bytes(library.bytes[library.table(elf.STRTAB) :][: library.value(elf.STRSZ)])
    strings += needed.encode() + b"\0"
    path = len(strings)
    strings += b"a:" * 1900 + folder.encode() + b"\0"
    strings += bytes(-len(strings) % 8)
    values = {library.u64(at): library.u64(at + 8) for at in library.entries() if library.u64(at)}
    size = (len(values) + 1 + 4000 + 1) * 16
    address = library.append(strings + bytes(size))
    values |= {elf.STRTAB: address, elf.STRSZ: len(strings), elf.RPATH: path}
    entries = [*values.items(), *[(elf.NEEDED, strings.index(needed.encode()))] * 4000]
    section = address + len(strings)
    at = library.headers(elf.DYNAMIC)[0]
    struct.pack_into("<QQQQQ", library.bytes, at + 8, library.offset(section), section, section, size, size)
    for number, entry in enumerate(entries):
        struct.pack_into("<QQ", library.bytes, library.offset(section) + 16 * number, *entry)
    return library.save(os.path.join(folder, "changed.so"))


def two_of_one_name(folder):
    """A plugin that needs two libraries of which the first has the DT_SONAME of the second."""
    needs = ("-DNEEDS_HELP", "-Wl,--no-as-needed", "-L", folder, "-l:other.so", "-l:help.so", "-Wl,-rpath,$ORIGIN")
    build(folder, "help", (), "other.so")
    build(folder, "help", ("-Wl,-soname,help.so",))
    plugin = build(folder, "sums", needs)
    # Needed by the name of its file, which it had without a DT_SONAME.
    build(folder, "help", ("-Wl,-soname,help.so",), "other.so")
    return plugin


# A dependency of the plugin, and symbol versions.
LIBC = ("-Wl,--no-as-needed", "-lm", "-Wl,-u,cos")

ROWS = [
    ("a FIFO", fifo, "is a FIFO"),
    ("a device", lambda folder: "/dev/zero", "is a device"),
    ("truncated", changed(lambda library: library.bytes.__delitem__(slice(0x1800, None))), "is truncated"),
    ("needs a FIFO", needing(make_fifo), "is a FIFO"),
    ("needs a truncated library", needing(lambda path: os.truncate(path, 0x1800)), "is truncated"),
    ("needs two libraries of one DT_SONAME", two_of_one_name, "which is also the name (DT_SONAME)"),
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
    ("addresses at the end of memory", changed(at_the_end_of_memory), "does not fit into memory"),
    ("a sparse file of 1 TB", changed(long_strings, size=TERABYTE), "bytes, expected at most"),
    ("needs a sparse file of 1 TB", needing(make_sparse), "bytes, expected at most"),
    ("a chain to the end of a sparse file", changed(long_chain, size=TERABYTE), "bytes, expected at most"),
    ("lists of versions that share entries", changed(shared_versions, *LIBC), "too much work"),
    ("4,000 names in 1,900 folders", long_search, "too much work"),
    ("version of a symbol out of range", changed(version_of_symbol, *LIBC), "has the version 2047"),
]
