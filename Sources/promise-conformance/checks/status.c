/* promise/status.h */
#include "../checked.h"

CHECKS(status)

RULE(every_status_has_its_name, "promise_status_name() knows every status") {
#define ROW(name, number, text) CHECK_TEXT(promise_status_name(number), #name);
  PROMISE_STATUSES(ROW)
#undef ROW
  CHECK_POINTER(promise_status_name(PROMISE_ESTALE), promise_status_name(PROMISE_ESTALE));
}

RULE(other_numbers_are_unknown, "promise_status_name() of another number is PROMISE_UNKNOWN") {
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

RULE(last_status_is_the_reason_for_null,
     "promise_last_status() has, for each thread, the reason why a handle is NULL") {
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_then(stale(), adds_one, NULL, NULL), NULL);
  finish(start(looks_from_a_new_thread, NULL));
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
}

RULE(the_last_status_is_reset_when_it_is_read, "promise_last_status() resets itself") {
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_STATUS(promise_last_status(), PROMISE_OK);
}

RULE(success_leaves_the_last_status,
     "promise_last_status() is changed neither by success nor by calls that return a status") {
  CHECK_POINTER(promise_then(NULL, adds_one, NULL, NULL), NULL);
  release(pending());
  CHECK_STATUS(promise_release(stale()), PROMISE_ESTALE);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}
