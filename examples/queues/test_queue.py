"""Checks promise_queue.py. With the argument `exit`: the interpreter ends while timers fire."""

import asyncio
import copy
import ctypes
import os
import subprocess
import sys
import time

import promise_queue
from promise_queue import Discarded, Failed, Rejected, Value, byref, lib


async def chains(queue):
    source = queue.promise()
    derived = source.then(lambda value: value + 1)
    assert source.resolve(41)
    assert await derived == 42
    broken = derived.then(lambda value: 1 // 0).then(print)
    try:
        await broken
        raise AssertionError("a rejection was expected")
    except promise_queue.Rejected as error:
        assert "division" in str(error), error
    # The source is destroyed while pending.
    dropped = queue.promise().then(print)
    try:
        await dropped
        raise AssertionError("a rejection was expected")
    except promise_queue.Rejected:
        pass
    text = queue.promise()
    queue.loop.call_later(0.001, text.resolve, "late")
    assert await text == "late"


async def is_exact(queue):
    """An integer arrives unchanged, or is refused: none is cut to 64 bits."""
    for number in 0, -1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1:
        promise = queue.promise()
        assert promise.resolve(number) and await promise == number, number
    for number in 2**64, -(2**63) - 1, 10**100:
        promise = queue.promise()
        try:
            promise.resolve(number)
            raise AssertionError("an error was expected")
        except OverflowError as error:
            assert "2**64" in str(error), error
        # The promise is unchanged. A function that returns the number rejects its derived promise.
        derived = promise.then(lambda _: number)
        assert promise.resolve(1)
        try:
            await derived
            raise AssertionError("a rejection was expected")
        except promise_queue.Rejected as error:
            assert "2**64" in str(error), error


async def settles_by_hand(queue):
    """Settles promises before the event, after it, and once it is taken: no event is left in the queue."""
    before = queue.promise().then(print)
    assert before.resolve(1) and not before.resolve(2) and await before == 1
    source = queue.promise()
    derived = [source.then(lambda value: derived[1].resolve("by hand") and 4), source.then(print), source.then(print)]
    assert source.resolve(0) and derived[2].resolve(5)
    assert [await each for each in derived] == [4, "by hand", 5]
    # The source is destroyed before, and its event is taken.
    dropped = queue.promise().then(print)
    assert dropped.resolve(7) and await dropped == 7
    # Code that does not know this binding settles a promise.
    other = queue.promise().then(print)
    promise_queue.lib.promise_resolve(other.handle, promise_queue.store(8))
    assert await other == 8
    assert not queue.waiting


async def raised(awaitable, class_):
    """Returns the exception that awaiting raises; it must be of that class itself."""
    try:
        await asyncio.wait_for(awaitable, 60)
    except BaseException as error:
        assert type(error) is class_, repr(error)
        return error
    raise AssertionError("an exception was expected")


async def loses_no_event(queue):
    """Whatever a function raises: the promises of its batch are settled."""

    class Silent(Exception):
        def __str__(self):
            raise ValueError("no text")

    for error, text in (
        (asyncio.CancelledError("gone"), "gone"),
        (ValueError(os.fsdecode(b"\xff")), "\\udcff"),
        (ValueError("a\0b"), "a\0b"),
        (Silent(), "Silent"),
    ):

        def body(_, error=error):
            raise error

        source = queue.promise()
        first, second = source.then(body), source.then(lambda value: value)
        assert source.resolve("value")
        assert str(await raised(first, Rejected)) == text
        assert await asyncio.wait_for(second, 60) == "value"


async def attaches_on_another_thread(queue):
    """Events are taken while the call of then() that asked for them has not returned."""
    made, calls, errors = promise_queue.made, [], []
    settled, pending = queue.promise(), queue.promise()
    settled.resolve("value")

    def is_taken(handle):
        while not (calls or errors):
            time.sleep(0.001)
        return handle

    def is_lost(handle):
        source, pending.handle = pending.handle, None
        lib.promise_release(source)
        while queue.waiting:
            time.sleep(0.001)
        return handle

    queue.loop.set_exception_handler(lambda _, context: errors.append(context))
    try:
        promise_queue.made = is_taken
        derived = await queue.loop.run_in_executor(None, settled.then, calls.append)
        promise_queue.made = is_lost
        lost = await queue.loop.run_in_executor(None, pending.then, calls.append)
    finally:
        promise_queue.made = made
        queue.loop.set_exception_handler(None)
    assert await asyncio.wait_for(derived, 60) is None
    await raised(lost, Discarded)
    assert calls == ["value"] and not errors, (calls, errors)


async def passes_reasons(queue):
    """A reason of another language passes through then() as it is."""
    lib.promise_value_domain.restype = ctypes.c_char_p
    lib.promise_value_code.restype = ctypes.c_int64
    source, reason = queue.promise(), Value()
    lib.promise_value_error_sized(byref(reason), b"c", 1, 7, b"text", 4)
    lib.promise_reject(source.handle, byref(reason))
    derived = source.then(print).then(print)
    assert str(await raised(derived, Rejected)) == "text"
    lib.promise_result(ctypes.c_void_p(derived.handle), byref(reason))
    assert (lib.promise_value_domain(byref(reason)), lib.promise_value_code(byref(reason))) == (b"c", 7)
    lib.promise_value_release(byref(reason))
    source = queue.promise()
    derived = source.then(print)
    lib.promise_discard(source.handle)
    await raised(derived, Discarded)
    number = queue.promise()
    lib.promise_reject(number.handle, promise_queue.store(5))
    assert (await raised(number.then(print), Rejected)).args == (5,)


async def converts(queue):
    inner = queue.promise()
    for thing in None, True, False, 1, 0.5, "text", "", b"", b"\0\xff":
        promise = queue.promise()
        assert promise.resolve(thing)
        value = await promise
        assert value == thing and type(value) is type(thing), (value, thing)
    # A promise as a value is kept; as a result it is followed.
    promise = queue.promise()
    promise.resolve(inner)
    assert (await promise).handle == inner.handle
    followed = promise.then(lambda _: inner)
    await asyncio.sleep(0.01)
    assert lib.promise_state(ctypes.c_void_p(followed.handle)) == 1
    inner.resolve("inner")
    assert await followed == "inner"
    for thing in {}, [], object():
        try:
            queue.promise().resolve(thing)
            raise AssertionError("an error was expected")
        except TypeError:
            pass
    array, value = queue.promise(), Value()
    assert lib.promise_value_array(byref(value), promise_queue.store("an element"), ctypes.c_size_t(1)) == 0
    lib.promise_resolve(array.handle, byref(value))
    assert "an element" in str(await raised(array, TypeError))
    assert "an element" in str(await raised(array.then(print), Rejected))
    assert "an element" in str(await raised(array.then(lambda _: 1), Rejected))


async def closes(queue):
    """Coroutines that await get an error; closing again closes nothing."""
    async with promise_queue.Queue() as other:
        source = other.promise()
        derived, watched = source.then(print), other.future(source)
        number = other.descriptor
    await raised(watched, Failed)
    await raised(queue.future(derived), Rejected)
    read, write = os.pipe()
    os.dup2(read, number)
    queue.loop.add_reader(number, print)
    other.close()
    assert queue.loop.remove_reader(number)
    for descriptor in {read, write, number}:
        os.close(descriptor)
    # A function closes the queue of its own batch.
    other = promise_queue.Queue()
    source = other.promise()
    first, second = source.then(lambda _: other.close()), source.then(print)
    source.resolve(1)
    assert await queue.future(first) is None
    await raised(queue.future(second), Discarded)
    # The source was destroyed while pending, and that event is not taken.
    other = promise_queue.Queue()
    derived = other.promise().then(print)
    other.close()
    await raised(asyncio.wait_for(queue.future(derived), 60), Discarded)


async def owns_references(queue):
    promise = queue.promise()
    for copies in copy.copy, copy.deepcopy:
        try:
            copies(promise)
            raise AssertionError("an error was expected")
        except TypeError:
            pass
    # A wrapper does not hold back a request to cancel, only references of producers and derived promises do.
    lib.promise_retain(promise.handle)
    derived = promise.then(print)
    lib.promise_request_cancel(ctypes.c_void_p(derived.handle), None)
    assert lib.promise_cancel_requested(ctypes.c_void_p(promise.handle)) == 1
    lib.promise_discard(promise.handle)
    lib.promise_release(promise.handle)
    for seconds in 2**64 / 1e9, 1e30, float("inf"):
        sleep = queue.sleep(seconds)
        assert lib.promise_state(ctypes.c_void_p(sleep.handle)) == 1
        await asyncio.wait_for(asyncio.shield(queue.future(queue.sleep(-seconds))), 60)


async def gives_up(queue):
    never = queue.promise()
    for _ in range(100):
        try:
            await asyncio.wait_for(queue.future(never), 0.0001)
            raise AssertionError("a time-out was expected")
        except asyncio.TimeoutError:
            pass
    assert not queue.waiting


async def is_busy(queue):
    futures = [queue.future(queue.sleep(0.001)) for _ in range(1000)]
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    await asyncio.gather(*futures)


async def exits(queue):
    for index in range(200):
        queue.future(queue.sleep(index * 1e-4))
    await asyncio.sleep(0.005)


async def main():
    queue = promise_queue.Queue()
    if sys.argv[1:] == ["exit"]:
        return await exits(queue)
    await chains(queue)
    await is_exact(queue)
    await settles_by_hand(queue)
    await loses_no_event(queue)
    await attaches_on_another_thread(queue)
    await passes_reasons(queue)
    await converts(queue)
    await closes(queue)
    await owns_references(queue)
    await gives_up(queue)
    await is_busy(queue)
    queue.close()


asyncio.run(main())
if sys.argv[1:] != ["exit"]:
    for _ in range(20):
        subprocess.run([sys.executable, __file__, "exit"], check=True, timeout=600)
    print("passed")
