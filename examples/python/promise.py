"""Promises of libpromise.so for Python, over ctypes alone.

    answer = Promise()
    twice = answer.then(lambda number: number * 2)
    answer.resolve(21)
    twice.value()                                   # 42

A handler returns the value of the promise that then() or rescue() returned, or a Promise for that promise to follow;
or it raises the reason of the rejection. Any Python object can be a value or a reason. Other languages see None, bool,
int, float, str, bytes, Error and Promise as values of these kinds, and everything else as an object whose type is named
after its class. Their arrays and maps become lists and dicts. In a coroutine of asyncio, `await answer`.

Handlers run on the thread that settles the promise, which may be a thread of the library, or on an executor. When the
interpreter ends, handlers that have not begun are detached, and running handlers are awaited. The module may be
imported more than once, and be collected. Callbacks of ctypes enter the main interpreter, so attach handlers in that
one only. An object of another interpreter is a Foreign.

libpromise.py finds and declares the library, held.py keeps the objects that C refers to, kept.py values of C.
"""

import asyncio
import contextlib
import ctypes
import inspect
import time
import traceback

from held import LET_GO, held, holder, of_c
from kept import Discarded, Error, Foreign, Kept, keeping, kept
from libpromise import Context, Handler, Kind, Reaction, State, Status, StatusError, Value, Verdict
from libpromise import check, lib, made

__all__ = ["Discarded", "Error", "Foreign", "Promise", "Rejected", "StatusError", "awaitable", "held", "type_of"]


@of_c(Context)
def _on_discard(context):
    holder.begin(context).functions[0]()


def _answer(context, value, out, rejected):
    try:
        attached = holder.begin(context)
        on_fulfilled, on_rejected, class_ = attached.functions
        attached.functions = ()
        thing = _to_python(value)
        if rejected and not isinstance(thing, class_):
            Kept(value).store(out)
            return Verdict.REJECT
        result = on_rejected(thing) if rejected else on_fulfilled(thing)
        _to_c(result, out)
        return Verdict.ADOPT if isinstance(result, Promise) else Verdict.FULFILL
    except BaseException as error:  # an exception must not cross into C: it becomes the reason
        try:
            _to_c(error.with_traceback(None), out)
        except BaseException as unfit:  # such as an Error whose code is too large
            with contextlib.suppress(BaseException):  # no memory for the reason: it is a VOID
                _to_c(unfit.with_traceback(None), out)
        return Verdict.REJECT


@of_c(Handler)
def _on_fulfilled(context, value, out):
    return _answer(context, value, out, False)


@of_c(Handler)
def _on_rejected(context, reason, out):
    return _answer(context, reason, out, True)


def type_of(class_):
    """Returns the promise type of a class, by the name in its attribute `promise_type`, or `python.` and its full name.

    No other language may register that name, because it could not read the object."""
    built_in = {Error: b"error", Discarded: b"discarded", str: b"string", bytes: b"bytes"}.get(class_)
    if built_in:
        return lib.promise_type_named(built_in)
    type_ = holder.types.get(class_)
    if not type_:
        parent = None if class_.__base__ in (object, None) else type_of(class_.__base__)
        name = class_.__dict__.get("promise_type", f"python.{class_.__module__}.{class_.__qualname__}")
        type_ = made(lib.promise_type_register(name.encode(), parent, Context()))
        holder.known.add(type_)
        holder.types[class_] = type_
    return type_


def _to_c(thing, out):
    """Writes a value to `*out`, which the caller must release or pass to a function that takes it over."""
    out[0].reserved = 0
    if thing is None:
        out[0].kind = Kind.VOID
    elif isinstance(thing, bool):
        out[0].kind, out[0].content.b = Kind.BOOL, thing
    elif isinstance(thing, int) and -(2**63) <= thing < 2**63:
        out[0].kind, out[0].content.i64 = Kind.I64, thing
    elif isinstance(thing, int) and 0 <= thing < 2**64:
        out[0].kind, out[0].content.u64 = Kind.U64, thing
    elif isinstance(thing, float):
        out[0].kind, out[0].content.f64 = Kind.F64, thing
    elif isinstance(thing, str):
        text = thing.encode()
        check(lib.promise_value_string(out, text, len(text)))
    elif isinstance(thing, bytes):
        check(lib.promise_value_bytes(out, thing, len(thing)))
    elif isinstance(thing, Promise):
        check(lib.promise_retain(thing.token))
        out[0].kind, out[0].content.ptr = Kind.PROMISE, thing.token
    elif kept(thing):
        kept(thing).store(out)
    elif type(thing) is Error:
        if not -(2**63) <= thing.code < 2**63:
            raise OverflowError("the code of an Error is outside -2**63 ... 2**63 - 1")
        domain, message = (text.encode(errors="backslashreplace") for text in (thing.domain, thing.message))
        check(lib.promise_value_error_sized(out, domain, len(domain), thing.code, message, len(message)))
    elif type(thing) is Discarded:
        out[0].kind = Kind.DISCARDED
    else:
        holder.forget()
        type_, number = type_of(type(thing)), next(holder.numbers)
        holder.objects[number] = thing
        status = lib.promise_queue_object(holder.queue, out, type_, number)
        if status < 0:
            del holder.objects[number]
            raise StatusError(status)


