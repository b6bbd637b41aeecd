"""libpromise.so for ctypes: its structures, constants and functions, as include/promise.h declares them.

`lib` is the library that the environment variable LIBPROMISE names, or else the installed one.
"""

import ctypes
import ctypes.util
import enum
import os
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int32, c_int64
from ctypes import c_size_t, c_uint32, c_uint64, c_uint8, c_void_p

ABI = 1


class Content(ctypes.Union):
    _fields_ = [("b", c_uint8), ("i64", c_int64), ("u64", c_uint64), ("f64", c_double), ("ptr", c_void_p)]


class Value(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("content", Content)]


class Kind(enum.IntEnum):
    VOID, BOOL, I64, U64, F64, POINTER, STRING, BYTES, ARRAY, MAP, ERROR, DISCARDED, PROMISE, OBJECT = range(1, 15)


class Status(enum.IntEnum):
    PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE, PROMISE_ESETTLED = 0, -1, -2, -3
    PROMISE_EPENDING, PROMISE_ETIMEDOUT, PROMISE_EDEADLK, PROMISE_ENOMEM, PROMISE_ECLOSED = -4, -5, -6, -7, -8
    PROMISE_EFULL, PROMISE_EFINISHED, PROMISE_EINTR, PROMISE_EBUSY = -9, -10, -11, -12


class StatusError(Exception):
    """Raised when a call of the library returns an error."""

    def __init__(self, status):
        self.status = Status(status)
        super().__init__(self.status.name)


def check(status):
    if status < 0:
        raise StatusError(status)
    return status


def made(handle):
    """Returns the handle; raises StatusError if the call returned NULL."""
    if not handle:
        raise StatusError(lib.promise_last_status())
    return handle


class State(enum.IntEnum):
    PENDING, FULFILLED, REJECTED = 1, 2, 3


class Verdict(enum.IntEnum):
    FULFILL, REJECT, ADOPT = 16, 17, 18


class Event(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("state", c_int32), ("tag", c_uint64), ("promise", c_void_p)]
    _fields_ += [("value", Value), ("reserved", c_uint64)]


Handler = CFUNCTYPE(c_int32, c_void_p, POINTER(Value), POINTER(Value))
Context = CFUNCTYPE(None, c_void_p)


class Reaction(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("executor", c_void_p), ("token", c_void_p)]
    _fields_ += [("on_fulfilled", Handler), ("on_rejected", Handler), ("type", c_void_p)]
    _fields_ += [("ctx", c_void_p), ("free_ctx", Context)]


_FUNCTIONS = {
    "promise_last_status": (c_int32,),
    "promise_new_discardable": (c_void_p, Context, c_void_p, Context),
    "promise_retain": (c_int32, c_void_p),
    "promise_release": (c_int32, c_void_p),
    "promise_resolve": (c_int32, c_void_p, POINTER(Value)),
    "promise_reject": (c_int32, c_void_p, POINTER(Value)),
    "promise_discard": (c_int32, c_void_p),
    "promise_state": (c_int32, c_void_p),
    "promise_result": (c_int32, c_void_p, POINTER(Value)),
    "promise_wait_interruptible": (c_int32, c_void_p, c_int64),
    "promise_seal": (c_int32, c_void_p),
    "promise_sleep": (c_void_p, c_int64),
    "promise_react": (c_void_p, c_void_p, POINTER(Reaction)),
    "promise_queue_new": (c_void_p,),
    "promise_queue_object": (c_int32, c_void_p, POINTER(Value), c_void_p, c_uint64),
    "promise_queue_take": (c_int64, c_void_p, POINTER(Event), c_size_t, c_int64),
    "promise_queue_free": (c_int32, c_void_p),
    "promise_value_retain": (c_int32, POINTER(Value)),
    "promise_value_release": (c_int32, POINTER(Value)),
    "promise_value_string": (c_int32, POINTER(Value), c_char_p, c_size_t),
    "promise_value_bytes": (c_int32, POINTER(Value), c_char_p, c_size_t),
    "promise_value_error_sized": (c_int32, POINTER(Value), c_char_p, c_size_t, c_int64, c_char_p, c_size_t),
    "promise_value_object": (c_int32, POINTER(Value), c_void_p, c_void_p),
    "promise_value_count": (c_size_t, POINTER(Value)),
    "promise_value_at": (POINTER(Value), POINTER(Value), c_size_t),
    "promise_value_key": (c_void_p, POINTER(Value), c_size_t, POINTER(c_size_t)),
    "promise_value_from_json": (c_int32, POINTER(Value), c_char_p, c_size_t, c_void_p, c_void_p),
    "promise_value_data": (c_void_p, POINTER(Value), POINTER(c_size_t)),
    "promise_value_domain": (c_char_p, POINTER(Value)),
    "promise_value_code": (c_int64, POINTER(Value)),
    "promise_value_type": (c_void_p, POINTER(Value)),
    "promise_type_register": (c_void_p, c_char_p, c_void_p, Context),
    "promise_type_named": (c_void_p, c_char_p),
    "promise_type_name": (c_char_p, c_void_p),
}


def _load():
    path = os.environ.get("LIBPROMISE") or ctypes.util.find_library("promise") or "libpromise.so.1"
    library = ctypes.CDLL(path)
    library.promise_abi_version.restype = c_uint32
    version = library.promise_abi_version()
    if version < ABI:
        raise ImportError(f"{path} has version {version} of the promise ABI: expected {ABI} or later")
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()
