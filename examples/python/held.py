"""The callbacks and objects of Python that C holds, and how they end."""

import atexit
import ctypes
import itertools
import sys
import threading

from libpromise import Context, Event, StatusError, lib, made


class _Attached:
    """Handlers that C holds, or the function that C calls at a discard; and the promise whose discard detaches them."""

    def __init__(self, functions, is_derived):
        self.functions, self.is_derived, self.token = functions, is_derived, None


class _Holder:
    """The callbacks and objects that C holds, of all copies of this module.

    C reports their ends to a completion queue, so no thread of C calls Python for that. An object is a number in C. The
    context of callbacks is a promise, the gate, which C releases when it will not call them again."""

    def __init__(self):
        self.queue, self.events = made(lib.promise_queue_new()), (Event * 64)()
        self.numbers, self.objects = itertools.count(1), {}
        self.types = {}  # by class
        self.attached = {}  # by gate
        self.change, self.taking = threading.Lock(), threading.Lock()
        atexit.register(self.detach_all)

    def attach(self, function, functions, is_derived):
        """Calls `function(gate)`, which attaches the functions with that context; returns the promise's token."""
        gate, attached = made(lib.promise_new()), _Attached(functions, is_derived)
        status = lib.promise_queue_tap(self.queue, gate, gate)
        if status < 0:
            lib.promise_release(gate)
            raise StatusError(status)
        self.attached[gate] = attached
        token = made(function(gate))
        with self.change:
            if gate in self.attached:
                attached.token = token
                if is_derived:
                    # Keeps the promise, which detach_all() discards. Seals it, so that the reference does not count as
                    # interest.
                    lib.promise_retain(token)
                    lib.promise_seal(token)
        return token

    def forget(self, nanoseconds=0):
        """Forgets the callbacks and objects that C has released, unless this or another thread is doing so already."""
        if not (self.objects or self.attached) or not self.taking.acquire(blocking=False):
            return
        try:
            size = len(self.events)
            while (count := lib.promise_queue_take(self.queue, self.events, size, nanoseconds)) > 0:
                nanoseconds = 0
                for tag in [event.tag for event in self.events[:count]]:
                    self.objects.pop(tag, None)
                    with self.change:
                        attached = self.attached.pop(tag, None)
                    if attached and attached.is_derived and attached.token:
                        lib.promise_release(attached.token)
        finally:
            self.taking.release()

    def detach_all(self):
        """Detaches all callbacks and awaits those that run: no thread of C may call an interpreter that has ended."""
        for attached in list(self.attached.values()):
            if not attached.is_derived:
                attached.functions = (lambda: None,)
            lib.promise_discard(attached.token)
        while self.attached:
            self.forget(nanoseconds=-1)
        lib.promise_queue_free(self.queue)


# All copies of the module share a holder, because each may get objects of the others: their types are the same.
holder = sys.modules.setdefault("promise: held by libpromise", _Holder())


def held():
    """Returns the number of callbacks and objects that C still holds."""
    holder.forget()
    return len(holder.attached) + len(holder.objects)


def of_c(type_):
    """Makes a C function that lives as long as the process: C may call it after its module was collected."""

    def make(function):
        made = type_(function)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        return made

    return make


# The free function of contexts: it releases the gate without a call into Python.
LET_GO = ctypes.cast(lib.promise_release, Context)
