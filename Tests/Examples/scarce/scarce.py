"""Checks promise_queue.py while memory runs out for libpromise: each task ends, and each failure is an exception.

LD_PRELOAD=scarce.so PYTHONPATH=examples/queues python3 scarce.py [ROUNDS]
"""

import asyncio
import ctypes
import sys

import promise_queue

scarce = ctypes.CDLL(None)
scarce.scarce_failures.restype = ctypes.c_ulong
LONG = "a text that needs memory of its own " * 4


async def sleeps(queue):
    await queue.sleep(1e-4)


async def adds(queue):
    source = queue.promise()
    derived = source.then(lambda value: value + 1)
    source.resolve(41)
    assert await derived == 42


async def passes_text(queue):
    source = queue.promise()
    derived = source.then(lambda _: LONG).then(lambda text: text)
    source.resolve(1)
    assert await derived == LONG


async def fails(queue):
    source = queue.promise()
    derived = source.then(lambda _: 1 // 0)
    source.resolve("text")
    await derived
    raise AssertionError("a rejection was expected")


async def loses(queue):
    await queue.promise().then(print)


async def opens(queue):
    promise_queue.Queue().close()


TASKS = sleeps, adds, passes_text, fails, loses, opens


def hoard(queue, left):
    """All cells, except `left`."""
    scarce.scarce_odds(1)
    cells = []
    try:
        while True:
            cells.append(queue.promise())
    except MemoryError:
        pass
    del cells[:left]
    return cells


async def main(rounds):
    scarce.scarce_odds(1)
    try:
        promise_queue.Queue()
        raise AssertionError("an error was expected")
    except MemoryError as error:
        assert str(error) == "PROMISE_ENOMEM", error
    scarce.scarce_odds(0)
    queue = promise_queue.Queue()
    ended = raised = 0
    for index in range(1, rounds + 1):
        cells = hoard(queue, index % 60) if index % 2 == 0 else []
        scarce.scarce_odds(1 if index % 4 == 0 else 3)
        outcomes = await asyncio.gather(*(task(queue) for task in TASKS * 4), return_exceptions=True)
        scarce.scarce_odds(0)
        del cells
        for outcome in outcomes:
            if outcome is None:
                ended += 1
            elif isinstance(outcome, (MemoryError, promise_queue.Rejected)):
                raised += 1
            else:
                raise outcome
    assert ended + raised == rounds * len(TASKS) * 4 and ended and raised and scarce.scarce_failures()
    assert not queue.waiting
    # With memory everything works again.
    for task in (sleeps, adds, passes_text, opens):
        await task(queue)
    queue.close()
    print(f"{ended} passed, 0 failed: {raised} errors")


asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
