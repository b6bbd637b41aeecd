/* promise/error.h: domain, code and message; origins and causes. */
#include "../support.h"

CHECKS(error)

RULE(error_has_domain_code_and_message, "an ERROR keeps copies of its texts, and any code") {
  static const int64_t codes[] = {0, 1, -1, 404, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    char domain[] = "errno", message[] = "no such file ☹";
    promise_value_t value = garbage();
    size_t size = 0;
    CHECK_STATUS(promise_value_error(&value, domain, codes[i], message), PROMISE_OK);
    memset(domain, 'x', 5);
    memset(message, 'x', 5);
    CHECK_INT(value.kind, PROMISE_KIND_ERROR);
    CHECK_TEXT(promise_value_domain(&value), "errno");
    CHECK_INT(promise_value_code(&value), codes[i]);
    CHECK_TEXT(promise_value_data(&value, &size), "no such file ☹");
    CHECK_INT(size, strlen("no such file ☹"));
    CHECK_POINTER(value.as.ptr, promise_value_data(&value, NULL));
    CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  }
}

RULE(error_may_be_empty_or_long, "the texts of an ERROR may be empty or long") {
  promise_value_t value = error("", 7, "");
  size_t size = 4711;
  CHECK_TEXT(promise_value_domain(&value), "");
  CHECK_TEXT(promise_value_data(&value, &size), "");
  CHECK_INT(size, 0);
  promise_value_release(&value);

  static char domain[5000], message[70000];
  memset(domain, 'd', sizeof domain - 1);
  memset(message, 'm', sizeof message - 1);
  value = error(domain, 8, message);
  CHECK_TEXT(promise_value_domain(&value), domain);
  CHECK_TEXT(promise_value_data(&value, &size), message);
  CHECK_INT(size, sizeof message - 1);
  promise_value_release(&value);
}

