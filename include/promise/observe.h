/* promise/observe.h - to hear of what goes wrong, and to see what goes on. Part of promise.h: read that first.
 *
 * Promises are told of here by their ids. An id is the number of the promise's handle, (uint64_t)(uintptr_t)promise, and
 * no other promise ever has the same. It is no reference: use it to compare and to print. */
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

/* Functions that are told when something goes wrong which nobody asked about. Each may be NULL. Zero the struct, set
 * `size` to sizeof(promise_hooks_t), and fill what you need.
 *
 * They are called on the thread where it happens, whatever that is, with no lock held, and may call any function of this
 * library. What happens within a hook, on its thread, is not reported. They must return normally. Values are lent until
 * then. */
typedef struct promise_hooks {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* The promise `id` was rejected with `*reason`, and goes without anybody having taken that. This is no guess: nobody can
   * take it any more. A rejection is taken by
   *   whoever calls promise_state(), promise_result(), promise_wait(), promise_wait_any() or promise_loop_wait() and so
   *   learns that the promise is settled;
   *   a callback for rejections: of promise_observe(), promise_tap(), promise_rescue(), promise_react();
   *   a promise that is made of this one or follows it. It has the duty then: if it is rejected too, that is to be taken.
   * A DISCARDED is no failure, and not reported. Nor is what was rejected while no such hook was set.
   * The end of a subscriber (stream.h) is a promise like any other: a stream that fails is reported for each subscriber
   * with callbacks whose promise_subscriber_end() nobody took. Whoever is told by promise_subscriber_next(), or passes
   * the end on by promise_publisher_forward(), has taken it. */
  promise_unhandled_rejection_t PROMISE_NULLABLE unhandled_rejection;

  /* promise_resolve() or promise_reject(), or what stands for them in another language, was called for the promise `id`,
   * which is settled already. `state` says what was to become of it, PROMISE_FULFILLED or PROMISE_REJECTED, and `*value`
   * with what; the caller gets PROMISE_ESETTLED. promise_discard() is not reported. */
  promise_settled_again_t PROMISE_NULLABLE settled_again;

  /* The last reference to the promise `id` was given back, and nobody had settled it: so many callbacks will never run.
   * Reported for promises that calls from outside were to settle, but not for those derived from one that is: they stay
   * pending because it went. */
  promise_dropped_pending_t PROMISE_NULLABLE dropped_pending;

  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_hooks_t;

/* Sets the hooks of this process, in place of those before: one set for all languages. NULL: nobody is told, and nothing
 * is ever printed; so it is at the beginning. `*hooks` is read during the call only. free_ctx(ctx) is called when the
 * hooks have been replaced and no call of them goes on any more, by the last such call or by this function.
 * Returns PROMISE_OK; PROMISE_EINVAL if `size` is less than that of version 1 or more than 4096, if `reserved` or a field
 * that this library does not know is not 0, or if there is no function; PROMISE_ENOMEM. free_ctx has run then, unless
 * `size` is too small to tell.
 * [any thread] */
PROMISE_API promise_status_t promise_set_hooks(const promise_hooks_t *PROMISE_NULLABLE hooks);

/* Receives one line of text of `length` bytes, borrowed until it returns. */
typedef void (*promise_line_t)(void *PROMISE_NULLABLE ctx, const char *PROMISE_NONNULL text, size_t length);

/* Calls line(ctx, text, length) for each promise that is pending, and at the end with their number. A line says the id, how
 * long the promise has been pending, how many references and callbacks it has, and who must settle it:
 *     0x42000100000a1 pending for 1.204 s, 2 references, 1 callback: a callback on the pool 0x.., after 0x..; at the root 0x..
 *     0x42000100000a2 pending, 1 reference, 3 callbacks: whoever holds it
 *     0x42000100000a3 pending, 2 references, 0 callbacks: a timer due in 0.250 s
 *     0x42000100000a4 pending, 2 references, 1 callback: all of its inputs: 2 of them are pending
 * How long is known of promises that were made while a trace was on (promise_trace_start()). Promises that were rejected
 * while the hook for that was set, and that nobody has taken yet, are listed too. The text is for people, and may change;
 * it is UTF-8, without the end of the line or a NUL, and lent until `line` returns.
 * Other threads go on meanwhile: each line was true at some moment of the call, and what is made or settled during it may
 * be missing. It takes time in proportion to the promises of the process, holds no lock while it calls `line`, and may be
 * called from a callback. From a debugger: `call promise_dump(2)`.
 * Returns PROMISE_OK; PROMISE_EINVAL if `line` is NULL; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_dump_lines(promise_line_t PROMISE_NULLABLE line, void *PROMISE_NULLABLE ctx);

/* The same, written to a file descriptor, a line each.
 * Returns PROMISE_OK; PROMISE_EINVAL if the descriptor cannot be written to, and errno says why; PROMISE_ENOMEM.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_dump(int32_t descriptor);

/* What an event of a trace is. */
typedef uint32_t promise_trace_kind_t;

enum {
  PROMISE_TRACE_CREATED = 1, /* the promise `id` was made: from nothing, or as what a callback of `parent` settles */
  PROMISE_TRACE_ATTACHED =
      2,                     /* `id` waits for `parent` from now on: a callback that settles nothing, which has an id of
                                 its own; or a promise that follows it, or is made of it and others */
  PROMISE_TRACE_SETTLED = 3, /* the promise `id` was fulfilled or rejected: `state`. Its callbacks come next */
  PROMISE_TRACE_BEGAN = 4,   /* the callback that settles `id`, or is `id`, begins */
  PROMISE_TRACE_ENDED = 5,   /* and has returned, on the same thread */
  PROMISE_TRACE_DROPPED = 6  /* the promise `id` went pending */
};

/* An event, lent. Later versions may add fields at the end: `size` tells which there are. */
typedef struct promise_trace_event {
  uint32_t size;
  promise_trace_kind_t kind;
  uint64_t id;
  uint64_t parent; /* 0: none, or not told here */
  uint64_t
      executor;    /* of PROMISE_TRACE_BEGAN: the handle of the executor that the callback runs on, as a number; 0: the
                            callback runs within the call that settles, or attaches */
  int64_t time_ns; /* of the monotonic clock */
  int32_t thread;  /* by the kernel's number */
  promise_state_t state; /* of PROMISE_TRACE_SETTLED; else 0 */
} promise_trace_event_t;

/* Receives one event of a trace, borrowed until it returns. */
typedef void (*promise_trace_callback_t)(void *PROMISE_NULLABLE ctx,
                                         const promise_trace_event_t *PROMISE_NONNULL event);

/* What becomes of events. Zero the struct, set `size` to sizeof(promise_trace_t), and fill what you need. */
typedef struct promise_trace {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t capacity; /* how many events are recorded for promise_trace_write(): the newest, of 48 bytes each. 0: none */
  /* Called with each event, on its thread, with no lock held; may be NULL. What happens within it is not traced. Events of
   * several threads may come in another order than that of their times. */
  promise_trace_callback_t PROMISE_NULLABLE event;
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_trace_t;

/* Starts a trace, in place of the one before, whose events go. free_ctx(ctx) is called when the trace has been stopped or
 * replaced, and no call goes on any more. While no trace is on, and no hook is set, promises cost one test more wherever
 * one would be told. The callbacks of Swift that let a rejection pass count as called.
 * Returns PROMISE_OK; PROMISE_EINVAL if `trace` is NULL, if `size` is less than that of version 1 or more than 4096, if
 * `reserved` or a field that this library does not know is not 0, or if `capacity` is 0 and there is no `event`;
 * PROMISE_ENOMEM. free_ctx has run then, unless `trace` is NULL or `size` too small to tell.
 * [any thread] */
PROMISE_API promise_status_t promise_trace_start(const promise_trace_t *PROMISE_NULLABLE trace);

/* Stops the trace, if one is on. What it has recorded can still be written.
 * Returns PROMISE_OK.
 * [any thread] */
PROMISE_API promise_status_t promise_trace_stop(void);

/* How a trace is written. */
typedef uint32_t promise_trace_format_t;

enum {
  PROMISE_TRACE_FORMAT_PERFETTO = 1, /* Chrome's trace events, as JSON, which ui.perfetto.dev opens */
  PROMISE_TRACE_FORMAT_GRAPHVIZ = 2  /* the graph of what was made of what, for dot */
};

/* Writes what has been recorded, while the trace goes on or after it, to a file descriptor. Both formats say how many older
 * events are lost.
 * Returns PROMISE_OK; PROMISE_EINVAL if there is no such format, or if the descriptor cannot be written to, and errno says
 * why; PROMISE_ENOMEM.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_trace_write(int32_t descriptor, promise_trace_format_t format);

PROMISE_END_DECLS

#endif /* PROMISE_OBSERVE_H */
