/* promise/status.h */
#include "../checked.h"

static void every_status_has_its_name(void) {
  static const struct {
    promise_status_t status;
    const char *name;
  } names[] = {
      {PROMISE_OK, "PROMISE_OK"},
      {PROMISE_EINVAL, "PROMISE_EINVAL"},
      {PROMISE_ESTALE, "PROMISE_ESTALE"},
      {PROMISE_ESETTLED, "PROMISE_ESETTLED"},
      {PROMISE_EPENDING, "PROMISE_EPENDING"},
      {PROMISE_ETIMEDOUT, "PROMISE_ETIMEDOUT"},
      {PROMISE_EDEADLK, "PROMISE_EDEADLK"},
      {PROMISE_ENOMEM, "PROMISE_ENOMEM"},
      {PROMISE_ECLOSED, "PROMISE_ECLOSED"},
      {PROMISE_EFULL, "PROMISE_EFULL"},
      {PROMISE_EFINISHED, "PROMISE_EFINISHED"},
      {PROMISE_EINTR, "PROMISE_EINTR"},
      {PROMISE_EBUSY, "PROMISE_EBUSY"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    CHECK_TEXT(promise_status_name(names[i].status), names[i].name);
  CHECK_POINTER(promise_status_name(PROMISE_ESTALE), promise_status_name(PROMISE_ESTALE));
}

static void other_numbers_are_unknown(void) {
  static const promise_status_t numbers[] = {1, 2, 3, 4711, INT32_MAX, -4711, INT32_MIN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    CHECK_TEXT(promise_status_name(numbers[i]), "PROMISE_UNKNOWN");
}

static void *looks_from_a_new_thread(void *argument) {
  (void)argument;
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
  CHECK_POINTER(promise_type_named(NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  return NULL;
}

static void last_status_is_the_reason_for_null(void) {
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_then(stale(), adds_one, NULL, NULL), NULL);
  finish(start(looks_from_a_new_thread, NULL));
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
}

static void the_last_status_is_reset_when_it_is_read(void) {
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
}

static void success_leaves_the_last_status(void) {
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  release(pending());
  CHECK_STATUS(promise_release(stale()), PROMISE_ESTALE);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}

CHECKS(status) = {
    RULE("promise_status_name() knows every status", every_status_has_its_name),
    RULE("promise_status_name() of another number is PROMISE_UNKNOWN", other_numbers_are_unknown),
    RULE("promise_last_status() has, for each thread, the reason why a handle is NULL",
         last_status_is_the_reason_for_null),
    RULE("promise_last_status() resets itself", the_last_status_is_reset_when_it_is_read),
    RULE("promise_last_status() is changed neither by success nor by calls that return a status",
         success_leaves_the_last_status),
    CHECKS_END,
};
