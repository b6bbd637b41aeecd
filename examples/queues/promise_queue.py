"""Promises of libpromise.so for asyncio, on the completion queue alone: nothing calls into Python.

    async def main():
        queue = Queue()
        await queue.sleep(0.01)
        print(await promise)

LIBPROMISE names the library; without it, the installed one is loaded. Python 3.8 and newer. A call that fails raises
MemoryError or Failed, and changes nothing.
"""

import asyncio
import ctypes
import itertools
import os
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64
from ctypes import c_void_p

VOID, I64, U64, F64, STRING, ERROR = 1, 3, 4, 5, 7, 11
REJECTED, SETTLED, CALL = 3, 32, 33
ESETTLED, ENOMEM = -3, -7


class Content(Union):
    _fields_ = [("i64", c_int64), ("u64", c_uint64), ("f64", c_double), ("ptr", c_void_p)]


class Value(Structure):
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("content", Content)]


class Event(Structure):
    _fields_ = [("kind", c_uint32), ("state", c_int32), ("tag", c_uint64), ("promise", c_void_p), ("value", Value),
                ("reserved", c_uint64)]


lib = ctypes.CDLL(os.environ.get("LIBPROMISE", "libpromise.so.1"))
for name, result, *arguments in (
    ("promise_new", c_void_p),
    ("promise_release", c_int32, c_void_p),
    ("promise_resolve", c_int32, c_void_p, POINTER(Value)),
    ("promise_reject", c_int32, c_void_p, POINTER(Value)),
    ("promise_discard", c_int32, c_void_p),
    ("promise_sleep", c_void_p, c_int64),
    ("promise_last_status", c_int32),
    ("promise_status_name", c_char_p, c_int32),
    ("promise_value_string", c_int32, POINTER(Value), c_char_p, c_size_t),
    ("promise_value_error", c_int32, POINTER(Value), c_char_p, c_int64, c_char_p),
    ("promise_value_release", c_int32, POINTER(Value)),
    ("promise_value_data", c_void_p, POINTER(Value), POINTER(c_size_t)),
    ("promise_queue_new", c_void_p),
    ("promise_queue_fd", c_int32, c_void_p),
    ("promise_queue_watch", c_int32, c_void_p, c_void_p, c_uint64),
    ("promise_queue_unwatch", c_int64, c_void_p, c_uint64),
    ("promise_queue_then", c_void_p, c_void_p, c_void_p, c_uint64),
    ("promise_queue_take", c_int64, c_void_p, POINTER(Event), c_size_t, c_int64),
    ("promise_queue_free", c_int32, c_void_p),
):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


class Rejected(Exception):
    """Raised for a rejected promise, with its reason."""


class Failed(Exception):
    """A call of the library failed; the text is the name of its status."""


def check(status):
    if status < 0:
        raise (MemoryError if status == ENOMEM else Failed)(lib.promise_status_name(status).decode())
    return status


def settled(status):
    return status != ESETTLED and check(status) == 0


def made(handle):
    if handle is None:
        check(lib.promise_last_status())
    return handle


def store(python):
    """Returns a value for C, with a reference for the caller. An error for which there is no memory becomes a VOID.

    Raises OverflowError for an integer that no kind of C can hold."""
    value = Value(VOID)
    if isinstance(python, int):
        if -(2**63) <= python < 2**63:
            value.kind, value.content.i64 = I64, python
        elif 0 <= python < 2**64:
            value.kind, value.content.u64 = U64, python
        else:
            raise OverflowError("the integer is outside -2**63 ... 2**64 - 1: pass it as a text")
    elif isinstance(python, float):
        value.kind, value.content.f64 = F64, python
    elif isinstance(python, BaseException):
        lib.promise_value_error(byref(value), b"python", 1, str(python).encode())
    elif python is not None:
        text = str(python).encode()
        check(lib.promise_value_string(byref(value), text, len(text)))
    return byref(value)


def load(value):
    """Returns the Python object for a taken value, and releases the value."""
    if value.kind == I64:
        return value.content.i64
    if value.kind == U64:
        return value.content.u64
    if value.kind == F64:
        return value.content.f64
    text = None
    if value.kind in (STRING, ERROR):
        length = c_size_t()
        data = lib.promise_value_data(byref(value), byref(length))
        text = ctypes.string_at(data, length.value).decode()
    lib.promise_value_release(byref(value))
    return text


class Promise:
    """A reference to a promise."""

    def __init__(self, queue, handle):
        self.queue, self.handle = queue, handle

    def __del__(self):
        lib.promise_release(self.handle)

    def resolve(self, value=None):
        """Settles the promise; returns False if it is settled. A call of then() that is not due yet is dropped."""
        return settled(lib.promise_resolve(self.handle, store(value)))

    def reject(self, error):
        return settled(lib.promise_reject(self.handle, store(error)))

    def then(self, body):
        """Calls `body` with the value once the promise is fulfilled. Returns a promise that ends as that call does."""
        tag = next(self.queue.tags)
        derived = Promise(self.queue, made(lib.promise_queue_then(self.queue.handle, self.handle, tag)))
        self.queue.waiting[tag] = derived, body
        return derived

    def __await__(self):
        return self.queue.future(self).__await__()


class Queue:
    """A completion queue in the running asyncio loop."""

    ROOM = 64

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.events = (Event * self.ROOM)()
        self.waiting, self.tags = {}, itertools.count(1)
        self.handle = made(lib.promise_queue_new())
        try:
            self.descriptor = check(lib.promise_queue_fd(self.handle))
            self.loop.add_reader(self.descriptor, self.take)
        except BaseException:
            lib.promise_queue_free(self.handle)
            raise

    def close(self):
        """Closes the queue: no event comes afterwards."""
        self.loop.remove_reader(self.descriptor)
        lib.promise_queue_free(self.handle)

    def promise(self):
        return Promise(self, made(lib.promise_new()))

    def sleep(self, seconds):
        return Promise(self, made(lib.promise_sleep(int(seconds * 1e9))))

    def future(self, promise):
        """Returns an asyncio future with the promise's outcome; cancelling the future ends the watch."""
        tag = next(self.tags)
        check(lib.promise_queue_watch(self.handle, promise.handle, tag))
        future = self.waiting[tag] = self.loop.create_future()
        future.add_done_callback(lambda done: done.cancelled() and self.forget(tag))
        return future

    def forget(self, tag):
        if lib.promise_queue_unwatch(self.handle, tag) > 0:
            del self.waiting[tag]

    def take(self):
        """Takes events and runs their handlers. Events that are left make the descriptor readable again."""
        for place in range(lib.promise_queue_take(self.handle, self.events, self.ROOM, 0)):
            event = self.events[place]
            what, value = self.waiting.pop(event.tag), load(event.value)
            if event.kind == CALL:
                lib.promise_release(event.promise)
                self.answer(*what, event.state == REJECTED, value)
            elif isinstance(what, tuple):
                # The function will never be called: the source was destroyed while pending, or the promise is settled.
                lib.promise_discard(what[0].handle)
            elif not what.done():
                if event.kind == SETTLED and event.state != REJECTED:
                    what.set_result(value)
                else:
                    what.set_exception(Rejected(value))

    @staticmethod
    def answer(promise, body, rejected, value):
        try:
            if rejected:
                raise Rejected(value)
            promise.resolve(body(value))
        except Exception as error:
            promise.reject(error)