RULE(texts_may_have_a_length, "promise_value_error_sized() takes texts by their lengths") {
  promise_value_t value = garbage();
  size_t size = 0;
  CHECK_STATUS(promise_value_error_sized(&value, "errno and more", 5, 2, "no\0file here", 7), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(&value), "errno");
  CHECK_INT(promise_value_code(&value), 2);
  const char *message = promise_value_data(&value, &size);
  CHECK_INT(size, 7);
  CHECK_INT(memcmp(message, "no\0file", 8), 0);
  promise_value_t same;
  CHECK_STATUS(promise_value_error_sized(&same, "errno", 5, 2, "no\0file", 7), PROMISE_OK);
  CHECK(values_equal(&value, &same));
  promise_value_release(&same);
  promise_value_release(&value);
  CHECK_STATUS(promise_value_error_sized(&value, NULL, 0, 2, NULL, 0), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(&value), "");
  CHECK_TEXT(promise_value_data(&value, &size), "");
  CHECK_INT(size, 0);
  promise_value_release(&value);
  CHECK_STATUS(promise_value_error_sized(&value, "do\0main", 7, 7, "m", 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_error_sized(&value, "d", 1, 7, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error_sized(&value, "d", 1, 7, "\xff", 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error_sized(NULL, "d", 1, 7, "m", 1), PROMISE_EINVAL);
}

RULE(error_from_nowhere_is_a_plain_one, "cause and origin may be missing, and are NULL then") {
  promise_value_t value = garbage(), nothing = *VOID();
  CHECK_STATUS(promise_value_error_from(&value, "test", 5, "message", NULL, NULL), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(&value), "test");
  CHECK_INT(promise_value_code(&value), 5);
  CHECK_TEXT(promise_value_data(&value, NULL), "message");
  CHECK_POINTER(promise_value_origin(&value), NULL);
  CHECK_POINTER(promise_value_cause(&value), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);

  CHECK_STATUS(promise_value_error_from(&value, "test", 5, "message", "", &nothing), PROMISE_OK);
  CHECK_POINTER(promise_value_origin(&value), NULL);
  CHECK_POINTER(promise_value_cause(&value), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);

  value = *I64(1);
  CHECK_POINTER(promise_value_cause(&value), NULL);
  CHECK_POINTER(promise_value_cause(NULL), NULL);
  CHECK_POINTER(promise_value_origin(NULL), NULL);

  value = error("test", 6, "made without");
  CHECK_POINTER(promise_value_origin(&value), NULL);
  CHECK_POINTER(promise_value_cause(&value), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(error_knows_where_it_was_made, "an ERROR has an origin, such as PROMISE_HERE") {
  promise_value_t value;
  char origin[] = "org.example.plugin";
  CHECK_STATUS(promise_value_error_from(&value, "test", 1, "message", origin, NULL), PROMISE_OK);
  memset(origin, 'x', 3);
  CHECK_TEXT(promise_value_origin(&value), "org.example.plugin");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);

  CHECK_STATUS(promise_value_error_from(&value, "test", 1, "message", PROMISE_HERE, NULL), PROMISE_OK);
  const char *here = promise_value_origin(&value);
  CHECK(here != NULL && strstr(here, "error.c:") != NULL && atoi(strrchr(here, ':') + 1) == __LINE__ - 2);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(error_keeps_its_causes, "an ERROR has a cause, which may outlive it") {
  promise_value_t value, cause = error("errno", 2, "no such file");
  CHECK_STATUS(promise_value_error_from(&value, "config", 1, "not read", PROMISE_HERE, &cause), PROMISE_OK);
  const promise_value_t *found = promise_value_cause(&value);
  REQUIRE(found != NULL);
  CHECK_TEXT(promise_value_domain(found), "errno");
  CHECK_INT(promise_value_code(found), 2);
  CHECK_POINTER(promise_value_cause(found), NULL);

  /* A retained cause outlives its error. */
  promise_value_t kept = *found;
  CHECK_STATUS(promise_value_retain(&kept), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&kept, NULL), "no such file");
  CHECK_STATUS(promise_value_release(&kept), PROMISE_OK);
}

/* A value of any kind may be a cause; `out` and `cause` may be the same object. */
RULE(any_value_may_be_a_cause, "a value of any kind may be a cause") {
  promise_t *promise = promise_new();
  promise_value_t causes[] = {*I64(7), text("why"), holding(retained(promise)), ARRAY(*I64(1)), json("{\"a\":1}")};
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
    promise_value_t value = causes[i];
    CHECK_STATUS(promise_value_error_from(&value, "test", 1, "message", NULL, &value), PROMISE_OK);
    const promise_value_t *cause = promise_value_cause(&value);
    CHECK(cause != NULL && memcmp(cause, &causes[i], sizeof causes[i]) == 0);
    CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  }
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

RULE(cause_is_freed_with_its_error, "a cause is released with its error") {
  payload_t payload = {0};
  promise_value_t value, cause = object(&payload);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_value_error_from(&value, "test", 1, "message", NULL, &cause), PROMISE_OK);
  CHECK_STATUS(promise_reject(promise, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* A cancellation has a cause, as an error does. */
RULE(cancellation_has_a_cause_too, "a DISCARDED has a cause too") {
  promise_value_t cause = error("net", 5, "lost"), value, plain = {.kind = PROMISE_KIND_DISCARDED};
  CHECK_STATUS(promise_value_discarded(&value, &cause), PROMISE_OK);
  CHECK_TEXT(promise_value_domain(promise_value_cause(&value)), "net");
  CHECK_POINTER(promise_value_domain(&value), NULL);
  CHECK_POINTER(promise_value_cause(&plain), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

/* Makes a chain of a million causes on a stack of 512 KiB, which recursion would overflow. */
static void *makes_a_long_chain(void *argument) {
  payload_t *payload = argument;
  promise_value_t chain = object(payload);
  long length = check_scale(1000 * 1000);
  for (long i = 0; i < length; i++)
    REQUIRE(promise_value_error_from(&chain, "test", i, "again", "here", &chain) == PROMISE_OK);
  long found = 0;
  for (const promise_value_t *cause = &chain; cause->kind == PROMISE_KIND_ERROR; cause = promise_value_cause(cause))
    found++;
  CHECK_INT(found, length);
  CHECK_INT(atomic_load(&payload->destroyed), 0);
  CHECK_STATUS(promise_value_release(&chain), PROMISE_OK);
  CHECK_INT(atomic_load(&payload->destroyed), 1);
  return NULL;
}

RULE(long_chain_of_causes_takes_no_stack, "a chain of a million causes is walked and released on a stack of 512 KiB") {
  payload_t payload = {0};
  on_small_stack(makes_a_long_chain, &payload);
}

RULE(the_cause_is_taken_over, "the cause is taken over, on every path") {
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
