/* promise.h - promises that any language can hold.
 *
 * A promise is the result of work that may not have ended yet. It is pending, then settles once: fulfilled with a
 * value, or rejected with a reason. Callbacks attached to it run when it settles. This header is the whole interface of
 * libpromise.so: a C program, or any language that can call C, needs nothing else, and no Swift runtime. It includes
 * one header for each subject; the rules common to all of them stand here. promise.hpp is a layer over it for C++, with
 * types, lambdas, exceptions and coroutines.
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
 *   A handle returned by a function is a new reference, owned by the caller: release it once. A handle passed to a
 *   function stays the caller's, unless the comment says "takes over". The same holds for values whose kind owns memory
 *   (STRING, BYTES, ARRAY, MAP, ERROR, PROMISE, OBJECT, and a DISCARDED with a cause): promise_value_release() releases
 *   one. A value passed to a callback is borrowed: it is valid until the callback returns; promise_value_retain() keeps
 *   it.
 *
 * HANDLES
 *   A `promise_t *` is a token, not an address: never dereference it. A call with a NULL token fails with
 *   PROMISE_EINVAL. PROMISE_ESTALE is the status for a token that its last owner released, that is forged, that belongs
 *   to another kind of object, or to another copy of this library. Nothing is read or written through such a token. A
 *   forged token that happens to name a live object is a handle of that object, which may be one of the library's own.
 *   Releasing the last reference on one thread while another thread uses it remains the caller's error, as with every
 *   reference count.
 *   The library has references of its own: a source to the promises derived from it, a queue to its jobs, a timer
 *   thread to the promise that it settles at this moment. So the token of an object that you have released becomes
 *   stale when the last of these references is released, maybe later and on another thread. Until then a call with the
 *   token reaches the object. One release too many of a pending promise or of an executor does not release a reference
 *   of the library: it fails with PROMISE_ESTALE. If other owners in the program have references, it releases one of
 *   theirs. PROMISE_ESTALE finds mistakes; no program may depend on it.
 *
 * RESULTS
 *   Each function returns in one of three ways:
 *
 *     result                        on failure                    functions
 *     a status, a state, a count    a negative promise_status_t   all others that return promise_status_t,
 *     or a descriptor                                             promise_state_t, int32_t or int64_t
 *     a handle, a type, a type's    NULL; the reason is in        all others that return a pointer
 *     name, a builder's room        promise_last_status()
 *     an answer                     cannot fail: 0, NULL or       those of the next table
 *                                   false where there is none
 *
 *   ANSWERS are neither statuses, nor do they set promise_last_status():
 *     part of a value, borrowed     promise_value_data, promise_value_domain, promise_value_origin,
 *                                   promise_value_cause, promise_value_at, promise_value_key, promise_value_find
 *     number                        promise_value_code (negative ones too), promise_value_count,
 *                                   promise_value_describe, promise_now, promise_trim, promise_abi_version
 *     bool                          promise_value_is, promise_is_main_thread
 *     text                          promise_version, promise_status_name
 *     status of another call        promise_last_status
 *
 *   A call with several mistakes returns the status of one of them.
 *
 *   Results other than numbers are stored in out parameters, which are overwritten without being released. On failure a
 *   value there is VOID, a bool false. States, verdicts, kinds of queue events, flags of each function and statuses
 *   share no number: one passed in place of another is refused.
 *
 *   A length or count that no memory can have (more than PTRDIFF_MAX bytes in all) is refused with PROMISE_EINVAL;
 *   where it asks for memory (promise_builder_new(), promise_builder_room(), promise_trace_start()) with
 *   PROMISE_ENOMEM. A limit (the capacity of a subscription) and the size of room that a caller offers
 *   (promise_queue_take(), promise_value_describe()) have no upper limit.
 *
 * LIFETIME
 *   Handles are counted. A function that creates one returns a reference to the caller; ..._retain() adds one, up to
 *   2^26 to a promise or an executor and 2^24 - 1 to any other object; ..._release() releases one.
 *
 *     handle       the last release
 *     promise      releases its value; of a pending promise, frees its callbacks uncalled
 *     executor     frees its context; each pending job holds a reference
 *     loop         closes it: pending jobs and timers are dropped with PROMISE_ECLOSED
 *     token        ends its deadline; invalidates it, if made with PROMISE_TOKEN_INVALIDATE_ON_RELEASE
 *     publisher    cancels its stream, if that has not ended
 *     subscriber   cancels the subscriber
 *     queue        revokes it
 *
 *   Builders and jobs are consumed, not counted, because each has one owner and one end: promise_builder_finish() or
 *   promise_builder_drop(), promise_job_run() or promise_job_drop(). Types, the main loop and the executors immediate,
 *   global and main are permanent, and need no release.
 *
 * ENDING EARLY
 *                             discard                    cancel                       invalidate
 *     functions               promise_discard()          promise_request_cancel()     promise_token_invalidate()
 *                             promise_discard_with()     promise_token_cancel()
 *     applies to              one promise                one promise, or those        the handlers attached with a
 *                                                        added to a token             token, then those promises
 *     the promise             is rejected at once,       stays pending until its      as for cancel; its silenced
 *                             with a DISCARDED           producer settles it          handlers are not called
 *     its producer            its discard block runs     its cancel request           as for cancel
 *                                                        handlers run
 *     its source              loses one consumer         is asked too, once its       as for cancel
 *                                                        last consumer has asked
 *     promises derived        are rejected with it,      follow the producer's        those of silenced handlers
 *     from it                 unless rescued             decision                     are cancelled
 *
 * THREADS
 *   Every function may be called on any thread at any time, callbacks included, unless its comment says otherwise. The
 *   last line of each comment is its thread tag: [any thread]; [one thread at a time] if calls with the same handle
 *   must not overlap; and "not where blocking is forbidden" if the call may sleep, so that it does not belong on the
 *   thread of another event loop. Nothing is called with a lock held. The library has threads of its own for
 *   promise_executor_global() and for timers outside loops. They are named promise-pool, promise-timers and
 *   promise-clock. They receive no signals but those of their own faults, and end after a second without work.
 *   promise_set_thread_hooks() (runtime.h) calls functions of yours when they begin and end.
 *
 * CALLBACKS
 *   Callbacks run inside the call that settles the promise, on that thread, in the order of attachment, depth first.
 *   When promise_resolve(), promise_reject() or promise_discard() returns, all of them have run, and so have those of
 *   the derived promises. A callback attached to a settled promise runs before the attaching call returns. Only a
 *   reaction with an executor (promise_react()) runs elsewhere. Chains of any length settle without recursion. Order
 *   when one thread attaches to a promise while another settles it:
 *   - Reactions with an executor are submitted in the order of attachment, so a serial executor runs them in that
 *     order. If the settling thread still has earlier ones to submit, also within a callback of the promise, that
 *     thread submits the new reaction after them. Waiting within that callback for the promise of the new reaction
 *     fails with PROMISE_EDEADLK.
 *   - Callbacks without an executor run in the order of attachment on the settling thread. A callback that is attached
 *     to a settled promise runs at once on the attaching thread, maybe before earlier callbacks that the settling
 *     thread has not reached.
 *   A callback may call any function of this header, on any promise. It must return normally: an exception, a longjmp
 *   or a pthread_exit() must not leave it. The same holds for every other function that the library calls: free_ctx,
 *   destructors and methods of types, submit functions and hooks.
 *   Each callback has a `ctx`, passed to it, and a `free_ctx`, which may be NULL. free_ctx(ctx) is called exactly once
 *   on every path: after the callback ran, when it can no longer run, and when the attaching call fails. Exceptions:
 *   work that is pending at exit(), and in a child of fork() work and hooks of the parent's threads.
 *
 * THE PROCESS (details in docs/process.md)
 *   signals   No function is async-signal-safe: call none from a signal handler. The library's threads block
 *             asynchronous signals, but not those of their own faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
 *             SIGABRT, SIGSYS). A handler that runs on a thread of yours interrupts promise_wait_interruptible() and
 *             promise_queue_take(), and no other wait.
 *   fork()    In the child every promise can be settled, attached to and released, at whichever point the parent's
 *             other threads were. Pending jobs and timers of the library's threads belong to the parent: they do not
 *             run in the child, and their promises stay pending there. New jobs and timers run on threads of the child.
 *             A loop keeps its pending work and its descriptor, which no longer wakes the parent. A wait that nothing
 *             in the child could end fails with PROMISE_EDEADLK. After vfork() or _Fork() a child may only exec or
 *             _exit().
 *   exit()    The process does not wait for the library's threads, and pending work does not run. Handlers of atexit()
 *             and destructors of threads may call every function.
 *   dlclose() The library and its memory stay loaded.
 *   copies    Two copies of the library in one process are independent; a handle of one is stale in the other.
 *
 * A promise is *cancelled* when it is rejected with a DISCARDED, by any call. A comment cites the clause of the
 * specification that a function implements as "clause 3.1.2".
 *
 * MAP
 *   Create and settle            promise_new, promise_new_discardable, promise_new_resolved, promise_new_rejected,
 *   (core.h)                     promise_resolve, promise_resolve_many, promise_reject, promise_discard,
 *                                promise_discard_with, promise_retain, promise_release
 *   Read and wait (core.h)       promise_state, promise_result, promise_wait, promise_wait_any,
 *                                promise_wait_interruptible
 *   React (callback.h)           promise_then, promise_rescue, promise_finally, promise_react, promise_observe,
 *                                promise_tap, promise_follow
 *   Combine (combine.h)          promise_all, promise_all_settled, promise_any, promise_race
 *   Cancel (cancel.h)            promise_request_cancel, promise_cancel_requested, promise_on_cancel_request,
 *                                promise_seal, promise_value_discarded
 *   Cancel many (cancel.h)       promise_token_new, promise_token_add, promise_token_cancel, promise_token_invalidate,
 *                                promise_token_chain, promise_token_set_deadline, promise_token_deadline,
 *                                promise_token_is_cancelled, promise_token_generation, promise_token_retain,
 *                                promise_token_release
 *   Run elsewhere (executor.h)   promise_run, promise_executor_submit, promise_executor_global,
 *                                promise_executor_serial, promise_executor_main, promise_executor_set_main,
 *                                promise_executor_immediate, promise_executor_new, promise_job_run, promise_job_drop,
 *                                promise_executor_is_current, promise_is_main_thread, promise_executor_retain,
 *                                promise_executor_release
 *   Time (timer.h)               promise_now, promise_sleep, promise_sleep_on, promise_delay, promise_delay_on,
 *                                promise_timeout, promise_timeout_on
 *   Join an event loop (loop.h)  promise_loop_new, promise_loop_main, promise_loop_fd, promise_loop_executor,
 *                                promise_loop_run_once, promise_loop_run, promise_loop_wait, promise_loop_stop,
 *                                promise_loop_is_current, promise_loop_retain, promise_loop_release
 *   Serve a VM (queue.h)         promise_queue_new, promise_queue_fd, promise_queue_take, promise_queue_watch,
 *                                promise_queue_tap, promise_queue_then, promise_queue_answer, promise_queue_on_cancel,
 *                                promise_queue_object, promise_queue_unwatch, promise_queue_retain,
 *                                promise_queue_release, promise_queue_free
 *   Make values (value.h,        promise_value_void, promise_value_bool, promise_value_i64, promise_value_u64,
 *   scalar.h)                    promise_value_f64, promise_value_pointer, promise_value_string, promise_value_bytes,
 *                                promise_value_bytes_foreign, promise_value_promise, promise_value_object,
 *                                promise_value_object_with
 *   Read and keep values         promise_value_data, promise_value_retain, promise_value_release, promise_value_equal,
 *   (value.h, inspect.h)         promise_value_describe
 *   Errors (error.h)             promise_value_error, promise_value_error_sized, promise_value_error_from,
 *                                promise_value_domain, promise_value_code, promise_value_origin, promise_value_cause
 *   Arrays and maps              promise_value_array, promise_value_map, promise_value_count, promise_value_at,
 *   (collection.h)               promise_value_key, promise_value_find
 *   Build values (builder.h)     promise_builder_new, promise_builder_from, promise_builder_add, promise_builder_set,
 *                                promise_builder_append, promise_builder_room, promise_builder_advance,
 *                                promise_builder_count, promise_builder_finish, promise_builder_drop
 *   Types (type.h, inspect.h)    promise_type_register, promise_type_named, promise_type_name, promise_type_methods,
 *                                promise_value_type, promise_value_is
 *   JSON (json.h)                promise_value_from_json, promise_value_to_json
 *   Publish (stream.h)           promise_publisher_new, promise_publisher_every, promise_publisher_publish,
 *                                promise_publisher_publish_error, promise_publisher_finish, promise_publisher_fail,
 *                                promise_publisher_cancel, promise_publisher_ready, promise_publisher_state,
 *                                promise_publisher_latest, promise_publisher_count, promise_publisher_retain,
 *                                promise_publisher_release
 *   Subscribe (stream.h)         promise_publisher_subscribe, promise_subscriber_request, promise_subscriber_next,
 *                                promise_subscriber_end, promise_subscriber_cancel, promise_subscriber_dropped,
 *                                promise_subscriber_retain, promise_subscriber_release
 *   Transform streams            promise_publisher_transform, promise_publisher_scan, promise_publisher_reduce,
 *   (operator.h)                 promise_publisher_window, promise_publisher_buffer, promise_publisher_distinct,
 *                                promise_publisher_take, promise_publisher_stateful, promise_publisher_replay,
 *                                promise_publisher_start_with, promise_publisher_merge,
 *                                promise_publisher_combine_latest, promise_publisher_zip, promise_publisher_of,
 *                                promise_publisher_forward
 *   Streams of streams           promise_publisher_flat_map, promise_publisher_retry
 *   (flatten.h)
 *   Time streams (timing.h)      promise_publisher_debounce, promise_publisher_throttle, promise_publisher_timeout
 *   Diagnose (observe.h)         promise_set_hooks, promise_dump, promise_dump_lines, promise_trace_start,
 *                                promise_trace_stop, promise_trace_write
 *   The library itself           promise_version, promise_abi_version, promise_status_name, promise_last_status,
 *   (version.h, status.h,        promise_statistics, promise_trim, promise_set_thread_hooks
 *   runtime.h)
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
#include "promise/timing.h"
#include "promise/flatten.h"
#include "promise/observe.h"
#include "promise/runtime.h"

#endif /* PROMISE_H */
