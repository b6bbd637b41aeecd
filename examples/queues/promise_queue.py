"""Promises of libpromise.so for asyncio, on the completion queue alone: nothing calls into Python.

    async def main():
        async with Queue() as queue:
            await queue.sleep(0.01)
            print(await promise)

Other languages see None, bool, int, float, str, bytes, exceptions and promises; other objects raise TypeError, and so
does a value of another kind that is awaited. LIBPROMISE names the library; without it, the installed one is loaded.
Python 3.8 and newer. A call that fails raises MemoryError or Failed, and changes nothing.
"""

import asyncio
import ctypes
import itertools
import os
from ctypes import POINTER, Structure, Union, byref, c_bool, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32
from ctypes import c_uint64, c_void_p

VOID, BOOL, I64, U64, F64, STRING, BYTES, ERROR, DISCARDED, PROMISE = 1, 2, 3, 4, 5, 7, 8, 11, 12, 13
REJECTED, SETTLED, CALL = 3, 32, 33
ESETTLED, ENOMEM = -3, -7


class Content(Union):
    _fields_ = [("b", c_bool), ("i64", c_int64), ("u64", c_uint64), ("f64", c_double), ("ptr", c_void_p)]


class Value(Structure):
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("content", Content)]


class Event(Structure):
    _fields_ = [("kind", c_uint32), ("state", c_int32), ("tag", c_uint64), ("promise", c_void_p), ("value", Value),
                ("reserved", c_uint64)]


