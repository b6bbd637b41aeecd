/* promise/error.h: causes and origins. */
#include "../support.h"

static void an_error_has_a_cause_and_an_origin(void) {
  promise_value_t cause, error;
  EXPECT_STATUS(promise_value_error(&cause, "errno", 2, "no such file"), PROMISE_OK);
  EXPECT_STATUS(promise_value_error_from(&error, "org.example", 7, "not loaded", "loader.c:42", &cause), PROMISE_OK);
  EXPECT_INT(error.kind, PROMISE_KIND_ERROR);
  EXPECT_TEXT(promise_value_data(&error, NULL), "not loaded");
  EXPECT_TEXT(promise_value_domain(&error), "org.example");
  EXPECT_INT(promise_value_code(&error), 7);
  EXPECT_TEXT(promise_value_origin(&error), "loader.c:42");
  EXPECT(promise_value_cause(&error) != NULL);
  EXPECT_TEXT(promise_value_domain(promise_value_cause(&error)), "errno");
  EXPECT_POINTER(promise_value_cause(promise_value_cause(&error)), NULL);
  EXPECT_POINTER(promise_value_origin(promise_value_cause(&error)), NULL);
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
}

static void both_may_be_missing(void) {
  promise_value_t none = {.kind = PROMISE_KIND_VOID}, error;
  EXPECT_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, NULL), PROMISE_OK);
  EXPECT_POINTER(promise_value_cause(&error), NULL);
  EXPECT_POINTER(promise_value_origin(&error), NULL);
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
  EXPECT_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &none), PROMISE_OK);
  EXPECT_POINTER(promise_value_cause(&error), NULL);
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
  promise_value_t number = i64_value(1);
  EXPECT_POINTER(promise_value_cause(&number), NULL);
  EXPECT_POINTER(promise_value_origin(NULL), NULL);
  EXPECT_POINTER(promise_value_cause(NULL), NULL);
}

static void the_cause_is_taken_over(void) {
  payload_t payload = {0};
  promise_value_t cause = object_value(&payload), error;
  EXPECT_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &cause), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 1);
  cause = object_value(&payload);
  EXPECT_STATUS(promise_value_error_from(&error, NULL, 1, "m", NULL, &cause), PROMISE_EINVAL);
  EXPECT_INT(error.kind, PROMISE_KIND_VOID);
  EXPECT_DESTROYED(&payload, 2);
  cause = object_value(&payload);
  EXPECT_STATUS(promise_value_error_from(&error, "d", 1, "m", "\xff", &cause), PROMISE_EINVAL);
  EXPECT_DESTROYED(&payload, 3);
  promise_value_t forged = {.kind = 4711};
  EXPECT_STATUS(promise_value_error_from(&error, "d", 1, "m", NULL, &forged), PROMISE_EINVAL);
}

static void texts_may_have_lengths(void) {
  promise_value_t error;
  size_t length = 0;
  EXPECT_STATUS(promise_value_error_sized(&error, "domain!", 6, 7, "a\0b, and more", 3), PROMISE_OK);
  EXPECT_TEXT(promise_value_domain(&error), "domain");
  EXPECT_INT(promise_value_code(&error), 7);
  const char *message = promise_value_data(&error, &length);
  EXPECT_INT((long long)length, 3);
  EXPECT(memcmp(message, "a\0b", 4) == 0);
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
  EXPECT_STATUS(promise_value_error_sized(&error, NULL, 0, 7, NULL, 0), PROMISE_OK);
  EXPECT_TEXT(promise_value_domain(&error), "");
  EXPECT_STATUS(promise_value_release(&error), PROMISE_OK);
  EXPECT_STATUS(promise_value_error_sized(&error, "do\0main", 7, 7, "m", 1), PROMISE_EINVAL);
  EXPECT_INT(error.kind, PROMISE_KIND_VOID);
  EXPECT_STATUS(promise_value_error_sized(&error, "d", 1, 7, NULL, 1), PROMISE_EINVAL);
  EXPECT_STATUS(promise_value_error_sized(&error, "d", 1, 7, "\xff", 1), PROMISE_EINVAL);
  EXPECT_STATUS(promise_value_error_sized(NULL, "d", 1, 7, "m", 1), PROMISE_EINVAL);
}

const check_t error_checks[] = {
    {"an ERROR has a cause and an origin", an_error_has_a_cause_and_an_origin},
    {"cause and origin may be missing, and are NULL then", both_may_be_missing},
    {"the cause is taken over, on every path", the_cause_is_taken_over},
    {"promise_value_error_sized() takes texts by their lengths", texts_may_have_lengths},
    {NULL, NULL},
};
