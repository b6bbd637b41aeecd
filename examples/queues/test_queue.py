"""Checks promise_queue.py. With the argument `exit`: the interpreter ends while timers fire."""

import asyncio
import subprocess
import sys
import time

import promise_queue


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
    await gives_up(queue)
    await is_busy(queue)
    queue.close()


asyncio.run(main())
if sys.argv[1:] != ["exit"]:
    for _ in range(20):
        subprocess.run([sys.executable, __file__, "exit"], check=True, timeout=600)
    print("passed")
