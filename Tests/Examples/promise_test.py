"""promise.py, beyond the example. Found by PYTHONPATH; the library by LIBPROMISE."""

import asyncio
import gc
import subprocess
import sys
import threading
import unittest
import weakref

from libpromise import Context, State, Status, Value, lib
from promise import Discarded, Error, Foreign, Promise, Rejected, StatusError, held


class OwnError(Error):
    pass


class Values(unittest.TestCase):
    def test_values_round_trip(self):
        things = [None, True, False, 0, -(2**63), 2**63 - 1, 2**64 - 1, 0.5, "", "a\0é", b"", b"\0\xff", [1], object()]
        for thing in things:
            promise = Promise()
            self.assertEqual(promise.resolve(thing), Status.PROMISE_OK)
            self.assertEqual(promise.value(), thing)
            self.assertIs(type(promise.value()), type(thing))

    def test_an_integer_that_does_not_fit_is_an_object(self):
        promise = Promise()
        promise.resolve(2**64)
        self.assertEqual(promise.value(), 2**64)

    def test_text_that_is_not_unicode_is_refused(self):
        with self.assertRaises(UnicodeEncodeError):
            Promise().resolve("\ud800")

    def test_an_object_of_another_language_stays_foreign(self):
        promise = Promise()
        type_ = lib.promise_type_register(b"org.promises.test.foreign", None, Context())
        value = Value()
        self.assertEqual(lib.promise_value_object(value, type_, 4096), 0)
        self.assertEqual(lib.promise_resolve(promise.token, value), 0)
        foreign = promise.value()
        self.assertIsInstance(foreign, Foreign)
        self.assertEqual((foreign.type_name, foreign.payload), ("org.promises.test.foreign", 4096))


    def test_arrays_and_maps_become_lists_and_dicts(self):
        text = '{"list": [1, "zwei", [], null], "map": {"\u00e9": {}, "": true}}'.encode()
        promise = Promise()
        value = Value()
        self.assertEqual(lib.promise_value_from_json(value, text, len(text), None, None), 0)
        self.assertEqual(lib.promise_resolve(promise.token, value), 0)
        self.assertEqual(promise.value(), {"list": [1, "zwei", [], None], "map": {"é": {}, "": True}})


class Awaiting(unittest.TestCase):
    def test_a_coroutine_gets_the_value_of_another_thread(self):
        async def main():
            settled, pending = Promise(), Promise()
            settled.resolve("at once")
            thread = threading.Thread(target=pending.resolve, args=("later",))
            thread.start()
            values = [await settled, await pending]
            thread.join()
            return values

        self.assertEqual(asyncio.run(main()), ["at once", "later"])

    def test_a_rejection_raises(self):
        async def main(reason):
            promise = Promise()
            promise.reject(reason)
            await promise

        with self.assertRaises(KeyError):
            asyncio.run(main(KeyError("missing")))
        with self.assertRaises(Rejected):
            asyncio.run(main(42))

    def test_a_wait_that_ends_early_is_taken_back(self):
        async def main():
            promise = Promise()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(promise, 0.01)
            gc.collect()
            self.assertEqual(held(), 0)
            self.assertEqual(promise.state, State.PENDING)
            promise.resolve(1)
            return await promise

        self.assertEqual(asyncio.run(main()), 1)

    def tearDown(self):
        gc.collect()
        self.assertEqual(held(), 0)


class Handlers(unittest.TestCase):
    def test_an_exception_of_a_handler_is_the_reason(self):
        promise = Promise()
        failed = promise.then(lambda value: {}[value])
        promise.resolve("missing")
        with self.assertRaises(KeyError):
            failed.value()

    def test_a_result_that_cannot_be_text_rejects(self):
        promise = Promise()
        failed = promise.then(lambda _: "\ud800")
        promise.resolve()
        self.assertIsInstance(failed.result(), UnicodeEncodeError)
        self.assertEqual(failed.state, State.REJECTED)

    def test_a_class_of_errors_descends_from_error(self):
        promise = Promise()
        rescued = promise.rescue(lambda reason: type(reason).__name__, Error)
        promise.reject(OwnError("test", 1, "own"))
        self.assertEqual(rescued.value(), "OwnError")

    def test_discarded_is_an_error_that_can_be_rescued(self):
        promise = Promise()
        rescued = promise.rescue(lambda reason: "gone", Discarded)
        promise.discard()
        self.assertEqual(rescued.value(), "gone")

    def test_observers_get_either_a_value_or_a_reason(self):
        seen = []
        good, bad = Promise(), Promise()
        for promise in (good, bad):
            promise.observe(lambda value: seen.append(("value", value)), lambda reason: seen.append(("reason", reason)))
        good.resolve(1)
        bad.reject("no")
        self.assertEqual(seen, [("value", 1), ("reason", "no")])

    def test_a_reason_that_is_no_exception_is_wrapped(self):
        promise = Promise()
        promise.reject(42)
        with self.assertRaises(Rejected) as caught:
            promise.value()
        self.assertEqual(caught.exception.reason, 42)


