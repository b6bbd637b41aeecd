/* promise/observe.h - diagnostics: hooks for lost errors, dumps of pending promises, traces. Part of promise.h: read
 * that first.
 *
 * Promises are named here by their ids. An id is the number of the promise's handle, (uint64_t)(uintptr_t)promise, and
 * is never used again for another promise. It is not a reference: use it to compare and to print. The id of a callback
 * that settles no promise is the handle of no object. A promise that the library makes for itself has an id too: never
 * retain it. A promise_delay(), for example, waits until that reference is released. */
#ifndef PROMISE_OBSERVE_H
#define PROMISE_OBSERVE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

/* The functions of promise_hooks_t. `id` is the promise's. */
typedef void (*promise_unhandled_rejection_t)(void *PROMISE_NULLABLE ctx, uint64_t id,
                                              const promise_value_t *PROMISE_NONNULL reason);
typedef void (*promise_settled_again_t)(void *PROMISE_NULLABLE ctx, uint64_t id, promise_state_t state,
                                        const promise_value_t *PROMISE_NONNULL value);
typedef void (*promise_dropped_pending_t)(void *PROMISE_NULLABLE ctx, uint64_t id, uint64_t callbacks);

/* Hooks: functions that report errors which the program did not ask about. Each may be NULL. Zero the struct, set
 * `size` to sizeof(promise_hooks_t), and set the fields that you need.
 *
 * A hook runs on the thread where the error happens, with no lock held. It may call any function of this library, and
 * must return normally. Errors that happen within a hook, on its thread, are not reported. Values are borrowed until
 * the hook returns. */
