/* promise.h - promises that any language can hold.
 *
 * A promise is the result of work that has not ended yet. It is pending, then settles once: fulfilled with a value, or
 * rejected with a reason. Callbacks attached to it run when it settles. This header is the whole interface of
 * libpromise.so: a C program, or any language that can call C, needs nothing else, and no Swift runtime.
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
 *   Functions that return a pointer return NULL then; promise_last_status() says why.
 *
 * THREADS
 *   Every function may be called from any thread at any time, callbacks included, unless its comment says otherwise;
 *   the last line of each comment is its thread tag: [any thread]. Nothing is called with a lock held.
 *
 * CALLBACKS
 *   Callbacks run inside the call that settles the promise, on that thread, in the order in which they were attached;
 *   when promise_resolve(), promise_reject() or promise_discard() returns, every one has run, and so have those of the
 *   derived promises, depth first. A callback attached to a settled promise runs before the attaching call returns.
 *   Only a reaction with an executor (promise_react()) runs elsewhere. Chains settle without recursion, whatever their
 *   length. A callback may call any function of this header, on any promise. It must return normally: an exception or a
 *   longjmp must not leave it.
 *   With every callback go `ctx`, passed to it, and `free_ctx`, which may be NULL: free_ctx(ctx) is called exactly
 *   once, on every path: after the callback ran, when it will never run, and when the attaching call fails.
 *
 * SIGNALS AND FORK
 *   No function is async-signal-safe. A child made by fork() in a process with several threads may only exec.
 *
 * The specification's clauses that a function implements are cited as "clause 3.1.2".
 */
#ifndef PROMISE_H
#define PROMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "promise/base.h"

PROMISE_BEGIN_DECLS

/* ---- Version ---------------------------------------------------------------------------------------------------- */

/* The version of this ABI that this header describes. It grows by one whenever something is added; nothing is ever
 * removed or changed, so a program built against N runs with every library of N or more. */
#define PROMISE_ABI_VERSION 1u

/* The ABI version that the loaded library implements; at least the PROMISE_ABI_VERSION that the program was built with,
 * or the program must not go on.
 * [any thread] */
PROMISE_API uint32_t promise_abi_version(void);

/* ---- Status ----------------------------------------------------------------------------------------------------- */

/* The result of a call: PROMISE_OK or a negative number. */
typedef int32_t promise_status_t;

enum {
  PROMISE_OK = 0,
  PROMISE_EINVAL = -1,    /* an argument is NULL, of the wrong kind or out of range */
  PROMISE_ESTALE = -2,    /* the handle was released, forged, or is not of this library or this kind */
  PROMISE_ESETTLED = -3,  /* the promise is settled already: the call changed nothing */
  PROMISE_EPENDING = -4,  /* the promise is not settled yet */
  PROMISE_ETIMEDOUT = -5, /* the time given ran out */
  PROMISE_EDEADLK = -6,   /* waiting could never end: the calling thread is the one that has to do the work */
  PROMISE_ENOMEM = -7,    /* no memory, or no room for one more reference */
  PROMISE_ECLOSED = -8    /* the executor, plugin or library that should do the work has shut down */
};

/* The name of a status, such as "PROMISE_ESTALE"; "PROMISE_UNKNOWN" for a number that is none.
 * The string is static.
 * [any thread] */
PROMISE_API const char *PROMISE_NONNULL promise_status_name(promise_status_t status);

/* The status of the last call on the calling thread, of those that return a pointer, that returned NULL; PROMISE_OK if
 * none did. A successful call leaves it as it was.
 * [any thread] */
PROMISE_API promise_status_t promise_last_status(void);

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* A promise: an opaque token. */
typedef struct promise promise_t;

/* What a value is. Numbers are fixed; more may be added at the end. 0 is not a kind. */
typedef uint32_t promise_kind_t;

