"""Reasons that promise.py raises. PYTHONPATH and LIBPROMISE name the files."""

import asyncio
import dataclasses
import gc
import unittest

from promise import Error, Promise, held


class OwnError(Error):
    pass


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

    def test_an_exception_that_cannot_be_copied_is_raised_itself(self):
        """Also by `await`: an error of the copy would leave the coroutine suspended."""

        @dataclasses.dataclass(frozen=True)
        class Frozen(Exception):
            __slots__ = ("code",)
            code: int

        class Named(Exception):
            def __new__(cls, name="known"):
                return super().__new__(cls, {"known": 1}[name])

            def __init__(self, name="known"):
                super().__init__(name + " text")

        class Other(Exception):
            def __new__(cls, *arguments):
                return ValueError() if arguments else super().__new__(cls)

            def __init__(self):
                super().__init__("text")

        async def is_awaited(promise):
            return await asyncio.wait_for(promise, 60)

        for reason in Frozen(3), Named(), Other():
            for read in Promise.value, lambda promise: asyncio.run(is_awaited(promise)):
                promise = Promise()
                promise.reject(reason)
                with self.assertRaises(type(reason)) as caught:
                    read(promise)
                self.assertEqual(vars(caught.exception), vars(reason))
                self.assertEqual(caught.exception.args, reason.args)


if __name__ == "__main__":
    unittest.main()
