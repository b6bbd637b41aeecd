"""Reads the tables of an ELF library and writes changed copies of it."""

import struct

LOAD, DYNAMIC, NOTE, STACK, RELRO = 1, 2, 4, 0x6474E551, 0x6474E552
HASH, STRTAB, SYMTAB, RELA, RELASZ, RELAENT, STRSZ, INIT, SONAME, JMPREL = 4, 5, 6, 7, 8, 9, 10, 12, 14, 23
INIT_ARRAY, VERSYM, NEEDED, RPATH, GNU_HASH, VERNEED = 25, 0x6FFFFFF0, 1, 15, 0x6FFFFEF5, 0x6FFFFFFE
# Tags whose values are addresses.
ADDRESSES = {3, 4, 5, 6, 7, 12, 13, 23, 25, 26, 36, GNU_HASH, VERSYM, 0x6FFFFFFC, VERNEED}


class Library:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
        return path

    def u16(self, at):
        return struct.unpack_from("<H", self.bytes, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.bytes, at)[0]

    def u64(self, at):
        return struct.unpack_from("<Q", self.bytes, at)[0]

    def put16(self, at, value):
        struct.pack_into("<H", self.bytes, at, value)

    def put32(self, at, value):
        struct.pack_into("<I", self.bytes, at, value)

    def put64(self, at, value):
        struct.pack_into("<Q", self.bytes, at, value & (2**64 - 1))

    def headers(self, kind=None):
        """Returns the offsets of the program headers of a type."""
        start, count = self.u64(32), self.u16(56)
        return [at for at in range(start, start + count * 56, 56) if kind is None or self.u32(at) == kind]

    def offset(self, address):
        """Returns the offset in the file of the memory at an address."""
        for at in self.headers(LOAD):
            if self.u64(at + 16) <= address < self.u64(at + 16) + self.u64(at + 32):
                return self.u64(at + 8) + address - self.u64(at + 16)
        raise ValueError(hex(address))

    def entries(self):
        """Yields the offsets of the entries of the dynamic section."""
        at = self.u64(self.headers(DYNAMIC)[0] + 8)
        while True:
            yield at
            if self.u64(at) == 0:
                return
            at += 16

    def entry(self, tag):
        return next(at for at in self.entries() if self.u64(at) == tag)

    def value(self, tag):
        return self.u64(self.entry(tag) + 8)

    def table(self, tag):
        """Returns the offset of a table in the file."""
        return self.offset(self.value(tag))

    def relocation(self, kinds):
        """Returns the offset of the first relocation of one of these types."""
        start = self.table(RELA)
        for at in range(start, start + self.value(RELASZ), 24):
            if self.u32(at + 8) in kinds:
                return at
        raise ValueError("no such relocation")

    def append(self, data, size=None):
        """Appends a segment that can be written, and returns its address. It has `size` bytes in the file, those of the
        data by default: the file must be extended to as many.

        Replaces a dispensable program header, which is behind those of the other segments.
        """
        self.bytes.extend(bytes(-len(self.bytes) % 4096))
        last = self.headers(LOAD)[-1]
        address = (self.u64(last + 16) + self.u64(last + 40) + 8191) // 4096 * 4096
        at = (self.headers(RELRO) or self.headers(NOTE))[0]
        size = len(data) if size is None else size
        struct.pack_into("<IIQQQQQQ", self.bytes, at, LOAD, 6, len(self.bytes), address, address, size, size, 4096)
        self.bytes.extend(data)
        return address
