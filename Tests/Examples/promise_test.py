"""promise.py, beyond the example. Found by PYTHONPATH; the library by LIBPROMISE."""

import asyncio
import copy
import ctypes
import gc
import pickle
import threading
import unittest
import weakref

from libpromise import Context, State, Status, Value, check, lib
from promise import Discarded, Error, Foreign, Promise, Rejected, StatusError, held


class OwnError(Error):
    pass


class Statuses(unittest.TestCase):
    def test_they_are_those_of_the_library(self):
        name = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int32)(("promise_status_name", lib))
        for status in Status:
            self.assertEqual(name(status).decode(), status.name)
        self.assertEqual(name(min(Status) - 1), b"PROMISE_UNKNOWN")


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

    def test_a_foreign_object_lives_as_long_as_its_foreign_and_passes_through(self):
        freed = []
        destroy = Context(freed.append)
        type_ = lib.promise_type_register(b"org.promises.test.freed", None, destroy)
        promise, value = Promise(), Value()
        self.assertEqual(lib.promise_value_object(value, type_, 8192), 0)
        self.assertEqual(lib.promise_resolve(promise.token, value), 0)
        passed = promise.then(lambda thing: thing)
        self.assertEqual(lib.promise_result(passed.token, value), 0)
        self.assertEqual((lib.promise_value_type(value), value.content.ptr), (type_, 8192))
        self.assertEqual(lib.promise_value_release(value), 0)
        foreign = passed.value()
        del promise, passed
        gc.collect()
        self.assertEqual(freed, [])
        del foreign
        gc.collect()
        self.assertEqual(freed, [8192])

    def test_an_error_that_c_cannot_hold_is_refused(self):
        promise = Promise()
        for code in 2**63, -(2**63) - 1:
            with self.assertRaises(OverflowError):
                promise.reject(Error("test", code, "out of range"))
        promise.resolve()

        def handler(_):
            raise Error("test", 2**63, "out of range")

        self.assertIsInstance(promise.then(handler).result(), OverflowError)

    def test_the_texts_of_an_error_are_whole(self):
        for message, shown in ("a\0b", "a\0b"), ("\ud800", "\\ud800"):
            promise = Promise()
            promise.reject(Error("test", 1, message))
            self.assertEqual(promise.result().message, shown)

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

    def test_a_stop_iteration_is_the_cause_of_what_is_raised(self):
        async def main():
            source = Promise()
            source.resolve()
            await asyncio.wait_for(source.then(lambda _: next(iter([]))), 60)

        with self.assertRaises(RuntimeError) as caught:
            asyncio.run(main())
        self.assertIsInstance(caught.exception.__cause__, StopIteration)

    def test_awaiting_makes_no_object(self):
        async def main():
            promise = Promise()
            promise.resolve(1)
            return await promise

        self.assertEqual(asyncio.run(main()), 1)
        self.assertIsNone(lib.promise_type_named(b"python.asyncio.events.Handle"))

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

    def test_a_class_rescues_its_instances_alone(self):
        class Both(KeyError, ConnectionError):
            pass

        for reason, class_, matches in (
            (Error("test", 1, "own"), Exception, True),
            (Both(), ConnectionError, True),
            (KeyError(), (ValueError, LookupError), True),
            (KeyError(), ValueError, False),
            (42, Exception, False),
            (Discarded(), Error, False),
        ):
            promise = Promise()
            rescued = promise.rescue(lambda _: "rescued", class_)
            promise.reject(reason)
            self.assertEqual(rescued.state, State.FULFILLED if matches else State.REJECTED, reason)
            if not matches and not isinstance(reason, Discarded):
                self.assertIs(rescued.result(), reason)

    def test_an_error_of_c_keeps_its_cause_unless_it_is_changed(self):
        lib.promise_value_cause.restype = ctypes.c_void_p
        text = ctypes.c_char_p
        lib.promise_value_error_from.argtypes = [ctypes.c_void_p, text, ctypes.c_int64, text, text, ctypes.c_void_p]
        lib.promise_value_discarded.argtypes = [ctypes.c_void_p] * 2

        def rejected(make, *arguments):
            promise, cause, value = Promise(), Value(), Value()
            check(lib.promise_value_string(cause, b"cause", 5))
            check(make(ctypes.byref(value), *arguments, ctypes.byref(cause)))
            check(lib.promise_reject(promise.token, value))
            return promise

        def has_cause(promise):
            value = Value()
            check(lib.promise_result(promise.token, value))
            try:
                return lib.promise_value_cause(ctypes.byref(value)) is not None
            finally:
                lib.promise_value_release(value)

        def raises(reason):
            raise reason

        def changes(reason):
            reason.message = "changed"
            raise reason

        error = rejected(lib.promise_value_error_from, b"c", 7, b"text", b"here")
        discarded = rejected(lib.promise_value_discarded)
        self.assertTrue(has_cause(error.rescue(raises)))
        self.assertTrue(has_cause(error.then(print).rescue(raises, Error)))
        self.assertTrue(has_cause(error.rescue(lambda _: error.value())))
        self.assertTrue(has_cause(discarded.rescue(raises)))
        changed = error.rescue(changes)
        self.assertEqual((has_cause(changed), changed.result().message), (False, "changed"))

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