def _bytes(function, *arguments):
    """Returns bytes at the address that the function returns; it stores their length by its last argument."""
    length = ctypes.c_size_t()
    address = function(*arguments, ctypes.byref(length))
    return ctypes.string_at(address, length.value) if length.value else b""


def _to_python(value):
    """Returns the Python object for a borrowed value."""
    kind, content = value[0].kind, value[0].content
    if kind == Kind.ARRAY:
        return [_to_python(lib.promise_value_at(value, place)) for place in range(lib.promise_value_count(value))]
    if kind == Kind.MAP:
        places = range(lib.promise_value_count(value))
        keys = [_bytes(lib.promise_value_key, value, place).decode() for place in places]
        return {key: _to_python(lib.promise_value_at(value, place)) for key, place in zip(keys, places)}
    if kind in (Kind.STRING, Kind.BYTES, Kind.ERROR):
        data = _bytes(lib.promise_value_data, value)
        if kind == Kind.BYTES:
            return data
        if kind == Kind.STRING:
            return data.decode()
        thing = Error(lib.promise_value_domain(value).decode(), lib.promise_value_code(value), data.decode())
        return keeping(thing, value)
    if kind == Kind.OBJECT:
        type_ = lib.promise_value_type(value)
        if type_ in holder.known and content.ptr in holder.objects:
            return holder.objects[content.ptr]
        return keeping(Foreign(lib.promise_type_name(type_).decode(), content.ptr), value)
    if kind == Kind.PROMISE:
        check(lib.promise_retain(content.ptr))
        return Promise(token=content.ptr)
    if kind == Kind.DISCARDED:
        return keeping(Discarded(), value)
    numbers = {Kind.BOOL: bool(content.b), Kind.I64: content.i64, Kind.U64: content.u64, Kind.F64: content.f64}
    return numbers.get(kind, content.ptr if kind == Kind.POINTER else None)


def _raised(reason):
    """Returns the exception to raise for a reason: a copy, if the reason is an exception.

    C may keep the original for the life of the process. If that were raised, its traceback would keep the frames that
    it passed and the values of their variables, often the promise itself: a cycle that no collector finds, because it
    leads through C."""
    if not isinstance(reason, BaseException):
        return Rejected(reason)
    class_ = type(reason)
    try:
        copy = class_.__new__(class_, *reason.args)
        if type(copy) is not class_:
            return reason
        copy.args = reason.args
        copy.__dict__.update(reason.__dict__)
        copy.__cause__, copy.__context__ = reason.__cause__, reason.__context__
        for base in class_.__mro__:
            for name in filter(lambda name: inspect.ismemberdescriptor(vars(base)[name]), vars(base)):
                with contextlib.suppress(Exception):  # unset, or read-only
                    value = getattr(reason, name)
                    if value is not getattr(copy, name, None):
                        setattr(copy, name, value)
    except Exception:
        return reason  # the class cannot be copied from outside
    return copy


def awaitable(reason):
    """Returns the exception to raise for a reason by a future, which refuses a StopIteration."""
    error = _raised(reason)
    if not isinstance(error, StopIteration):
        return error
    refused = RuntimeError("the promise was rejected with StopIteration")
    refused.__cause__ = error
    return refused


