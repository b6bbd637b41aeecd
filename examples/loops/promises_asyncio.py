"""Promises in asyncio's loop: callbacks run on its thread, and a promise can be awaited.

Uses examples/python/libpromise.py, which must be where Python looks for modules (PYTHONPATH).
"""

import asyncio
import ctypes
from ctypes import POINTER, c_bool, c_int32, c_int64, c_uint32, c_void_p

from libpromise import Context, Handler, Kind, Value, Verdict, check, lib, made


class Reaction(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("executor", c_void_p),
        ("token", c_void_p),
        ("on_fulfilled", Handler),
        ("on_rejected", Handler),
        ("type", c_void_p),
        ("ctx", c_void_p),
        ("free_ctx", Context),
    ]


for name, (result, *arguments) in {
    "promise_react": (c_void_p, c_void_p, POINTER(Reaction)),
    "promise_executor_global": (c_void_p, c_uint32),
    "promise_executor_is_current": (c_int32, c_void_p),
    "promise_executor_release": (c_int32, c_void_p),
    "promise_loop_new": (c_void_p,),
    "promise_loop_fd": (c_int32, c_void_p),
    "promise_loop_executor": (c_void_p, c_void_p),
    "promise_loop_run_once": (c_int64, c_void_p),
    "promise_loop_release": (c_int32, c_void_p),
    "promise_sleep_on": (c_void_p, c_void_p, c_int64),
}.items():
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


class PromiseLoop:
    """A loop of promises that runs within asyncio's loop."""

    def __init__(self):
        self.asyncio = asyncio.get_running_loop()
        self.loop = made(lib.promise_loop_new())
        self.executor = made(lib.promise_loop_executor(self.loop))
        self.handlers = []  # kept as long as C may call them
        self.asyncio.add_reader(check(lib.promise_loop_fd(self.loop)), lib.promise_loop_run_once, self.loop)

    def close(self):
        self.asyncio.remove_reader(lib.promise_loop_fd(self.loop))
        lib.promise_executor_release(self.executor)
        lib.promise_loop_release(self.loop)

    def react(self, promise, handler, executor):
        """Returns a promise that `handler` settles on the executor. Takes over `promise`."""
        handler = Handler(handler)
        self.handlers.append(handler)
        reaction = Reaction(
            size=ctypes.sizeof(Reaction), executor=executor, on_fulfilled=handler, on_rejected=handler
        )
        derived = lib.promise_react(promise, ctypes.byref(reaction))
        lib.promise_release(promise)
        return made(derived)

    async def value(self, promise):
        """Waits for a promise of an I64 or VOID, and returns its value. Takes over `promise`."""
        future = self.asyncio.create_future()

        def settle(_, value, out):
            if lib.promise_executor_is_current(self.executor) != 1:
                print("on the wrong thread")
            if not future.cancelled():
                future.set_result(value[0].content.i64 if value[0].kind == Kind.I64 else None)
            return Verdict.FULFILL

        lib.promise_release(self.react(promise, settle, self.executor))
        return await future


def new_promise():
    """Returns a pending promise with two references, one of them for the producer."""
    promise = made(lib.promise_new_discardable(Context(), None, Context()))
    lib.promise_retain(promise)
    return promise


def fulfil(promise, number):
    """Fulfils a promise, and releases one reference."""
    value = Value(kind=Kind.I64)
    value.content.i64 = number
    lib.promise_resolve(promise, ctypes.byref(value))
    lib.promise_release(promise)


def multiply(_, value, out):
    out[0].kind, out[0].content.i64 = Kind.I64, value[0].content.i64 * 7
    return Verdict.FULFILL


async def main():
    loop = PromiseLoop()
    normal = 3
    six = new_promise()
    fulfil(six, 6)
    answer = loop.react(six, multiply, lib.promise_executor_global(normal))
    print(f"a thread of the pool found {await loop.value(answer)}")

    promise = new_promise()
    loop.asyncio.call_later(0.01, fulfil, promise, 0)
    await loop.value(promise)
    print("a timer of the host's has ended")

    await loop.value(made(lib.promise_sleep_on(loop.executor, 10_000_000)))
    print("a timer of the loop's has ended")

    loop.close()
    print("the end")


if __name__ == "__main__":
    asyncio.run(main())