typedef struct promise_hooks {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Reports that the promise `id` was rejected with `*reason` and destroyed before anyone took the rejection. There are
   * no false alarms: nothing can take it later. A rejection is taken by
   *   - a caller that learns of the outcome: by promise_state(), promise_result(), promise_wait(), promise_wait_any(),
   *     promise_wait_interruptible() or promise_loop_wait();
   *   - a callback for rejections: of promise_observe(), promise_tap(), promise_rescue(), promise_react();
   *   - a completion queue: promise_queue_watch(), promise_queue_tap(), promise_queue_then(), taken or not;
   *   - a promise derived from this one or following it, promises of several others (combine.h) included. If that
   *     promise is rejected too, its own rejection must be taken. If it was settled earlier, by another input or by a
   *     time limit, it has taken this rejection. A call that settles it earlier - promise_resolve(), promise_reject(),
   *     promise_discard() - detaches it (callback.h), and it takes nothing;
   *   - a subscriber of a publisher of the promise (promise_publisher_of()) that gets the end.
   * The rejection that a promise of promise_delay() would have got is reported if that promise is released before the
   * delay is over.
   * A DISCARDED is not a failure, and is not reported. Rejections that happened before the hook was set are not
   * reported. The end of a subscriber (stream.h) is a promise like any other: a failed stream is reported for each
   * subscriber whose promise_subscriber_end() was not taken. promise_subscriber_next() and promise_publisher_forward()
   * take the end. */
  promise_unhandled_rejection_t PROMISE_NULLABLE unhandled_rejection;

  /* Reports that promise_resolve() or promise_reject(), or their counterparts in another language, was called for the
   * promise `id`, which was already settled. `state` and `*value` are the outcome that the call asked for:
   * PROMISE_FULFILLED or PROMISE_REJECTED. The caller gets PROMISE_ESETTLED. promise_discard() is not reported. */
  promise_settled_again_t PROMISE_NULLABLE settled_again;

  /* Reports that the promise `id` was destroyed while still pending: `callbacks` callbacks will never run.
   * Reported for promises that calls from outside were to settle, not for promises derived from them. */
  promise_dropped_pending_t PROMISE_NULLABLE dropped_pending;

  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_hooks_t;

/* Replaces the hooks of this process: one set for all languages. NULL removes them; then nothing is reported, and
 * nothing is ever printed, which is the initial state. `*hooks` is read during the call only.
 * Returns PROMISE_OK; PROMISE_EINVAL if `size` is less than that of version 1 or more than 4096, if `reserved` or a
 * field unknown to this library is not 0, or if no function is set; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once, after the hooks were replaced and their last running call has returned, by that call or
 * by this function. On failure it has been called, unless `size` is too small to hold it.
 * [any thread] */
PROMISE_API promise_status_t promise_set_hooks(const promise_hooks_t *PROMISE_NULLABLE hooks);

/* Receives one line of text of `length` bytes, borrowed until it returns. */
typedef void (*promise_line_t)(void *PROMISE_NULLABLE ctx, const char *PROMISE_NONNULL text, size_t length);

/* Calls line(ctx, text, length) for each pending promise, and then with their number. A line shows the id, the age, the
 * references and callbacks, and the party that is to settle the promise:
 *     0x42000100000a1 pending for 1.204 s, 2 references, 1 callback: a callback on the pool 0x.., after 0x..
 *     0x42000100000a2 pending, 1 reference, 3 callbacks: any holder
 *     0x42000100000a3 pending, 2 references, 0 callbacks: a timer due in 0.250 s
 *     0x42000100000a4 pending, 2 references, 1 callback: all of its inputs: 2 of them are pending
 * The age is known of promises created while a trace was on (promise_trace_start()). Rejected promises that nobody has
 * taken yet are listed too, if the hook for them was set. The text is UTF-8 for people, without a line end or a NUL,
 * and its form may change. It is borrowed until `line` returns. Other threads continue during the call. Each line was
 * true at some moment of the call; promises created or settled meanwhile may be missing. The time is proportional to
 * the cells that the process has used. From a debugger: `call promise_dump(2)`.
 * Returns PROMISE_OK; PROMISE_EINVAL if `line` is NULL; PROMISE_ENOMEM.
 * `line` runs on the calling thread with no lock held.
 * [any thread, callbacks included] */
PROMISE_API promise_status_t promise_dump_lines(promise_line_t PROMISE_NULLABLE line, void *PROMISE_NULLABLE ctx);

/* Writes the lines of promise_dump_lines() to a file descriptor.
 * Returns PROMISE_OK; PROMISE_EINVAL if the descriptor cannot be written to, with the reason in errno; PROMISE_ENOMEM.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_dump(int32_t descriptor);

/* The kind of a trace event. */
typedef uint32_t promise_trace_kind_t;

enum {
  /* The promise `id` was created: on its own, or as the result of a callback of `parent`. */
  PROMISE_TRACE_CREATED = 1,
  /* `id` was attached to `parent`. `id` is a promise that follows `parent`, one that combines it with others, or a
   * callback that settles no promise. */
  PROMISE_TRACE_ATTACHED = 2,
  /* The promise `id` was fulfilled or rejected: `state`. Its callbacks come next. */
  PROMISE_TRACE_SETTLED = 3,
  /* The callback that settles `id`, or is `id`, begins. */
  PROMISE_TRACE_BEGAN = 4,
  /* That callback has returned, on the same thread. */
  PROMISE_TRACE_ENDED = 5,
  /* The promise `id` was destroyed while still pending. */
  PROMISE_TRACE_DROPPED = 6
};

/* A trace event, borrowed. Later versions may add fields at the end; `size` shows which are there. */
typedef struct promise_trace_event {
  uint32_t size;
  promise_trace_kind_t kind;
  uint64_t id;
  uint64_t parent; /* 0: none, or not reported for this kind */
  /* For PROMISE_TRACE_BEGAN: the number of the handle of the callback's executor; 0 if the callback runs inline, in the
   * call that settles or attaches. */
  uint64_t executor;
  int64_t time_ns;       /* of the monotonic clock */
  int32_t thread;        /* the kernel's thread id */
  promise_state_t state; /* of PROMISE_TRACE_SETTLED; otherwise 0 */
} promise_trace_event_t;

/* Receives one event of a trace, borrowed until it returns. */
typedef void (*promise_trace_callback_t)(void *PROMISE_NULLABLE ctx,
                                         const promise_trace_event_t *PROMISE_NONNULL event);

/* Options of a trace. Zero the struct, set `size` to sizeof(promise_trace_t), and set the fields that you need. */
typedef struct promise_trace {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t capacity; /* the newest events to record for promise_trace_write(), 48 bytes each; 0: none */
  /* Called with each event, on the thread of the event, with no lock held; may be NULL. It may call any function of
   * this library, but must not release the last reference to an argument of a call in progress on its thread, other
   * than the call that settles a promise. Events within the call are not traced. Events of several threads may arrive
   * in another order than that of their times. */
  promise_trace_callback_t PROMISE_NULLABLE event;
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_trace_t;

/* Starts a trace, and replaces the one before with its recorded events. With no trace and no hook, each point of
 * observation costs one test. Swift callbacks for success alone count as called when a rejection passes them.
 * Returns PROMISE_OK; PROMISE_EINVAL if `trace` is NULL, if `size` is less than that of version 1 or more than 4096, if
 * `reserved` or a field unknown to this library is not 0, or if `capacity` is 0 and `event` NULL; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once, after the trace was stopped or replaced and its last running call has returned. On
 * failure it has been called, unless `trace` is NULL or `size` too small to hold it.
 * [any thread] */
PROMISE_API promise_status_t promise_trace_start(const promise_trace_t *PROMISE_NULLABLE trace);

/* Stops the trace, if one is on. Its recorded events can still be written.
 * Returns PROMISE_OK.
 * [any thread] */
PROMISE_API promise_status_t promise_trace_stop(void);

/* The format of a written trace. */
typedef uint32_t promise_trace_format_t;

enum {
  PROMISE_TRACE_FORMAT_PERFETTO = 1, /* Chrome's trace events, as JSON, which ui.perfetto.dev opens */
  PROMISE_TRACE_FORMAT_GRAPHVIZ = 2  /* the graph of derivations, for dot */
};

/* Writes the recorded events to a file descriptor, during the trace or after it. Both formats show the number of older
 * events that were overwritten.
 * Returns PROMISE_OK; PROMISE_EINVAL if the format is unknown, or if the descriptor cannot be written to, with the
 * reason in errno; PROMISE_ENOMEM.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_trace_write(int32_t descriptor, promise_trace_format_t format);

PROMISE_END_DECLS

#endif /* PROMISE_OBSERVE_H */
