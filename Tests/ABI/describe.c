/* Descriptions of values. */
#include <math.h>

#include "growth.h"
#include "values.h"

static void check_described(promise_value_t value, const char *expected) {
  char buffer[512];
  size_t length = promise_value_describe(&value, buffer, sizeof buffer);
  CHECK_TEXT(buffer, expected);
  CHECK_INT(length, strlen(expected));
  promise_value_release(&value);
}

TEST(values_are_described) {
  check_described(*VOID(), "void");
  check_described((promise_value_t){.kind = PROMISE_KIND_BOOL, .as.b = 1}, "true");
  check_described((promise_value_t){.kind = PROMISE_KIND_BOOL}, "false");
  check_described(*I64(INT64_MIN), "-9223372036854775808");
  check_described(u64(UINT64_MAX), "18446744073709551615");
  check_described(f64(0.1), "0.1");
  check_described(f64(-2), "-2.0");
  check_described(f64(INFINITY), "inf");
  check_described((promise_value_t){.kind = PROMISE_KIND_DISCARDED}, "discarded");
  check_described((promise_value_t){.kind = PROMISE_KIND_POINTER, .as.u64 = 0xbeef}, "pointer 0xbeef");
  check_described((promise_value_t){.kind = PROMISE_KIND_POINTER}, "pointer 0x0");
  check_described(text("a \"quoted\" \\ naïve\n\t\r\x01\x7f ☹"),
                  "\"a \\\"quoted\\\" \\\\ naïve\\n\\t\\r\\u0001\\u007f ☹\"");
  check_described(text("\xc2\x9b\xc2\xa0"), "\"\\u009b\xc2\xa0\"");
  check_described(bytes("\r\n\x01\x02\x03"), "bytes(5) 0d0a0102 03");
  check_described(bytes(""), "bytes(0)");
  check_described(json("[]"), "[]");
  check_described(json("{\"a\":[1,2],\"b\":{}}"), "{\"a\": [1, 2], \"b\": {}}");
  check_described(error("http", 404, "not found"), "error http 404: \"not found\"");
  check_described(cancelled(*I64(7)), "discarded, because of 7");
  check_described(caused("m", -1, "file.c:1", *I64(7)), "error test -1: \"m\" at file.c:1, because of 7");
}

TEST(long_bytes_are_cut_off) {
  char buffer[512] = {0};
  promise_value_t value;
  CHECK_STATUS(promise_value_bytes(&value, buffer, 100), PROMISE_OK);
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "bytes(100) ", 11) == 0 && strcmp(buffer + strlen(buffer) - 4, " …") == 0);
  CHECK_INT(strlen(buffer), 11 + 8 * 8 + 7 + 4);
  promise_value_release(&value);
  CHECK_STATUS(promise_value_bytes(&value, memset(buffer, 'a', 32), 32), PROMISE_OK);
  check_described(value, "bytes(32) 61616161 61616161 61616161 61616161 61616161 61616161 61616161 61616161");
}

TEST(promises_are_described_by_their_state) {
  promise_t *promise = promise_new();
  promise_value_t value = holding(promise);
  char buffer[64], expected[64];
  snprintf(expected, sizeof expected, "pending promise 0x%llx", (unsigned long long)(uintptr_t)promise);
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK_TEXT(buffer, expected);
  promise_resolve(promise, VOID());
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "fulfilled promise", 17) == 0);
  promise_value_release(&value);
  value = holding(rejected(1));
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "rejected promise", 16) == 0);
  promise_value_release(&value);
}

static size_t describes_badly(const void *payload, char *buffer, size_t size) {
  memset(buffer, 0xff, size < 4 ? size : 4);
  return *(const char *)payload == 'l' ? SIZE_MAX : *(const char *)payload == 'n' ? 0 : 4;
}

TEST(objects_describe_themselves) {
  const promise_type_t *said = promise_type_register("test.said", NULL, NULL);
  const promise_type_t *bad = promise_type_register("test.bad", NULL, NULL);
  const promise_type_t *child = promise_type_register("test.said.child", said, NULL);
  CHECK_STATUS(promise_type_methods(said, NULL, says_letter), PROMISE_OK);
  CHECK_STATUS(promise_type_methods(bad, NULL, describes_badly), PROMISE_OK);
  check_described(ARRAY(object_of(said, "q"), object_of(child, "r")), "[letter q, letter r]");
  static const char *const bad_ways[] = {"long", "none", "malformed"};
  for (int i = 0; i < 3; i++) {
    char buffer[64], expected[64];
    promise_value_t value = object_of(bad, bad_ways[i]);
    snprintf(expected, sizeof expected, "test.bad 0x%llx", (unsigned long long)(uintptr_t)bad_ways[i]);
    promise_value_describe(&value, buffer, sizeof buffer);
    CHECK_TEXT(buffer, expected);
    promise_value_release(&value);
  }
}

static void *describes_deep_values(void *argument) {
  char buffer[64];
  (void)argument;
  promise_value_t deep = nest(*I64(1), check_scale(1000 * 1000)), chain = *I64(0);
  promise_value_describe(&deep, buffer, sizeof buffer);
  CHECK_TEXT(buffer, "[[[[[[[[[[[[[[[[[…]]]]]]]]]]]]]]]]]");
  for (int i = 0; i < 1000; i++)
    chain = caused("m", i, NULL, chain);
  promise_value_describe(&chain, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "error test 999: \"m\", because of error", 37) == 0);
  promise_value_release(&deep);
  promise_value_release(&chain);
  /* 2^100 elements: the description visits only those that fit. */
  promise_value_t wide = doubled(*I64(1), 100);
  CHECK(promise_value_describe(&wide, buffer, sizeof buffer) < sizeof buffer);
  promise_value_release(&wide);
  return NULL;
}

TEST_BY(deep_values_are_described_in_short, on_small_stack(describes_deep_values, NULL))

TEST(deep_causes_are_described_in_short) {
  char buffer[4096];
  int causes = 0;
  promise_value_t chain = *I64(0);
  for (int i = 0; i < 30; i++)
    chain = caused("m", i, NULL, chain);
  size_t length = promise_value_describe(&chain, buffer, sizeof buffer);
  for (const char *at = buffer; (at = strstr(at, "because of ")) != NULL; at++)
    causes++;
  CHECK_INT(causes, 17);
  CHECK_TEXT(buffer + length - strlen("because of …"), "because of …");
  promise_value_release(&chain);
}

static void describes(void *value, long count) {
  char buffer[32];
  for (long i = 0; i < count; i++)
    CHECK_INT(promise_value_describe(value, buffer, sizeof buffer), sizeof buffer - 1);
}

/* The buffer, not the text, decides how much of a text is read. */
TEST(long_domains_take_no_longer) {
  size_t length = 4 * 1024 * 1024;
  char *domain = malloc(length + 1);
  REQUIRE(domain != NULL);
  memset(domain, 'd', length);
  domain[length] = 0;
  promise_value_t large = error(domain, 1, "m"), small = error(domain + length - 64, 1, "m");
  int64_t little = least_time(describes, &small, 1000), much = least_time(describes, &large, 1000);
  CHECK(much < 24 * (little < MILLISECONDS / 10 ? MILLISECONDS / 10 : little));
  free(domain);
  promise_value_release(&large), promise_value_release(&small);
}