lib = ctypes.CDLL(os.environ.get("LIBPROMISE", "libpromise.so.1"))
for name, result, *arguments in (
    ("promise_new", c_void_p),
    ("promise_retain", c_int32, c_void_p),
    ("promise_release", c_int32, c_void_p),
    ("promise_seal", c_int32, c_void_p),
    ("promise_resolve", c_int32, c_void_p, POINTER(Value)),
    ("promise_reject", c_int32, c_void_p, POINTER(Value)),
    ("promise_discard", c_int32, c_void_p),
    ("promise_follow", c_int32, c_void_p, c_void_p),
    ("promise_sleep", c_void_p, c_int64),
    ("promise_last_status", c_int32),
    ("promise_status_name", c_char_p, c_int32),
    ("promise_value_string", c_int32, POINTER(Value), c_char_p, c_size_t),
    ("promise_value_bytes", c_int32, POINTER(Value), c_char_p, c_size_t),
    ("promise_value_error_sized", c_int32, POINTER(Value), c_char_p, c_size_t, c_int64, c_char_p, c_size_t),
    ("promise_value_describe", c_size_t, POINTER(Value), c_char_p, c_size_t),
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


class Discarded(Rejected):
    """Raised for a promise that was discarded."""


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

    Raises OverflowError for an integer that no kind of C can hold, TypeError for an object that none can."""
    value = Value(VOID)
    if isinstance(python, bool):
        value.kind, value.content.b = BOOL, python
    elif isinstance(python, int):
        if -(2**63) <= python < 2**63:
            value.kind, value.content.i64 = I64, python
        elif 0 <= python < 2**64:
            value.kind, value.content.u64 = U64, python
        else:
            raise OverflowError("the integer is outside -2**63 ... 2**64 - 1: pass it as a text")
    elif isinstance(python, float):
        value.kind, value.content.f64 = F64, python
    elif isinstance(python, str):
        text = python.encode()
        check(lib.promise_value_string(byref(value), text, len(text)))
    elif isinstance(python, bytes):
        check(lib.promise_value_bytes(byref(value), python, len(python)))
    elif isinstance(python, Promise):
        check(lib.promise_retain(python.handle))
        value.kind, value.content.ptr = PROMISE, python.handle
    elif isinstance(python, BaseException):
        text = text_of(python)
        lib.promise_value_error_sized(byref(value), b"python", 6, 1, text, len(text))
    elif python is not None:
        raise TypeError(f"no kind of C holds an object of the type {type(python).__name__}")
    return byref(value)


def text_of(error):
    """Returns the text of an exception as UTF-8, or the name of its class if it has no text."""
    try:
        text = str(error)
    except Exception:
        text = type(error).__name__
    return text.encode(errors="backslashreplace")


def load(value, queue):
    """Returns the Python object for a borrowed value."""
    if value.kind in (VOID, BOOL, I64, U64, F64):
        content = value.content
        return {BOOL: content.b, I64: content.i64, U64: content.u64, F64: content.f64}.get(value.kind)
    if value.kind in (STRING, BYTES, ERROR):
        length = c_size_t()
        data = lib.promise_value_data(byref(value), byref(length))
        data = ctypes.string_at(data, length.value) if length.value else b""
        return data if value.kind == BYTES else data.decode()
    if value.kind == PROMISE:
        check(lib.promise_retain(value.content.ptr))
        return Promise(queue, value.content.ptr)
    text = ctypes.create_string_buffer(256)
    lib.promise_value_describe(byref(value), text, 255)
    raise TypeError(f"no Python object for {text.value.decode()}")


def rejection(value, queue):
    """Returns the exception for a borrowed reason."""
    if value.kind == DISCARDED:
        return Discarded("the promise was discarded")
    try:
        return Rejected(load(value, queue))
    except TypeError as unknown:
        return Rejected(str(unknown))


class Promise:
    """A reference to a promise."""

    def __init__(self, queue, handle):
        self.queue, self.handle = queue, handle
        # The reference must not count as interest: until it is collected it would hold back requests to cancel.
        lib.promise_seal(handle)

    def __del__(self):
        lib.promise_release(self.handle)

    def __reduce__(self):
        raise TypeError("a Promise cannot be copied: it owns one reference")

    def resolve(self, value=None):
        """Settles the promise; returns False if it is settled. A call of then() that is not due yet is dropped."""
        return settled(lib.promise_resolve(self.handle, store(value)))

    def reject(self, error):
        return settled(lib.promise_reject(self.handle, store(error)))

    def then(self, body):
        """Calls `body` with the value once the promise is fulfilled. Returns a promise that ends as that call does; if
        it returns a promise, as that one does. A rejection passes through unchanged."""
        queue, tag = self.queue, next(self.queue.tags)
        call = queue.waiting[tag] = Call(body)
        try:
            call.derived = Promise(queue, made(lib.promise_queue_then(queue.handle, self.handle, tag)))
        except BaseException:
            queue.waiting.pop(tag, None)
            raise
        if call.is_lost:
            call.lose()
        return call.derived

    def __await__(self):
        return self.queue.future(self).__await__()


class Call:
    """A function of then(), until its event is taken; if then() runs on another thread, perhaps before it returns."""

    def __init__(self, body):
        self.body, self.derived, self.is_lost = body, None, False

    def lose(self):
        """The function will never be called: the source was destroyed while pending, or the promise is settled."""
        self.is_lost = True
        if self.derived:
            lib.promise_discard(self.derived.handle)


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

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    def close(self):
        """Closes the queue: no event comes afterwards, and coroutines that await one get PROMISE_ECLOSED."""
        if self.descriptor is None:
            return
        self.loop.remove_reader(self.descriptor)
        self.descriptor = None
        lib.promise_queue_free(self.handle)
        waiting, self.waiting = self.waiting, {}
        for what in waiting.values():
            if isinstance(what, Call):
                what.lose()  # its DROPPED may be lost; ignored if the queue has rejected the promise
            elif not what.done():
                what.set_exception(Failed("PROMISE_ECLOSED"))

    def promise(self):
        return Promise(self, made(lib.promise_new()))

    def sleep(self, seconds):
        return Promise(self, made(lib.promise_sleep(int(min(max(0, seconds * 1e9), 2**63 - 1)))))

    def future(self, promise):
        """Returns an asyncio future with the promise's outcome; cancelling the future ends the watch."""
        tag = next(self.tags)
        future = self.waiting[tag] = self.loop.create_future()
        try:
            check(lib.promise_queue_watch(self.handle, promise.handle, tag))
        except BaseException:
            del self.waiting[tag]
            raise
        future.add_done_callback(lambda done: done.cancelled() and self.forget(tag))
        return future

    def forget(self, tag):
        if lib.promise_queue_unwatch(self.handle, tag) > 0:
            del self.waiting[tag]

    def take(self):
        """Takes events and runs their handlers. Events that are left make the descriptor readable again.

        An exception does not stop the others: the first one is raised in the end."""
        failure = None
        for place in range(lib.promise_queue_take(self.handle, self.events, self.ROOM, 0)):
            event = self.events[place]
            try:
                self.dispatch(event, self.waiting.pop(event.tag, None))
            except BaseException as error:
                failure = error if failure is None else failure
            lib.promise_value_release(byref(event.value))
            if event.promise:
                lib.promise_release(event.promise)
        if failure is not None:
            raise failure

    def dispatch(self, event, what):
        """Runs the handler of an event. `what` is None if a handler of the same batch closed the queue."""
        if event.kind == CALL and what:
            self.answer(event, what.body)
        elif event.kind == CALL:
            lib.promise_discard(event.promise)
        elif isinstance(what, Call):
            what.lose()
        elif what and not what.done():
            try:
                if event.kind != SETTLED or event.state == REJECTED:
                    raise rejection(event.value, self)
                what.set_result(load(event.value, self))
            except Exception as error:
                what.set_exception(error)

    def answer(self, event, body):
        """Settles the promise of a CALL."""
        if event.state == REJECTED:
            # Passes on the reason itself, with its domain, code and cause. The call takes it over.
            reason, event.value = Value.from_buffer_copy(event.value), Value(VOID)
            settled(lib.promise_reject(event.promise, byref(reason)))
            return
        try:
            result = body(load(event.value, self))
            if isinstance(result, Promise):
                settled(lib.promise_follow(event.promise, result.handle))
            else:
                settled(lib.promise_resolve(event.promise, store(result)))
        except BaseException as error:
            settled(lib.promise_reject(event.promise, store(error)))
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