enum {
  PROMISE_KIND_VOID = 1,       /* no content */
  PROMISE_KIND_BOOL = 2,       /* as.b: 0 or 1 */
  PROMISE_KIND_I64 = 3,        /* as.i64 */
  PROMISE_KIND_U64 = 4,        /* as.u64 */
  PROMISE_KIND_F64 = 5,        /* as.f64 */
  PROMISE_KIND_POINTER = 6,    /* as.ptr: yours, borrowed; never freed by this library */
  PROMISE_KIND_STRING = 7,     /* UTF-8; as.ptr: its bytes, with a NUL after the last */
  PROMISE_KIND_BYTES = 8,      /* as.ptr: the bytes; NULL if there are none */
  PROMISE_KIND_ARRAY = 9,      /* reserved for a later version: no function makes one yet */
  PROMISE_KIND_MAP = 10,       /* likewise */
  PROMISE_KIND_ERROR = 11,     /* domain, code and message; as.ptr: the message, with a NUL after it */
  PROMISE_KIND_DISCARDED = 12, /* the reason of a discarded promise (clause 2.4.2); no content */
  PROMISE_KIND_PROMISE = 13,   /* as.ptr: a promise_t *, one reference of which belongs to the value */
  PROMISE_KIND_OBJECT = 14     /* your own type; as.ptr: your payload */
};

/* A value or a reason: 16 bytes, always passed by pointer.
 * Fill VOID, BOOL, I64, U64, F64, POINTER, DISCARDED and PROMISE yourself, with `reserved` 0. The others are made by
 * the promise_value_... functions, which keep their own bookkeeping in `reserved`: copy a value whole. */
typedef struct promise_value {
  promise_kind_t kind;
  uint32_t reserved; /* 0 in a value that you fill; otherwise the library's */
  union {
    uint8_t b;
    int64_t i64;
    uint64_t u64;
    double f64;
    void *PROMISE_NULLABLE ptr;
  } as;
} promise_value_t;

/* A type of object: an opaque token that lives as long as the process. */
typedef struct promise_type promise_type_t;

/* Called once with what its owner passed as `ctx` or `payload`, when the library is done with it. On the thread that
 * caused it, with no lock held. */
typedef void (*promise_free_t)(void *PROMISE_NULLABLE ctx);

/* Adds a reference to what `value` owns; for a kind that owns nothing it does nothing.
 * Returns PROMISE_OK; PROMISE_EINVAL if `value` is NULL, of no known kind, or forged; PROMISE_ESTALE if it is a PROMISE
 * whose token is stale; PROMISE_ENOMEM if it has 2^27 references.
 * [any thread] */
PROMISE_API promise_status_t promise_value_retain(const promise_value_t *PROMISE_NULLABLE value);

/* Gives back one reference to what `value` owns, and sets `*value` to VOID, so that releasing it again does nothing.
 * Returns PROMISE_OK; PROMISE_EINVAL or PROMISE_ESTALE as promise_value_retain(), and `*value` is left as it is.
 * Runs the type's `destroy` if it was an OBJECT's last reference.
 * [any thread] */
PROMISE_API promise_status_t promise_value_release(promise_value_t *PROMISE_NULLABLE value);

/* Makes a STRING from `length` bytes at `utf8`, which are copied. `utf8` may be NULL if `length` is 0.
 * `*out` is overwritten without being released, and is a reference of yours; on failure it is VOID.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `utf8` is NULL and `length` is not 0, or if the bytes are not
 * well-formed UTF-8; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_string(promise_value_t *PROMISE_NULLABLE out,
                                                  const char *PROMISE_NULLABLE utf8, size_t length);

/* Makes a BYTES from `length` bytes at `bytes`, which are copied; otherwise as promise_value_string(), with any bytes.
 * [any thread] */
PROMISE_API promise_status_t promise_value_bytes(promise_value_t *PROMISE_NULLABLE out,
                                                 const void *PROMISE_NULLABLE bytes, size_t length);

