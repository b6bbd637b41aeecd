/* Values: strings, bytes, objects, and their reference counts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "support.h"

static void check_string(const char *bytes, size_t length) {
  promise_value_t value = garbage();
  size_t size = 4711;
  CHECK_STATUS(promise_value_string(&value, bytes, length), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_STRING);
  const char *data = promise_value_data(&value, &size);
  REQUIRE(data != NULL);
  CHECK_INT(size, length);
  CHECK(length == 0 || memcmp(data, bytes, length) == 0);
  CHECK_INT(data[length], '\0');
  CHECK(data != bytes);
  CHECK_POINTER(value.as.ptr, data);
  CHECK_POINTER(promise_value_data(&value, NULL), data);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

TEST(string_is_copied_whole) {
  check_string("", 0);
  check_string(NULL, 0);
  check_string("a", 1);
  check_string("naïve 日本語 🎈", strlen("naïve 日本語 🎈"));
  check_string("with\0a zero", 11);
  for (size_t length = 1; length < 300; length++) {
    char bytes[300];
    memset(bytes, 'x', sizeof bytes);
    check_string(bytes, length);
  }
}

static _Atomic bool is_over;

/* Makes the last byte invalid, and valid again, until the test is over. */
static void *flip(void *bytes) {
  volatile char *last = (volatile char *)bytes + 3999;
  while (!is_over) {
    *last = (char)0xff;
    *last = 'a';
  }
  return NULL;
}

TEST(string_is_utf8_if_another_thread_changes_the_bytes) {
  static char bytes[4000];
  memset(bytes, 'a', sizeof bytes);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, flip, bytes) == 0);
  int invalid = 0, accepted = 0, refused = 0;
  for (int i = 0; i < 1000000 && (accepted < 1000 || refused < 1000); i++) {
    promise_value_t value;
    if (promise_value_string(&value, bytes, sizeof bytes) != PROMISE_OK) {
      refused++;
      continue;
    }
    accepted++;
    invalid += promise_value_data(&value, NULL)[3999] != 'a';
    promise_value_release(&value);
  }
  is_over = true;
  pthread_join(thread, NULL);
  CHECK_INT(invalid, 0);
}

TEST(string_of_a_megabyte) {
  size_t length = (size_t)1 << 20;
  char *bytes = malloc(length);
  REQUIRE(bytes != NULL);
  for (size_t i = 0; i < length; i++)
    bytes[i] = (char)('a' + i % 26);
  check_string(bytes, length);
  free(bytes);
}

TEST(utf8_at_its_edges_is_text) {
  static const char *const good[] = {
      "\x7f",         "\xc2\x80",     "\xdf\xbf",         "\xe0\xa0\x80",     "\xed\x9f\xbf",
      "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    check_string(good[i], strlen(good[i]));
}

/* A text is cut off at each byte: reading stops at its length, whichever bytes are behind it. */
TEST(truncated_utf8_is_not_read_beyond) {
  promise_value_t value;
  CHECK_STATUS(promise_value_string(&value, "\xf0\x9f\x8e\x88", 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(&value, "\xf0\x9f\x8e\x88", 2), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(&value, "\xf0\x9f\x8e\x88", 3), PROMISE_EINVAL);
  check_string("\xf0\x9f\x8e\x88", 4);
}

/* ---- Memory of the caller ---- */

TEST(foreign_bytes_may_be_none) {
  for (int given = 0; given < 2; given++) {
    spy_t spy = {0};
    promise_value_t value = garbage();
    CHECK_STATUS(promise_value_bytes_foreign(&value, given ? "x" : NULL, 0, &spy, spy_free), PROMISE_OK);
    CHECK_POINTER(value.as.ptr, NULL);
    CHECK_POINTER(promise_value_data(&value, NULL), NULL);
    CHECK_SPY(&spy, 0, 0);
    CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
    CHECK_SPY(&spy, 0, 1);
  }
  /* Memory without a destructor is immortal. */
  promise_value_t value;
  CHECK_STATUS(promise_value_bytes_foreign(&value, "static", 6, NULL, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void *releases(void *value) {
  CHECK_STATUS(promise_value_release(value), PROMISE_OK);
  return NULL;
}

TEST(foreign_bytes_are_freed_where_the_last_reference_ends) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_value_t value, result;
  CHECK_STATUS(promise_value_bytes_foreign(&value, "x", 1, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_result(promise, &result), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  pthread_t thread = start(releases, &result);
  finish(thread);
  CHECK_SPY(&spy, 0, 1);
  CHECK(pthread_equal(spy.freed_on, thread));
}

static atomic_int nulls_destroyed;
static void null_destroy(void *payload) {
  CHECK_POINTER(payload, NULL);
  atomic_fetch_add(&nulls_destroyed, 1);
}

TEST(object_may_have_no_payload) {
  const promise_type_t *type = promise_type_register("test.null", NULL, null_destroy);
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_OBJECT);
  CHECK_POINTER(promise_value_data(&value, NULL), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&nulls_destroyed), 1);
}

TEST(object_without_destructor_is_freed) {
  const promise_type_t *type = promise_type_register("test.undestroyed", NULL, NULL);
  payload_t payload = {0};
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, type, &payload), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
}

TEST(same_payload_in_two_objects_is_destroyed_twice) {
  payload_t payload = {0};
  promise_value_t first = object(&payload), second = object(&payload);
  promise_value_release(&first);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  promise_value_release(&second);
  CHECK_INT(atomic_load(&payload.destroyed), 2);
}
