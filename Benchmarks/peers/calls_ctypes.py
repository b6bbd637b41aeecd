"""Python's ctypes calling the functions of callee.h. usage: calls_ctypes.py CALLEE.so; prints "row nanoseconds"."""

import ctypes
import sys

from timing import report


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


library = ctypes.CDLL(sys.argv[1])
add, length_of, middle, apply = library.add, library.length_of, library.middle, library.apply
function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
add.argtypes, add.restype = [ctypes.c_int32, ctypes.c_int32], ctypes.c_int32
length_of.argtypes, length_of.restype = [Text], ctypes.c_uint64
middle.argtypes, middle.restype = [Point, Point], Point
apply.argtypes, apply.restype = [function, ctypes.c_int32], ctypes.c_int32

# Objects that a caller would reuse are created once.
text, here, there, same = Text(b"twelve bytes", 12), Point(0, 0), Point(2, 4), function(lambda number: number)
assert add(1, 2) == 3 and length_of(text) == 12 and middle(here, there).y == 2 and apply(same, 7) == 7
report("int", lambda: add(1, 2))
report("text", lambda: length_of(text))
report("struct", lambda: middle(here, there))
report("callback", lambda: apply(same, 7))
