"""Processes with promise.py: copies of the module, signals, forks, exits. PYTHONPATH and LIBPROMISE name the files."""

import os
import signal
import subprocess
import sys
import unittest


def run(program):
    """Runs the program in a process of its own; returns its output. Ends it and its children after ten minutes."""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, process.returncode
    return output


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
for name in "promise", "held", "kept", "libpromise": sys.modules.pop(name, None)
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
for name in "promise", "held", "kept", "libpromise": sys.modules.pop(name, None)
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

    def test_the_interpreter_ends_although_a_handler_waits_for_a_loop(self):
        """Nobody runs the loop, so the job of the handler keeps its context forever."""
        program = """
import ctypes, promise
new, executor = promise.lib.promise_loop_new, promise.lib.promise_loop_executor
new.restype = executor.restype = ctypes.c_void_p
executor.argtypes = (ctypes.c_void_p,)
source = promise.Promise()
derived = source.then(print, executor=executor(new()))
source.resolve(1)
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_an_object_of_another_interpreter_is_foreign(self):
        """A second holder stands for a second interpreter: the types have the same names, and the same C types."""
        program = """
import sys, promise as first
for name in "promise", "held", "kept", "libpromise", "promise: held by libpromise": sys.modules.pop(name, None)
import promise as second
theirs, ours = first.Promise(), second.Promise()
theirs.resolve([1])
ours.resolve([2])
assert first.lib.promise_retain(theirs.token) == 0
read = second.Promise(token=theirs.token)
assert type(read.value()) is second.Foreign and read.value().type_name == "python.builtins.list", read.value()
assert theirs.value() == [1] and ours.value() == [2]
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_copies_share_one_queue(self):
        program = """
import ctypes, sys, promise
for _ in range(3):
    for name in "promise", "held", "kept", "libpromise": sys.modules.pop(name, None)
    import promise
statistics = (ctypes.c_uint64 * 17)(17 * 8)
assert promise.lib.promise_statistics(statistics) == 0
assert statistics[12] == 1, list(statistics)
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_signals_are_handled_during_a_wait(self):
        program = """
import os, signal, threading, promise
answer = promise.Promise()
signal.signal(signal.SIGALRM, lambda *_: answer.resolve(42))
signal.setitimer(signal.ITIMER_REAL, 0.05)
assert answer.value() == 42
signal.setitimer(signal.ITIMER_REAL, 0.05)
assert promise.Promise().wait(0.1).name == "PROMISE_ETIMEDOUT"
try:
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    promise.Promise().value()
except KeyboardInterrupt:
    print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_a_signal_that_does_not_interrupt_the_sleep_is_handled(self):
        """Another thread gets the signal, so that it never ends the sleep of the main thread."""
        program = """
import signal, threading, promise
answer = promise.Promise()
signal.signal(signal.SIGALRM, lambda *_: answer.resolve(42))
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
signal.setitimer(signal.ITIMER_REAL, 0.05)
assert answer.value() == 42
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_an_exception_of_a_signal_handler_loses_no_callback(self):
        """Raises at each line of functions of held.py in turn. The process ends; all events are handled."""
        program = """
import gc, held, promise, sys
def raises(left, names):
    def trace(frame, event, _):
        if frame.f_code.co_filename != held.__file__ or frame.f_code.co_name not in names: return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0: raise KeyboardInterrupt
        return trace
    return trace
def story():
    source = promise.Promise()
    derived = source.then(lambda value: [value])
    source.resolve([1])
    return derived.result()
def lines(*names):
    after, left = 0, [0]
    while left[0] <= 0:
        left[0] = after = after + 1
        sys.settrace(raises(left, names))
        try: story()
        except KeyboardInterrupt: pass
        sys.settrace(None)
        gc.collect()
        held.held()
    return after
assert lines("forget", "drop", "release") > 20
assert held.held() == 0, held.held()
assert lines("attach") > 10
print("passed")
"""
        self.assertEqual(run(program), b"passed\n")

    def test_a_finalizer_may_attach_handlers(self):
        """Two handlers that never ran are forgotten at once. An object that each of them holds attaches another one."""
        program = """
import promise
settled = promise.Promise()
settled.resolve()
class Attaching:
    def __del__(self): settled.then(print)
sources = [promise.Promise() for _ in range(2)]
derived = [source.then(lambda _, thing=Attaching(): None) for source in sources]
for one in derived + sources:
    one._owned = False
    assert promise.lib.promise_release(one.token) == 0
print("passed" if promise.held() == 0 else "held")
"""
        self.assertEqual(run(program), b"None\nNone\npassed\n")

    def test_a_child_of_fork_ends(self):
        """Although a handler was running in another thread of the parent, and the child has a thread that sleeps."""
        program = """
import os, sys, threading, promise
running, end = threading.Event(), threading.Event()
source = promise.Promise()
def handler(_):
    running.set()
    end.wait()
derived = source.then(handler)
settling = threading.Thread(target=source.resolve)
settling.start()
running.wait()
child = os.fork()
if child == 0:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    mine = promise.Promise()
    again = mine.then(lambda value: value + 1)
    mine.resolve(1)
    assert again.value() == 2
    sys.exit(3)
_, status = os.waitpid(child, 0)
end.set()
settling.join()
derived.wait()
print("passed" if os.WEXITSTATUS(status) == 3 else status)
"""
        self.assertEqual(run(program), b"passed\n")


if __name__ == "__main__":
    unittest.main()
