"""The callbacks and objects of Python that C holds, and how they end."""

import atexit
import contextlib
import ctypes
import itertools
import os
import secrets
import sys
import weakref

from libpromise import Context, Event, Status, StatusError, Value, check, lib, made


class _Attached:
    """Handlers that C holds, or the function that C calls at a discard; and the promise whose discard detaches them."""

    def __init__(self, functions, is_derived):
        self.functions, self.is_derived = functions, is_derived
        self.context = (Value * 1)()
        self.tokens = []  # the promise, once it is known
        self.has_ended = False
        self.is_running = False  # and stays so after the call: C releases the context at once

    def release(self):
        """Releases the promise. Two threads may call this: one of them pops the token."""
        with contextlib.suppress(IndexError):
            if self.is_derived:
                lib.promise_release(self.tokens.pop())


class _Holder:
    """The callbacks and objects that C holds, of all copies of this module in this interpreter.

    An object of Python is an OBJECT of C with a number as its payload. So is the context of callbacks, which C releases
    when it will not call them again. C reports both ends to a completion queue: no thread of C calls Python for that.

    There is no lock: Python code of a signal handler, or of a finalizer, may run at any point of these functions and
    call them. One operation of a dict or a list decides each race."""

    def __init__(self):
        self.queue = made(lib.promise_queue_new())
        # Another interpreter of this process has its own holder, with the same types. A payload that is not in
        # `objects` is an object of that one: its numbers begin elsewhere.
        self.numbers, self.objects = itertools.count(1 + secrets.randbits(62)), {}
        self.types, self.known = weakref.WeakKeyDictionary(), set()  # the types by class, and all of them
        self.attached = {}  # by the number of the context
        self.inherited = set()  # numbers of callbacks that may run in the parent of this process, and so never end here
        self.batches = []  # events that are being handled, or whose handling an exception of a signal handler ended
        self.context_type = made(lib.promise_type_register(b"python.callbacks", None, Context()))
        atexit.register(self.detach_all)
        os.register_at_fork(after_in_child=lambda: self.inherited.update(self.attached))

    def attach(self, function, functions, is_derived):
        """Calls `function(context)`, which attaches the functions; returns the promise's token."""
        number, attached = next(self.numbers), _Attached(functions, is_derived)
        self.attached[number] = attached
        status = lib.promise_queue_object(self.queue, attached.context, self.context_type, number)
        if status < 0:
            del self.attached[number]
            raise StatusError(status)
        token = made(function(ctypes.addressof(attached.context)))
        if is_derived:
            check(lib.promise_retain(token))  # for detach_all()
        attached.tokens.append(token)
        if attached.has_ended:  # C released the context meanwhile
            attached.release()
        return token

    def begin(self, context):
        """Returns the callbacks that C calls with the context."""
        number = Value.from_address(context).content.ptr
        self.inherited.discard(number)
        attached = self.attached[number]
        attached.is_running = True
        return attached

    def forget(self, nanoseconds=0):
        """Forgets the callbacks and objects that C has released. Returns 0, or the status that ended this."""
        if not (self.objects or self.attached):
            return 0
        events = (Event * 64)()
        self.batches.append(events)
        while (count := lib.promise_queue_take(self.queue, events, len(events), nanoseconds)) > 0:
            nanoseconds = 0
            self.drop(events, count)
        self.batches.remove(events)
        return count

    def drop(self, events, count):
        """Forgets the callbacks and objects of these events, unless that is done already."""
        for place in range(count):
            tag = events[place].tag
            self.objects.pop(tag, None)
            attached = self.attached.get(tag)
            if attached:
                attached.has_ended = True
                attached.release()
                self.attached.pop(tag, None)

    def drop_interrupted(self):
        for events in list(self.batches):
            self.drop(events, len(events))

    def detach_all(self):
        """Detaches all callbacks and awaits those that run: no thread of C may call an interpreter that has ended.

        C keeps the context of a callback that waits on an executor. After a second without progress, such contexts are
        left to it: an executor that nobody runs would keep them forever, and a detached callback is not called."""
        status, before, idle = 0, -1, 0
        while status in (0, Status.PROMISE_EINTR):
            for attached in list(self.attached.values()):
                if not attached.is_derived:
                    attached.functions = (lambda: None,)
                for token in list(attached.tokens):
                    lib.promise_discard(token)
            self.forget()
            self.drop_interrupted()
            # Callbacks without a token were not attached: an exception of a signal handler ended that.
            left = [one for number, one in list(self.attached.items()) if one.tokens and number not in self.inherited]
            idle = 0 if len(left) != before else idle + 1
            before = len(left)
            if not left or idle > 100 and not any(one.is_running for one in left):
                break
            # With a time limit: another thread may take the last event.
            status = self.forget(nanoseconds=10_000_000)
        for one in left:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))  # C still has its context
        lib.promise_queue_free(self.queue)


# All copies of the module share a holder, because each may get objects of the others: their types are the same.
_NAME = "promise: held by libpromise"
if _NAME not in sys.modules:
    sys.modules[_NAME] = _Holder()
holder = sys.modules[_NAME]


def held():
    """Returns the number of callbacks and objects that C still holds."""
    holder.forget()
    holder.drop_interrupted()
    return len(holder.attached) + len(holder.objects)


def of_c(type_):
    """Makes a C function that lives as long as the process: C may call it after its module was collected."""

    def make(function):
        made = type_(function)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        return made

    return make


# The free function of contexts: it releases the context without a call into Python.
LET_GO = ctypes.cast(lib.promise_value_release, Context)