/* Makes an ERROR: `domain` names who defines `code` (a library, a plugin, "errno"), `message` is for people. Both are
 * copied. `*out` as in promise_value_string().
 * Returns PROMISE_OK; PROMISE_EINVAL if `out`, `domain` or `message` is NULL or not UTF-8; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_error(promise_value_t *PROMISE_NULLABLE out,
                                                 const char *PROMISE_NULLABLE domain, int64_t code,
                                                 const char *PROMISE_NULLABLE message);

/* Makes an OBJECT of `type` around `payload`, which may be NULL. The value takes over the payload: the type's `destroy`
 * is called with it when the last reference goes, and also if this call fails for want of memory. With PROMISE_EINVAL
 * or PROMISE_ESTALE the payload stays yours, for there is no type to destroy it by. `*out` as in
 * promise_value_string(). Returns PROMISE_OK; PROMISE_EINVAL if `out` or `type` is NULL; PROMISE_ESTALE if `type` is no
 * registered type; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_object(promise_value_t *PROMISE_NULLABLE out,
                                                  const promise_type_t *PROMISE_NULLABLE type,
                                                  void *PROMISE_NULLABLE payload);

/* The content of a STRING or BYTES, the message of an ERROR, or the payload of an OBJECT. `*length` becomes its size in
 * bytes, without the NUL that follows a STRING and a message; 0 for an OBJECT. `length` may be NULL.
 * The pointer is borrowed: valid as long as the value is. NULL for any other kind, for a forged value, for empty BYTES.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_data(const promise_value_t *PROMISE_NULLABLE value,
                                                            size_t *PROMISE_NULLABLE length);

/* The domain of an ERROR, borrowed and NUL-terminated; NULL for any other kind.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_domain(const promise_value_t *PROMISE_NULLABLE value);

/* The code of an ERROR; 0 for any other kind.
 * [any thread] */
PROMISE_API int64_t promise_value_code(const promise_value_t *PROMISE_NULLABLE value);

/* ---- Types ------------------------------------------------------------------------------------------------------ */

/* Registers a type of object, or finds it: the same `name` gives the same type, from whichever shared object it is
 * called, so a reason made by one plugin can be rescued by type in another.
 * `parent` may be NULL. `destroy` may be NULL; it is called with an object's payload when the last reference goes. When
 * the name is registered already, the first `destroy` stays: one name means one layout of the payload and one way to
 * free it. The name is copied. By convention it is qualified: "org.example.http.timeout".
 * Returns NULL if `name` is NULL, empty, not UTF-8 or the name of a built-in type, or if the name is registered with
 * another parent (PROMISE_EINVAL; a NULL `parent` agrees with any), if `parent` is no type (PROMISE_ESTALE), or
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_register(const char *PROMISE_NULLABLE name,
                                                                         const promise_type_t *PROMISE_NULLABLE parent,
                                                                         promise_free_t PROMISE_NULLABLE destroy);

/* The type registered under `name`, or one of the built-in ones, which are the kinds: "void", "bool", "i64", "u64", "f64",
 * "pointer", "string", "bytes", "array", "map", "error", "discarded" (its parent is "error"), "promise", "object" (an
 * ancestor of every registered type that has no parent).
 * NULL if there is none (PROMISE_EINVAL).
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_named(const char *PROMISE_NULLABLE name);

/* The name of a type, borrowed, for ever valid; NULL if `type` is not a type.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_type_name(const promise_type_t *PROMISE_NULLABLE type);

/* Whether `value` is of `type` or of a type that descends from it. False if either is NULL, stale or forged.
 * [any thread] */
PROMISE_API bool promise_value_is(const promise_value_t *PROMISE_NULLABLE value,
                                  const promise_type_t *PROMISE_NULLABLE type);

/* The type of a value: a built-in one, or that of an OBJECT. NULL if `value` is NULL or of no known kind.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_value_type(const promise_value_t *PROMISE_NULLABLE value);

/* ---- Promises --------------------------------------------------------------------------------------------------- */

/* Where a promise is, or a negative promise_status_t. */
typedef int32_t promise_state_t;

enum {
  PROMISE_PENDING = 1,
  PROMISE_FULFILLED = 2,
  PROMISE_REJECTED = 3 /* also of a discarded one: its reason is a DISCARDED */
};

/* Makes a pending promise (clause 3.3.1), with one reference, yours. NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_new(void);

/* Makes a pending promise with a discard block (clause 3.3.3): `on_discard(ctx)` is called when promise_discard() ends it,
 * and should cancel the work that would have settled it. `on_discard` may be NULL.
 * It is called at most once, on the discarding thread, after the promise is rejected and before its callbacks run;
 * free_ctx(ctx) follows it, or the settlement or last release that made it superfluous.
 * NULL: PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_discardable(void (*PROMISE_NULLABLE on_discard)(void *PROMISE_NULLABLE ctx), void *PROMISE_NULLABLE ctx,
                        promise_free_t PROMISE_NULLABLE free_ctx);

/* Adds a reference.
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_ENOMEM if there are 2^27 already.
 * [any thread] */
PROMISE_API promise_status_t promise_retain(promise_t *PROMISE_NULLABLE promise);

