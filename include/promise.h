/* promise.h - promises that any language can hold.
 *
 * A promise is the result of work that has not ended yet. It is pending, then settles once: fulfilled with a value, or
 * rejected with a reason. Callbacks attached to it run when it settles. This header is the whole interface of
 * libpromise.so: a C program, or any language that can call C, needs nothing else, and no Swift runtime. What it
 * declares stands in the headers that it includes, one for each subject; what holds for all of them stands here.
 * promise.hpp stands on it for C++: types, lambdas, exceptions, coroutines.
 *
 *     promise_t *answer = promise_new();
 *     promise_t *twice = promise_then(answer, double_it, NULL, NULL);
 *     promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 21};
 *     promise_resolve(answer, &value);                  // double_it has run when this returns
 *     promise_result(twice, &value);                    // value.as.i64 == 42
 *     promise_release(twice);
 *     promise_release(answer);
 *
 * OWNERSHIP
 *   A `promise_t *` returned by a function here is a reference of yours: give it back once with promise_release(). A
 *   `promise_t *` passed to a function stays yours, unless the comment says "takes over". The same holds for values
 *   whose kind owns memory (STRING, BYTES, ARRAY, MAP, ERROR, PROMISE, OBJECT): promise_value_release() gives one back.
 *   A value that a callback receives is borrowed: it is valid until the callback returns; promise_value_retain() keeps
 *   it.
 *
 * HANDLES
 *   A `promise_t *` is a token, not an address: never dereference it. A token that is NULL gives PROMISE_EINVAL; one
 *   that was released by its last owner, forged, or that belongs to another kind of object or to a second copy of this
 *   library gives PROMISE_ESTALE. Nothing is read or written through it. (Releasing the last reference on one thread
 *   while another thread is still using it stays the caller's error, as it is for every reference count.)
 *
 * RESULTS
 *   Each function returns in one of three ways:
 *
 *     result                        on failure                   examples
 *     a number or a status          a negative promise_status_t  promise_resolve(), promise_state(),
 *     (a signed integer)                                         promise_builder_count(), promise_cancel_requested()
 *     a handle, a type, a type's    NULL; promise_last_status()  promise_new(), promise_then(), promise_type_named(),
 *     name, a builder's room        says why, once               promise_type_name(), promise_builder_room()
 *     a look that cannot fail: a    0, NULL or false where       promise_value_data(), promise_value_is(),
 *     value, a lent pointer, bool   there is nothing             promise_value_count(), promise_now()
 *
 *   What is no number goes to out parameters; on failure a value there is VOID, a bool false. States, verdicts, flags and
 *   statuses share no number: one given in place of another is refused, not misread.
 *
 * LIFETIME
 *   Handles are counted. A function that returns a new one gives the caller a reference; _retain() adds one, _release()
 *   gives one back.
 *
 *     handle       the last release
 *     promise      releases its value; of a pending promise, frees its callbacks uncalled
 *     executor     frees its context; each job that waits holds a reference
 *     loop         closes it: what waits in it is dropped with PROMISE_ECLOSED
 *     token        ends its deadline; invalidates it, if made with PROMISE_TOKEN_INVALIDATE_ON_RELEASE
 *     publisher    cancels its stream, if that has not ended
 *     subscriber   cancels the subscriber
 *     queue        revokes it
 *
 *   Builders and jobs are consumed, not counted, for each has one owner and one end: promise_builder_finish() or
 *   promise_builder_drop(), promise_job_run() or promise_job_drop(). Types, the main loop and the executors immediate,
 *   global and main live for ever, and need no release.
 *
 * ENDING EARLY
 *                             discard                    cancel                       invalidate
 *     functions               promise_discard()          promise_request_cancel()     promise_token_invalidate()
 *                             promise_discard_with()     promise_token_cancel()
 *     concerns                one promise                one promise, or those        the handlers attached with a
 *                                                        added to a token             token, then those promises
 *     the promise             is rejected at once,       stays pending until its      as for cancel; its silenced
 *                             with a DISCARDED           producer settles it          handlers are not called
 *     its producer            its discard block runs     its cancel request           as for cancel
 *                                                        handlers run
 *     its source              loses one consumer         is asked too, when its       as for cancel
 *                                                        last consumer has asked
 *     promises derived        are rejected with it,      follow what the producer     those of silenced handlers
 *     from it                 unless rescued             decides                      are cancelled
 *
 * THREADS
 *   Every function may be called from any thread at any time, callbacks included, unless its comment says otherwise;
 *   the last line of each comment is its thread tag: [any thread]. Nothing is called with a lock held.
 *   The library has threads of its own only for promise_executor_global() and for timers that no loop keeps. They are
 *   named promise-pool, promise-timers and promise-clock, take no signals but those of their own faults, and end after a
 *   second without work. promise_set_thread_hooks() (runtime.h) has them call functions of yours when they begin and end.
 *
 * CALLBACKS
 *   Callbacks run inside the call that settles the promise, on that thread, in the order in which they were attached;
 *   when promise_resolve(), promise_reject() or promise_discard() returns, every one has run, and so have those of the
 *   derived promises, depth first. A callback attached to a settled promise runs before the attaching call returns.
 *   Only a reaction with an executor (promise_react()) runs elsewhere. Chains of any length settle without
 *   recursion. Order when one thread attaches to a promise while another settles it:
 *   - Reactions with an executor are submitted in the order in which they were attached, so a serial executor runs them
 *     in that order. If the settling thread has earlier ones to submit, in a callback of the promise too, a new one is
 *     submitted by that thread, after them; a wait for it inside that callback is PROMISE_EDEADLK.
 *   - Callbacks without an executor run in the order in which they were attached as long as they run on the settling
 *     thread. One that finds the promise settled runs at once on the attaching thread: before, or at the same time as,
 *     earlier ones that the settling thread has not reached.
 *   A callback may call any function of this header, on any promise. It must return normally: an exception or a
 *   longjmp must not leave it.
 *   With every callback go `ctx`, passed to it, and `free_ctx`, which may be NULL: free_ctx(ctx) is called exactly
 *   once, on every path: after the callback ran, when it will never run, and when the attaching call fails.
 *
 * THE PROCESS (docs/process.md says more)
 *   signals   No function is async-signal-safe: none may be called from a signal handler. The library's threads block
 *             asynchronous signals, not those that a fault raises there (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
 *             SIGSYS). A handler that runs on a thread of yours ends promise_wait_interruptible(), and no other wait.
 *   fork()    The child goes on with what the thread that forked can do: every promise can be settled, attached to and
 *             released, whatever other threads were doing. What threads of the library had to do is the parent's: jobs
 *             and timers that were on their way do not run in the child, and what they would settle stays pending; new
 *             ones find threads of the child's own. A loop keeps what waits in it, and its descriptor, which no longer
 *             wakes the parent. A wait that nobody in the child could end gives PROMISE_EDEADLK. After vfork() or
 *             _Fork() a child may only exec or _exit().
 *   exit()    Nobody waits for the library's threads, and what has not run never does. Handlers of atexit() and
 *             destructors of threads may use everything.
 *   dlclose() The library stays in memory, and so does all that it keeps.
 *   copies    Two copies of the library in one process know nothing of each other; a handle of the one is stale in the
 *             other.
 *
 * The specification's clauses that a function implements are cited as "clause 3.1.2".
 */
#ifndef PROMISE_H
#define PROMISE_H

#include "promise/version.h"
#include "promise/status.h"
#include "promise/value.h"
#include "promise/scalar.h"
#include "promise/error.h"
#include "promise/collection.h"
#include "promise/builder.h"
#include "promise/type.h"
#include "promise/inspect.h"
#include "promise/json.h"
#include "promise/core.h"
#include "promise/cancel.h"
#include "promise/callback.h"
#include "promise/combine.h"
#include "promise/executor.h"
#include "promise/timer.h"
#include "promise/loop.h"
#include "promise/queue.h"
#include "promise/stream.h"
#include "promise/operator.h"
#include "promise/observe.h"
#include "promise/runtime.h"

#endif /* PROMISE_H */
