"""Python's ctypes settling promises one call at a time, and all in one.

usage: many_ctypes.py LIBPROMISE.so; prints the
nanoseconds that one promise takes each way, median of interleaved rounds, and the ratio."""

import ctypes
import sys
from array import array
from statistics import median
from time import perf_counter_ns

COUNT, ROUNDS = 1000, 200


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("i64", ctypes.c_int64)]


I64 = 3
library = ctypes.CDLL(sys.argv[1])
new, resolve, resolve_many = library.promise_new, library.promise_resolve, library.promise_resolve_many
release, state = library.promise_release, library.promise_state
new.argtypes, new.restype = [], ctypes.c_void_p
resolve.argtypes = [ctypes.c_void_p, ctypes.POINTER(Value)]
resolve_many.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
release.argtypes = state.argtypes = [ctypes.c_void_p]


def one_by_one(promises):
    value = Value(I64)
    for index, promise in enumerate(promises):
        value.i64 = index
        resolve(promise, value)


def all_in_one(promises):
    # A value is two words: its kind, and its number. Arrays of words are filled without an object for each.
    handles, values = array("Q", promises), array("q", [I64]) * (2 * COUNT)
    values[1::2] = array("q", range(COUNT))
    resolve_many(handles.buffer_info()[0], values.buffer_info()[0], COUNT, None)


times = {one_by_one: [], all_in_one: []}
for _ in range(ROUNDS):
    for way, taken in times.items():
        promises = [new() for _ in range(COUNT)]
        before = perf_counter_ns()
        way(promises)
        taken.append((perf_counter_ns() - before) / COUNT)
        assert state(promises[-1]) == 2
        for promise in promises:
            release(promise)

one, many = median(times[one_by_one]), median(times[all_in_one])
print(f"one_by_one {one:.1f}\nall_in_one {many:.1f}\nratio {many / one:.2f}")