/* Gives back one reference. With the last one the promise and its value go. A promise that goes while pending leaves its
 * callbacks uncalled: their contexts are freed, its discard block is not called, and the promises derived from it stay
 * pending. It takes no stack, however long the chain behind it is.
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_release(promise_t *PROMISE_NULLABLE promise);

/* Fulfils a pending promise with `*value` and runs its callbacks (clause 3.4.1). Takes over the value's reference, on
 * every path, failing ones included. A PROMISE is stored as it is, not followed; a promise cannot hold itself
 * (PROMISE_EINVAL). Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL if `promise` or
 * `value` is NULL or the value is of no known kind or forged; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_resolve(promise_t *PROMISE_NULLABLE promise,
                                             const promise_value_t *PROMISE_NULLABLE value);

/* Rejects a pending promise with `*reason`, of any kind, and runs its callbacks (clause 3.4.2). Otherwise as
 * promise_resolve().
 * [any thread] */
PROMISE_API promise_status_t promise_reject(promise_t *PROMISE_NULLABLE promise,
                                            const promise_value_t *PROMISE_NULLABLE reason);

/* Discards a pending promise (clause 3.5): it is rejected with a DISCARDED, then its discard block is called, then its
 * callbacks. Promises that it was derived from go on.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_discard(promise_t *PROMISE_NULLABLE promise);

/* The state: PROMISE_PENDING, PROMISE_FULFILLED, PROMISE_REJECTED, or PROMISE_EINVAL, PROMISE_ESTALE.
 * While callbacks run it is final already.
 * [any thread] */
PROMISE_API promise_state_t promise_state(promise_t *PROMISE_NULLABLE promise);

/* The value of a fulfilled promise or the reason of a rejected one: `*out` becomes a new reference, yours; on failure it
 * is VOID. promise_state() tells which of the two it is.
 * Returns PROMISE_OK, PROMISE_EPENDING, PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_ENOMEM if the value has 2^27
 * references.
 * [any thread] */
PROMISE_API promise_status_t promise_result(promise_t *PROMISE_NULLABLE promise, promise_value_t *PROMISE_NULLABLE out);

/* Blocks the calling thread until the promise is settled, for at most `timeout_ns` nanoseconds; for ever if it is
 * negative; 0 only looks. Callbacks may still be running on the settling thread when it returns.
 * Returns PROMISE_OK; PROMISE_ETIMEDOUT; PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_EDEADLK, at once, if the calling
 * thread is itself the one that would settle it: from within a callback, for the promise that this callback is to
 * settle, one derived from it, or one whose callback stands behind it in the queue.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait(promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

/* What becomes of the promise that promise_then(), promise_rescue() or promise_react() returned. */
typedef int32_t promise_verdict_t;

enum {
  PROMISE_FULFILL = 1, /* it is fulfilled with *out */
  PROMISE_REJECT = 2,  /* it is rejected with *out */
  PROMISE_ADOPT = 3    /* *out is a PROMISE: it follows that one, and ends as that one does (clause 2.2) */
};

/* A handler receives the value or reason `*in`, borrowed until it returns, and leaves a value in `*out`, which is VOID when
 * it is called, and whose reference is taken over. To pass `*in` on, copy it to `*out` and retain it.
 * A verdict that is none of the three, or a value that is not well-formed, rejects the promise with an ERROR of domain
 * "promise" and code PROMISE_EINVAL; to adopt a promise that waits for this very one rejects it with code
 * PROMISE_EDEADLK. If the returned promise was settled by other means meanwhile, the handler still runs, and what it
 * leaves is released. */
typedef promise_verdict_t (*promise_handler_t)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL in,
                                               promise_value_t *PROMISE_NONNULL out);