class Promise:
    """A reference to a promise, released by release() or when this object is collected."""

    def __init__(self, on_discard=None, *, token=None):
        """Makes a pending promise; `on_discard()` is called if it is discarded. `token`: a reference to take over."""
        self.token = None
        if token is None and on_discard:
            new = lib.promise_new_discardable
            token = holder.attach(lambda context: new(_on_discard, context, LET_GO), (on_discard,), False)
        elif token is None:
            token = lib.promise_new_discardable(Context(), None, Context())
        self.token, self._owned = made(token), True
        # The reference must not count as interest: until it is collected it would hold back requests to cancel.
        lib.promise_seal(token)

    def __copy__(self):
        check(lib.promise_retain(self.token))
        return Promise(token=self.token)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        raise TypeError("a Promise belongs to its process: it cannot be pickled")

    def __del__(self):
        if self.token and self._owned:
            self.release()

    def release(self):
        """Releases the reference; do not use the promise afterwards. Returns a Status."""
        self._owned = False
        status = Status(lib.promise_release(self.token))
        holder.forget()
        return status

    def _settle(self, function, thing):
        value = (Value * 1)()
        _to_c(thing, value)
        status = Status(function(self.token, value))
        holder.forget()
        return status if status == Status.PROMISE_ESETTLED else Status(check(status))

    def resolve(self, value=None):
        """Fulfils the promise, and runs its handlers. Returns PROMISE_OK, or PROMISE_ESETTLED if it was settled."""
        return self._settle(lib.promise_resolve, value)

    def reject(self, reason):
        """Rejects the promise; otherwise as resolve()."""
        return self._settle(lib.promise_reject, reason)

    def discard(self):
        """Rejects the promise with Discarded, after which `on_discard` runs; returns as resolve()."""
        status = Status(lib.promise_discard(self.token))
        holder.forget()
        return status if status == Status.PROMISE_ESETTLED else Status(check(status))

    def _react(self, on_fulfilled, on_rejected, executor, class_=object):
        reaction = Reaction(size=ctypes.sizeof(Reaction), executor=executor, free_ctx=LET_GO)
        if on_fulfilled:
            reaction.on_fulfilled = _on_fulfilled
        if on_rejected:
            reaction.on_rejected = _on_rejected

        def react(context):
            reaction.ctx = context
            return lib.promise_react(self.token, reaction)

        return Promise(token=holder.attach(react, (on_fulfilled, on_rejected, class_), True))

    # An executor is a handle of libpromise: the handler runs there. None: it runs on the settling thread.

    def then(self, handler, *, executor=None):
        """Returns the promise of the result of `handler(value)`; a rejection passes through."""
        return self._react(handler, None, executor)

    def rescue(self, handler, class_=object, *, executor=None):
        """Returns the promise of the result of `handler(reason)` for reasons of that class, or of one of a tuple of
        classes; other outcomes pass through unchanged."""
        return self._react(None, handler, executor, class_)

    def observe(self, on_fulfilled=None, on_rejected=None, *, executor=None):
        """Calls one of the functions with the value or the reason. An exception is printed."""

        def observing(function):
            def call(thing):
                try:
                    function(thing)
                except Exception:
                    traceback.print_exc()

            return call if function else None

        self._react(observing(on_fulfilled), observing(on_rejected), executor)

    @property
    def state(self):
        return State(check(lib.promise_state(self.token)))

    def result(self):
        """Returns the value or the reason; raises StatusError with PROMISE_EPENDING while the promise is pending."""
        value = (Value * 1)()
        check(lib.promise_result(self.token, value))
        try:
            return _to_python(value)
        finally:
            lib.promise_value_release(value)

    def wait(self, seconds=None):
        """Waits for the settlement. Returns PROMISE_OK or PROMISE_ETIMEDOUT. Other threads of Python run meanwhile, and
        handlers of signals on the main thread: Ctrl-C raises KeyboardInterrupt."""
        end = None if seconds is None else time.monotonic() + seconds
        status = Status.PROMISE_EINTR
        while status == Status.PROMISE_EINTR:  # Python runs the handler of the signal here
            left = None if end is None else end - time.monotonic()
            # In steps: a signal between Python's check and the sleep in C does not end that sleep.
            step = 1 if left is None else min(left, 1)
            status = Status(lib.promise_wait_interruptible(self.token, int(max(0, step) * 1e9)))
            if status == Status.PROMISE_ETIMEDOUT and step != left:
                status = Status.PROMISE_EINTR
        return status if status == Status.PROMISE_ETIMEDOUT else Status(check(status))

    def value(self, seconds=None):
        """Waits for the value and returns it; raises the reason of a rejection, a copy if it is an exception."""
        if self.wait(seconds) == Status.PROMISE_ETIMEDOUT:
            raise TimeoutError(f"not settled within {seconds} seconds")
        result = self.result()
        if self.state == State.FULFILLED:
            return result
        try:
            raise _raised(result)
        finally:
            del self, result  # this frame is in the traceback

    def _future(self):
        """Returns a future of the running loop with the outcome, and the promise to discard to give it up."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(end, thing):
            if not future.done():
                end(thing)

        # The handlers run on the thread that settles the promise, the future's callbacks on the thread of the loop.
        def succeed(value):
            loop.call_soon_threadsafe(settle, future.set_result, value)

        def fail(reason):
            loop.call_soon_threadsafe(settle, future.set_exception, awaitable(reason))

        fulfilled = self.then(succeed)
        fulfilled.rescue(fail)
        return future, fulfilled

    def __await__(self):
        """Suspends the coroutine until the promise is settled; otherwise as value(). Other coroutines run meanwhile."""
        future, fulfilled = self._future()
        try:
            return (yield from future)
        finally:
            # Detaches the handlers of a coroutine that was cancelled; ignored once the promise is settled.
            fulfilled.discard()
            del self, future, fulfilled  # this frame is in the traceback of a rejection


class Rejected(Exception):
    """Raised by value() if the reason of a rejection is not an exception; `reason` is the reason."""

    def __init__(self, reason):
        self.reason = reason
        super().__init__(repr(reason))
