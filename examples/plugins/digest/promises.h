/* promises.h - the promise functions that this plugin uses, found by name in the host's table. */
#ifndef DIGEST_PROMISES_H
#define DIGEST_PROMISES_H

#include <promise_plugin.h>
#include <stdbool.h>

typedef struct promises {
  promise_t *(*new_discardable)(void (*on_discard)(void *ctx), void *ctx, promise_free_t free_ctx);
  promise_status_t (*retain)(promise_t *promise);
  promise_status_t (*release)(promise_t *promise);
  promise_status_t (*resolve)(promise_t *promise, const promise_value_t *value);
  promise_status_t (*reject)(promise_t *promise, const promise_value_t *reason);
  promise_status_t (*value_string)(promise_value_t *out, const char *utf8, size_t length);
  promise_status_t (*value_error)(promise_value_t *out, const char *domain, int64_t code, const char *message);
} promises_t;

/* Fills `*promises`. Returns NULL, or the name of a function that the host lacks; the other functions are filled
 * then. */
const char *promises_find(promises_t *promises, const promise_host_t *host);

#endif /* DIGEST_PROMISES_H */