/* Attaches a handler for fulfilment (clauses 3.1.2 and 3.1.3), and returns the promise that it settles; a rejection passes
 * through to that promise unchanged. The returned reference is yours to release, at once if you do not need it: the
 * handler runs all the same.
 * NULL: PROMISE_EINVAL if `promise` or `on_fulfilled` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_then(promise_t *PROMISE_NULLABLE promise,
                                                     promise_handler_t PROMISE_NULLABLE on_fulfilled,
                                                     void *PROMISE_NULLABLE ctx,
                                                     promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches a handler for rejection with a reason of `type` or of a type that descends from it; NULL: with any reason
 * (clauses 2.3, 3.2.2 and 3.2.3). Returns the promise that the handler settles; a fulfilment, and a reason of another
 * type, pass through to it unchanged.
 * NULL: as promise_then(), and PROMISE_ESTALE if `type` is no type.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_rescue(promise_t *PROMISE_NULLABLE promise,
                                                       const promise_type_t *PROMISE_NULLABLE type,
                                                       promise_handler_t PROMISE_NULLABLE on_rejected,
                                                       void *PROMISE_NULLABLE ctx,
                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches callbacks that settle nothing (clause 3.1.1). Either may be NULL. Each receives a borrowed value.
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE, PROMISE_ENOMEM; on failure free_ctx has run.
 * [any thread] */
PROMISE_API promise_status_t promise_observe(
    promise_t *PROMISE_NULLABLE promise,
    void (*PROMISE_NULLABLE on_fulfilled)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL value),
    void (*PROMISE_NULLABLE on_rejected)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL reason),
    void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Where a callback runs: an opaque token. NULL stands for the settling thread, at once. */
typedef struct promise_executor promise_executor_t;

/* Reserved for a later version: always pass NULL. */
typedef struct promise_token promise_token_t;

/* A reaction with everything. Zero it, set `size` to sizeof(promise_reaction_t), and fill what you need. */
typedef struct promise_reaction {
  uint32_t size;
  uint32_t reserved;                               /* 0 */
  promise_executor_t *PROMISE_NULLABLE executor;   /* where the handlers run; retained until then */
  promise_token_t *PROMISE_NULLABLE token;         /* NULL */
  promise_handler_t PROMISE_NULLABLE on_fulfilled; /* NULL: a fulfilment passes through */
  promise_handler_t PROMISE_NULLABLE on_rejected;  /* NULL: a rejection passes through */
  const promise_type_t *PROMISE_NULLABLE type;     /* what on_rejected is for, as in promise_rescue() */
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_reaction_t;

/* promise_then() and promise_rescue() in one, with an executor. `*reaction` is read during the call only. A handler that
 * runs is freed where it ran; what passes through does so at once, on the settling thread.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1, if `reserved`, `token` or a
 * field that this library does not know is not 0, or if there is no handler; PROMISE_ESTALE if a handle is stale;
 * PROMISE_ENOMEM. free_ctx has run then, unless `reaction` is NULL or too small to tell.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_react(promise_t *PROMISE_NULLABLE promise,
                                                      const promise_reaction_t *PROMISE_NULLABLE reaction);

/* ---- Executors -------------------------------------------------------------------------------------------------- */

/* One callback that waits to be run: an opaque token, good for one promise_job_run() or promise_job_drop(). */
typedef struct promise_job promise_job_t;

/* Makes an executor from a function of yours: `submit(ctx, job)` is called whenever a callback should run on it, on the
 * settling thread, and must see to it that promise_job_run() or promise_job_drop() is called with `job` once, now or
 * later, on whatever thread. free_ctx(ctx) is called when the last reference to the executor goes; a job holds one.
 * NULL: PROMISE_EINVAL if `submit` is NULL, PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE
promise_executor_new(void (*PROMISE_NULLABLE submit)(void *PROMISE_NULLABLE ctx, promise_job_t *PROMISE_NONNULL job),
                     void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Adds a reference. Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_retain(promise_executor_t *PROMISE_NULLABLE executor);

/* Gives back one reference. Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_release(promise_executor_t *PROMISE_NULLABLE executor);

/* Runs the job: its handler is called, its context freed, its promise settled, and that promise's callbacks run, before
 * this returns. The job is gone then.
 * Returns PROMISE_OK; PROMISE_EINVAL if it is NULL; PROMISE_ESTALE if it ran or was dropped before.
 * [any thread: the one where the handler should run] */
PROMISE_API promise_status_t promise_job_run(promise_job_t *PROMISE_NULLABLE job);

/* Drops the job, for a loop that shuts down: the handler is not called, its context is freed, and its promise is rejected with an
 * ERROR of domain "promise" and code PROMISE_ECLOSED.
 * Returns as promise_job_run().
 * [any thread] */
PROMISE_API promise_status_t promise_job_drop(promise_job_t *PROMISE_NULLABLE job);

PROMISE_END_DECLS

#endif /* PROMISE_H */
