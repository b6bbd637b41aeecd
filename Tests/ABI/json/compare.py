"""Random JSON documents, good and damaged, through the library and through Python's own implementation.

    compare.py CONVERT [SEED] [COUNT]

CONVERT is the program of convert.c. Both must agree on which documents are good, and on every value: integers exact,
doubles to the bit, keys in order. Where Python is more lenient than RFC 8259, or than the documented limits of the
library, those decide. Doubles of random bits are written with the digits of repr(): the shortest ones.
"""

import json
import math
import random
import struct
import subprocess
import sys
from decimal import Decimal

EENCODING = "error2"
ERANGE = "error5"


class Entries(tuple):
    """An object's entries in order: of equal keys the last value, in the place of the first."""

    def __new__(cls, pairs):
        return super().__new__(cls, tuple(dict(pairs).items()))


def refuse(name):
    raise ValueError(name + " is no JSON")


def integer(text):
    """Returns the number that the library must read: exact within 64 bits, beyond that the nearest double."""
    number = int(text)
    return number if -(2**63) <= number < 2**64 else float(text)


def load(text):
    return json.loads(text, object_pairs_hook=Entries, parse_constant=refuse, parse_int=integer)


def walk(value):
    yield value
    if isinstance(value, Entries):
        for key, member in value:
            yield key
            yield from walk(member)
    elif isinstance(value, list):
        for element in value:
            yield from walk(element)


def same(one, other):
    """Returns whether two values are equal, with the same types, and doubles to the bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return one.hex() == other.hex()
    if isinstance(one, (list, Entries)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, tuple):
        return one[0] == other[0] and same(one[1], other[1])
    return one == other


def expected(document):
    """Returns the value and "ok"; or None and the error that is required, None if any error will do."""
    try:
        value = load(document.decode("utf-8"))
    except (ValueError, OverflowError):
        return None, None
    for part in walk(value):
        if isinstance(part, float) and math.isinf(part):
            return None, ERANGE
        if isinstance(part, str) and any(0xD800 <= ord(character) < 0xE000 for character in part):
            return None, EENCODING
    return value, "ok"


def agree(document, status, text):
    value, right = expected(document)
    if right is None:
        return status.startswith("error")
    return status == right and (right != "ok" or same(load(text.decode("utf-8")), value))


def number(source):
    kind = source.randrange(6)
    if kind == 0:
        return source.randrange(-1000, 1000)
    if kind == 1:
        return source.choice([2**63, 2**63 - 1, -(2**63), 2**64 - 1, 2**64, 2**53 + 1]) + source.randrange(-2, 3)
    if kind == 2:
        return source.getrandbits(64)
    if kind == 3:
        return float.fromhex("0x1.%013xp%d" % (source.getrandbits(52), source.randrange(-1022, 1024)))
    if kind == 4:
        return round(source.uniform(-1000, 1000), source.randrange(0, 10))
    return source.choice([0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e22, 1e23, 0.1, 1 / 3])


def string(source):
    alphabets = ["abc", '"\\/\b\f\n\r\t', "\x00\x01\x1f\x7f", "éß€☹", "🎈𝄞\U0010ffff", "\u2028\ufeff\uffff"]
    return "".join(source.choice(source.choice(alphabets)) for _ in range(source.randrange(0, 40)))


def value(source, depth):
    kind = source.randrange(8 if depth > 0 else 5)
    if kind < 2:
        return number(source)
    if kind == 2:
        return string(source)
    if kind < 5:
        return source.choice([None, True, False])
    if kind < 7:
        return [value(source, depth - 1) for _ in range(source.randrange(0, 6))]
    return {string(source): value(source, depth - 1) for _ in range(source.choice([0, 1, 3, 12, 30]))}


def good(source):
    return json.dumps(
        value(source, source.randrange(0, 5)),
        ensure_ascii=source.random() < 0.5,
        indent=source.choice([None, None, 0, 1, "\t"]),
        separators=source.choice([None, (",", ":"), (" , ", " :\r\n")]),
    ).encode("utf-8")


def damaged(source, document):
    pieces = [b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\", b"\\u", b"d800", b"0", b"1", b"9", b".", b"e", b"E", b"+"]
    pieces += [b"-", b"t", b"true", b"null", b" ", b"\n", b"\x00", b"\x1f", b"\x7f", b"\x80", b"\xc3", b"\xff", b"NaN"]
    for _ in range(source.randrange(1, 4)):
        place = source.randrange(len(document) + 1)
        length = source.choice([0, 0, 1, 1, 2, 8])
        document = document[:place] + source.choice(pieces + [b""]) + document[place + length :]
    return document


def answers(convert, documents):
    given = b"".join(b"%d\n%s" % (len(document), document) for document in documents)
    out = subprocess.run([convert], input=given, stdout=subprocess.PIPE, check=True).stdout
    start = 0
    while start < len(out):
        end = out.index(b"\n", start)
        status, length = out[start:end].decode().split()
        start = end + 1 + int(length)
        yield status, out[end + 1 : start]


def double(source):
    """Returns a finite double of random bits, or one near a power of two, whose two neighbours are not equally far."""
    if source.randrange(4) == 0:
        return math.ldexp(1 + source.randrange(-2, 3) * 2.0**-53, source.randrange(-1074, 1024))
    while True:
        number = struct.unpack("<d", struct.pack("<Q", source.getrandbits(64)))[0]
        if math.isfinite(number):
            return number


def digits_differ(convert, source, count):
    """Yields the doubles that the library writes with other digits than repr()."""
    arrays = [[double(source) for _ in range(100)] for _ in range(count // 100)]
    documents = [json.dumps(array).encode() for array in arrays]
    for array, (_, text) in zip(arrays, answers(convert, documents), strict=True):
        written = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        yield from (one for one, other in zip(array, written, strict=True) if Decimal(repr(one)) != other)


def main():
    convert = sys.argv[1]
    source = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 8259)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    documents = [good(source) for _ in range(count)]
    documents += [damaged(source, source.choice(documents)) for _ in range(4 * count)]
    failed = 0
    for document, (status, text) in zip(documents, answers(convert, documents), strict=True):
        if not agree(document, status, text):
            failed += 1
            print(f"{document!r}\n  gave {status} {text!r}\n  expected {expected(document)}")
    for one in digits_differ(convert, source, 10 * count):
        failed += 1
        print(f"{one!r} was written with other digits")
    print(f"{len(documents) + 10 * count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
