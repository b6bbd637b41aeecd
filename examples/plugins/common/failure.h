/* failure.h - the reason of a failure, as text and numbers, kept until a promise can be rejected with it. */
#ifndef EXAMPLES_FAILURE_H
#define EXAMPLES_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

/* The arguments of promise_value_error(): the domain of `code`, the code, and a sentence for people. */
typedef struct failure {
  const char *domain; /* static */
  int64_t code;
  char message[512];
} failure_t;

#if defined(__GNUC__)
#define FAILURE_FORMAT __attribute__((format(printf, 4, 5)))
#else
#define FAILURE_FORMAT
#endif

/* Fills `*failure` and returns false, so that a function can end with it. A message that is too long is cut after a
 * whole character. */
bool failure_set(failure_t *failure, const char *domain, int64_t code, const char *format, ...) FAILURE_FORMAT;

/* Sets the failure of an allocation: domain "errno", code ENOMEM. */
bool failure_out_of_memory(failure_t *failure);

/* Sets a failure for a job that was cancelled: domain "errno", code ECANCELED. */
bool failure_cancelled(failure_t *failure);

#endif /* EXAMPLES_FAILURE_H */