class Lifetimes(unittest.TestCase):
    def test_handlers_that_ran_lose_no_promise(self):
        class Hooks(ctypes.Structure):
            _fields_ = [("size", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("unhandled", ctypes.c_void_p)]
            _fields_ += [("again", ctypes.c_void_p), ("dropped", ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 3))]
            _fields_ += [("ctx", ctypes.c_void_p), ("free_ctx", ctypes.c_void_p)]

        lost, lines = [], []
        self.dropped = dict(Hooks._fields_)["dropped"](lambda *_: lost.append(_))
        lib.promise_set_hooks.argtypes = [ctypes.POINTER(Hooks)]
        check(lib.promise_set_hooks(Hooks(size=ctypes.sizeof(Hooks), dropped=self.dropped)))
        self.addCleanup(lib.promise_set_hooks, None)
        promise = Promise()
        pending = promise.then(lambda value: value).then(print)
        line = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)(lambda *_: lines.append(_[1]))
        lib.promise_dump_lines(line, None)
        self.assertEqual(sum(line.startswith(b"0x") for line in lines), 3, lines)
        promise.observe(print)
        promise.discard()
        self.assertEqual(pending.state, State.REJECTED)
        del promise, pending
        gc.collect()
        self.assertEqual((held(), lost), (0, []))

    def test_a_wrapper_holds_no_request_to_cancel_back(self):
        source = Promise()
        check(lib.promise_retain(source.token))  # the producer's
        derived = source.then(print)
        check(lib.promise_request_cancel(ctypes.c_void_p(derived.token), None))
        self.assertEqual(lib.promise_cancel_requested(ctypes.c_void_p(source.token)), 1)
        check(lib.promise_release(source.token))

    def test_a_copy_has_a_reference_of_its_own(self):
        promise = Promise()
        for one in copy.copy(promise), copy.deepcopy([promise])[0]:
            self.assertEqual(one.token, promise.token)
            self.assertEqual(one.release(), Status.PROMISE_OK)
        with self.assertRaises(TypeError):
            pickle.dumps(promise)
        self.assertEqual(promise.resolve(1), Status.PROMISE_OK)

    def test_a_class_can_be_collected(self):
        class Local:
            pass

        gone = weakref.ref(Local)
        promise = Promise()
        promise.resolve(Local())
        del promise, Local
        gc.collect()
        self.assertEqual(held(), 0)
        gc.collect()
        self.assertIsNone(gone())

    def test_long_waits_do_not_end_early(self):
        for seconds in 2**64 / 1e9, 1e30, float("inf"):
            sleep = Promise(token=lib.promise_sleep(1_000_000))
            self.assertEqual(sleep.wait(seconds), Status.PROMISE_OK)

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


if __name__ == "__main__":
    unittest.main()
