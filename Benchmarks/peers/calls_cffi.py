"""Python's cffi calling the functions of callee.h. usage: calls_cffi.py CALLEE.so; prints "row nanoseconds"."""

import sys

import cffi

from timing import report

ffi = cffi.FFI()
ffi.cdef("""
    typedef struct { const char *data; size_t length; } text_t;
    typedef struct { double x, y; } point_t;
    int32_t add(int32_t left, int32_t right);
    uint64_t length_of(text_t text);
    point_t middle(point_t from, point_t to);
    int32_t apply(int32_t (*function)(int32_t), int32_t number);
""")
library = ffi.dlopen(sys.argv[1])
add, length_of, middle, apply = library.add, library.length_of, library.middle, library.apply

# Objects that a caller would reuse are created once.
data = ffi.new("char[]", b"twelve bytes")
text = ffi.new("text_t *", [data, 12])[0]
here, there = ffi.new("point_t *", [0, 0])[0], ffi.new("point_t *", [2, 4])[0]
same = ffi.callback("int32_t(int32_t)", lambda number: number)
assert add(1, 2) == 3 and length_of(text) == 12 and middle(here, there).y == 2 and apply(same, 7) == 7
report("int", lambda: add(1, 2))
report("text", lambda: length_of(text))
report("struct", lambda: middle(here, there))
report("callback", lambda: apply(same, 7))
