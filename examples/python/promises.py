#!/usr/bin/env python3
"""A tour of libpromise.so for a Python program: the same as examples/c/promises.c, and the same lines in the end."""

import threading
import weakref

from libpromise import State, Status, lib
from promise import Error, Promise, held, type_of


def report(what, promise):
    """Prints how a promise ended, and releases it."""
    result = promise.result()
    state = "fulfilled" if promise.state == State.FULFILLED else "rejected"
    if isinstance(result, Error):
        shown = f"error {result}"
    elif isinstance(result, str):
        shown = f'"{result}"'
    elif isinstance(result, int):
        shown = str(result)
    else:
        shown = f"a value of type {lib.promise_type_name(type_of(type(result))).decode()}"
    print(f"  {what}: {state} with {shown}")
    del result
    promise.release()


def chain():
    print("chain")
    answer = Promise()
    doubled = answer.then(lambda number: number * 2)
    text = doubled.then(lambda number: f"the answer is {number}")
    print("  pending:", "yes" if text.state == State.PENDING else "no")
    answer.resolve(21)
    report("answer", answer)
    report("doubled", doubled)
    report("text", text)


class NetworkError(Exception):
    promise_type = "org.promises.example.network"


class Timeout(NetworkError):
    promise_type = "org.promises.example.timeout"


class DiskError(Exception):
    promise_type = "org.promises.example.disk"


def rescue():
    print("rescue by type")
    download = Promise()
    not_this = download.rescue(lambda reason: 1, DiskError)
    this_one = not_this.rescue(lambda reason: 2, NetworkError)
    reason = Timeout(30)
    weakref.finalize(reason, print, "  the payload is freed")
    download.reject(reason)
    del reason
    report("rescue of disk errors", not_this)
    report("rescue of network errors", this_one)
    report("download", download)


def errors():
    print("errors")

    def fail(value):
        raise Error("org.promises.example", 7, "the handler did not like it")

    start = Promise()
    skipped = start.then(fail).then(lambda number: number * 2)
    start.resolve(1)
    report("what follows", skipped)


def adopt():
    print("adopt")
    first, second = Promise(), Promise()
    result = first.then(lambda _: second)
    first.resolve(1)
    print("  pending after the first:", "yes" if result.state == State.PENDING else "no")
    second.resolve(2)
    report("result", result)


class Search:
    def stop(self):
        print("  the work on a long search is stopped")


def discard():
    print("discard")
    work = Search()
    weakref.finalize(work, print, "  the context of a long search is freed")
    search = Promise(on_discard=work.stop)
    del work
    derived = search.then(lambda number: number * 2)
    search.discard()
    report("search", search)
    report("derived", derived)


def mistakes():
    print("mistakes")
    promise = Promise()
    print("  settled once:", promise.resolve(1).name)
    print("  settled twice:", promise.resolve(2).name)
    promise.release()
    print("  used after release:", promise.release().name)
    print("  no promise at all:", Status(lib.promise_discard(None)).name)


def wait_for_thread():
    print("wait")
    gate = threading.Event()
    promise = Promise()
    doubled = promise.then(lambda number: number * 2)

    def settle_when_open():
        gate.wait()
        promise.resolve(5)

    thread = threading.Thread(target=settle_when_open)
    thread.start()
    print("  for a millisecond:", doubled.wait(0.001).name)
    gate.set()
    print("  until it is settled:", doubled.wait().name)
    report("doubled", doubled)
    thread.join()


if __name__ == "__main__":
    chain()
    rescue()
    errors()
    adopt()
    discard()
    mistakes()
    wait_for_thread()
    assert held() == 0, f"{held()} callbacks or objects are still held"
