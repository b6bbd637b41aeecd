"""Promises in asyncio's loop: handlers run on its thread, and a promise can be awaited there.

Uses examples/python, which must be where Python looks for modules (PYTHONPATH). A program that only awaits promises
needs no loop of promises: `await promise` is enough.
"""

import asyncio
import threading
from ctypes import c_int32, c_int64, c_uint32, c_void_p

from libpromise import check, lib, made
from promise import Error, Promise, awaitable

for name, (result, *arguments) in {
    "promise_executor_global": (c_void_p, c_uint32),
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
        self.asyncio.add_reader(check(lib.promise_loop_fd(self.loop)), lib.promise_loop_run_once, self.loop)

    def close(self):
        self.asyncio.remove_reader(lib.promise_loop_fd(self.loop))
        lib.promise_executor_release(self.executor)
        lib.promise_loop_release(self.loop)

    async def value(self, promise):
        """Returns the value, or raises the reason. The handler runs on the thread of the loop."""
        future, thread = self.asyncio.create_future(), threading.get_ident()

        def settle(end, thing):
            if threading.get_ident() != thread:
                print("on the wrong thread")
            if not future.done():
                end(thing)

        promise.observe(
            lambda value: settle(future.set_result, value),
            lambda reason: settle(future.set_exception, awaitable(reason)),
            executor=self.executor,
        )
        return await future


async def main():
    loop = PromiseLoop()
    try:
        normal = 3
        six = Promise()
        answer = six.then(lambda number: number * 7, executor=lib.promise_executor_global(normal))
        six.resolve(6)
        print(f"a thread of the pool found {await loop.value(answer)}")

        promise = Promise()
        loop.asyncio.call_later(0.01, promise.resolve)
        await loop.value(promise)
        print("a timer of the host's has ended")

        await loop.value(Promise(token=made(lib.promise_sleep_on(loop.executor, 10_000_000))))
        print("a timer of the loop's has ended")

        failed = Promise()
        failed.reject(Error("org.promises.example", 7, "a rejection raises"))
        try:
            await loop.value(failed)
            print("a rejection gave a value")
        except Error as error:
            assert error.code == 7
    finally:
        loop.close()
    print("the end")


if __name__ == "__main__":
    asyncio.run(main())
