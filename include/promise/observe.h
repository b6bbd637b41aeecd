/* promise/observe.h - to hear of what goes wrong, and to see what goes on. Part of promise.h: read that first.
 *
 * Promises are told of here by their ids. An id is the number of the promise's handle, (uint64_t)(uintptr_t)promise, and
 * no other promise ever has the same. It is no reference: use it to compare and to print. */
#ifndef PROMISE_OBSERVE_H
#define PROMISE_OBSERVE_H

#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

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
   * A DISCARDED is no failure, and not reported. Nor is what was rejected before this hook was set. */
  void (*PROMISE_NULLABLE unhandled_rejection)(void *PROMISE_NULLABLE ctx, uint64_t id,
                                               const promise_value_t *PROMISE_NONNULL reason);

  /* promise_resolve() or promise_reject(), or what stands for them in another language, was called for the promise `id`,
   * which is settled already. `state` says what was to become of it, PROMISE_FULFILLED or PROMISE_REJECTED, and `*value`
   * with what; the caller gets PROMISE_ESETTLED. promise_discard() is not reported. */
  void (*PROMISE_NULLABLE settled_again)(void *PROMISE_NULLABLE ctx, uint64_t id, promise_state_t state,
                                         const promise_value_t *PROMISE_NONNULL value);

  /* The last reference to the promise `id` was given back, and nobody had settled it: so many callbacks will never run.
   * Reported for promises that calls from outside were to settle, but not for those derived from one that is: they stay
   * pending because it went. */
  void (*PROMISE_NULLABLE dropped_pending)(void *PROMISE_NULLABLE ctx, uint64_t id, uint64_t callbacks);

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

PROMISE_END_DECLS

#endif /* PROMISE_OBSERVE_H */