class Raising(unittest.TestCase):
    def test_raised_reasons_leave_no_promise(self):
        """Although the collector does not run: the traceback of a raised reason refers to no promise in C."""

        def rejected():
            promise = Promise()
            promise.reject(KeyError("missing"))
            return promise

        def is_read(promise):
            with self.assertRaises(KeyError):
                promise.value()

        async def is_awaited(promise):
            with self.assertRaises(KeyError):
                await promise

        async def main():
            for _ in range(100):
                await is_awaited(rejected())
            await asyncio.sleep(0)
            self.assertEqual(held(), 0)

        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        for _ in range(100):
            is_read(rejected())
        self.assertEqual(held(), 0)
        asyncio.run(main())

    def test_a_raised_exception_has_the_message_of_the_reason(self):
        class Own(OSError):
            __slots__ = ("place",)

        own = Own(2, "missing", "a file")
        own.place, own.more, own.__cause__ = 7, [8], KeyError("cause")
        for reason in own, OwnError("test", 1, "own"), UnicodeDecodeError("utf-8", b"ab", 0, 1, "bad"), SystemExit(3):
            promise = Promise()
            promise.reject(reason)
            with self.assertRaises(type(reason)) as caught:
                promise.value()
            raised, known = caught.exception, vars(reason).keys()
            self.assertEqual((str(raised), raised.args), (str(reason), reason.args))
            self.assertEqual([getattr(raised, name) for name in known], [getattr(reason, name) for name in known])
            self.assertIs(raised.__cause__, reason.__cause__)
            self.assertEqual(raised.__suppress_context__, reason.__suppress_context__)
            self.assertIsNone(reason.__traceback__)
        raised = Promise()
        raised.reject(own)
        with self.assertRaises(Own) as caught:
            raised.value()
        self.assertEqual((caught.exception.errno, caught.exception.filename, caught.exception.place), (2, "a file", 7))

    def test_an_exception_that_only_its_init_can_make_is_raised_itself(self):
        class Demanding(Exception):
            def __new__(cls, *, code):
                return super().__new__(cls)

            def __init__(self, *, code):
                super().__init__("text")
                self.code = code

        promise, reason = Promise(), Demanding(code=3)
        promise.reject(reason)
        with self.assertRaises(Demanding) as caught:
            promise.value()
        self.assertIs(caught.exception, reason)
        reason.__traceback__ = None


class Lifetimes(unittest.TestCase):
    def test_a_handler_that_never_ran_is_released(self):
        def handler(value):
            return value

        gone = weakref.ref(handler)
        promise = Promise()
        promise.then(handler)
        del handler
        self.assertIsNotNone(gone())
        del promise
        gc.collect()
        self.assertIsNone(gone())

    def test_a_released_promise_is_stale(self):
        promise = Promise()
        promise.release()
        with self.assertRaises(StatusError) as caught:
            promise.resolve(1)
        self.assertEqual(caught.exception.status, Status.PROMISE_ESTALE)

    def test_waiting_lets_other_threads_run(self):
        promise = Promise()
        threads = [threading.Thread(target=promise.resolve, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        self.assertIn(promise.value(), range(8))
        for thread in threads:
            thread.join()

    def tearDown(self):
        gc.collect()
        self.assertEqual(held(), 0)


def run(program):
    """Runs the program in a process of its own; returns its output."""
    return subprocess.run([sys.executable, "-c", program], check=True, timeout=600, stdout=subprocess.PIPE).stdout


class Processes(unittest.TestCase):
    def test_a_copy_that_was_collected_leaves_callbacks_that_can_be_called(self):
        program = """
import gc, sys, weakref, promise as first
source, thing = first.Promise(), [1, 2]
derived = source.then(lambda value: value + thing)
tokens = source.token, derived.token
for kept in source, derived: kept._owned = False
abandoned = first.Promise(on_discard=lambda: None)
token, abandoned._owned = abandoned.token, False
copy = weakref.ref(first)
for name in "promise", "held", "libpromise": del sys.modules[name]
del first, source, derived, kept, abandoned
gc.collect()
assert copy() is None
import promise as second
source, derived = (second.Promise(token=token) for token in tokens)
source.resolve(thing)
assert derived.value() == [1, 2, 1, 2]
assert second.lib.promise_discard(token) == 0
assert second.lib.promise_release(token) == 0
del source, derived
assert second.held() == 0, second.held()
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_copies_read_the_objects_of_each_other(self):
        program = """
import sys, promise as first
for name in "promise", "held", "libpromise": del sys.modules[name]
import promise as second
assert first.lib is not second.lib
for maker, reader in ((first, second), (second, first)):
    made, thing = maker.Promise(), {"key": object()}
    made.resolve(thing)
    assert maker.lib.promise_retain(made.token) == 0
    assert reader.Promise(token=made.token).result() is thing
    del made
assert first.held() == second.held() == 0
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_the_interpreter_ends_while_timers_fire(self):
        program = """
import promise
def sleep(index): return promise.Promise(token=promise.lib.promise_sleep(index * 50_000))
pending = [sleep(index).then(lambda _: [index]) for index in range(400)]
for index in range(400): sleep(index).observe(lambda _: None)
cancelled = [promise.Promise(on_discard=print) for _ in range(10)]
waited = sleep(100).then(lambda _: None)
waited.wait()
print("passed")
"""
        for _ in range(20):
            self.assertEqual(run(program), b"passed\n")


if __name__ == "__main__":
    unittest.main()
