/* promise/error.h: causes and origins. */
#include "../checked.h"

static void an_error_has_a_cause_and_an_origin(void) {
  promise_value_t cause, error;
  CHECK_STATUS(promise_value_error(&cause, "errno", 2, "no such file"), PROMISE_OK);
  CHECK_STATUS(promise_value_error_from(&error, "org.example", 7, "not loaded", "loader.c:42", &cause), PROMISE_OK);
  CHECK_INT(error.kind, PROMISE_KIND_ERROR);
  CHECK_TEXT(promise_value_data(&error, NULL), "not loaded");
  CHECK_TEXT(promise_value_domain(&error), "org.example");
  CHECK_INT(promise_value_code(&error), 7);
  CHECK_TEXT(promise_value_origin(&error), "loader.c:42");
  CHECK(promise_value_cause(&error) != NULL);
  CHECK_TEXT(promise_value_domain(promise_value_cause(&error)), "errno");
  CHECK_POINTER(promise_value_cause(promise_value_cause(&error)), NULL);
  CHECK_POINTER(promise_value_origin(promise_value_cause(&error)), NULL);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
}

static void both_may_be_missing(void) {
  promise_value_t none = {.kind = PROMISE_KIND_VOID}, error;
  CHECK_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, NULL), PROMISE_OK);
  CHECK_POINTER(promise_value_cause(&error), NULL);
  CHECK_POINTER(promise_value_origin(&error), NULL);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &none), PROMISE_OK);
  CHECK_POINTER(promise_value_cause(&error), NULL);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  promise_value_t number = i64(1);
  CHECK_POINTER(promise_value_cause(&number), NULL);
  CHECK_POINTER(promise_value_origin(NULL), NULL);
  CHECK_POINTER(promise_value_cause(NULL), NULL);
}

static void the_cause_is_taken_over(void) {
  payload_t payload = {0};
  promise_value_t cause = object(&payload), error;
  CHECK_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &cause), PROMISE_OK);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
  cause = object(&payload);
  CHECK_STATUS(promise_value_error_from(&error, NULL, 1, "m", NULL, &cause), PROMISE_EINVAL);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  CHECK_DESTROYED(&payload, 2);
  cause = object(&payload);
  CHECK_STATUS(promise_value_error_from(&error, "d", 1, "m", "\xff", &cause), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 3);
  promise_value_t forged = {.kind = 4711};
  CHECK_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &forged), PROMISE_EINVAL);
}

static void texts_may_have_lengths(void) {
  promise_value_t error;
  size_t length = 0;
  CHECK_STATUS(promise_value_error_sized(&error, "domain!", 6, 7, "a\0b, and more", 3), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(&error), "domain");
  CHECK_INT(promise_value_code(&error), 7);
  const char *message = promise_value_data(&error, &length);
  CHECK_INT((long long)length, 3);
  CHECK(memcmp(message, "a\0b", 4) == 0);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_error_sized(&error, NULL, 0, 7, NULL, 0), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(&error), "");
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_error_sized(&error, "do\0main", 7, 7, "m", 1), PROMISE_EINVAL);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_error_sized(&error, "d", 1, 7, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error_sized(&error, "d", 1, 7, "\xff", 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error_sized(NULL, "d", 1, 7, "m", 1), PROMISE_EINVAL);
}

CHECKS(error) = {
    RULE("an ERROR has a cause and an origin", an_error_has_a_cause_and_an_origin),
    RULE("cause and origin may be missing, and are NULL then", both_may_be_missing),
    RULE("the cause is taken over, on every path", the_cause_is_taken_over),
    RULE("promise_value_error_sized() takes texts by their lengths", texts_may_have_lengths),
    CHECKS_END,
};
