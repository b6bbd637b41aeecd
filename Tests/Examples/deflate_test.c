/* deflate_test.c - the deflate plugin, function by function. Argument: its file. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <pthread.h>
#include <zlib.h>

#include "host.h"

typedef promise_status_t (*compress_t)(promise_bytes_t, int32_t, promise_t **, promise_value_t *);
typedef promise_status_t (*decompress_t)(promise_bytes_t, uint64_t, promise_t **, promise_value_t *);
typedef promise_status_t (*measure_t)(promise_bytes_t, promise_t **, promise_value_t *);
typedef uint32_t (*crc32_t)(promise_bytes_t, uint32_t);

static const char id[] = "org.promises.deflate";
static const promise_plugin_t *plugin;
static const uint64_t no_limit = UINT64_MAX;

static promise_t *compress_promise(promise_bytes_t data, int32_t level) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((compress_t)host_function(plugin, "compress"))(data, level, &promise, &error) == PROMISE_OK);
  return promise;
}

static promise_t *decompress_promise(promise_bytes_t data, uint64_t limit) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((decompress_t)host_function(plugin, "decompress"))(data, limit, &promise, &error) == PROMISE_OK);
  return promise;
}

static promise_t *measure_promise(promise_bytes_t data) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((measure_t)host_function(plugin, "measure"))(data, &promise, &error) == PROMISE_OK);
  return promise;
}

static promise_bytes_t view(const promise_value_t *value) {
  size_t length = 0;
  const char *data = promise_value_data(value, &length);
  return (promise_bytes_t){(const uint8_t *)data, length};
}

/* Bytes of which the first half repeats itself and the second does not. */
static promise_bytes_t sample(size_t length) {
  uint8_t *data = malloc(length + 1);
  CHECK(data != NULL);
  uint32_t state = 1;
  for (size_t i = 0; i < length; i++) {
    state = state * 1664525 + 1013904223;
    data[i] = i < length / 2 ? (uint8_t)(i % 7) : (uint8_t)(state >> 24);
  }
  return (promise_bytes_t){data, length};
}

static void drop(promise_bytes_t data) {
  free((void *)(uintptr_t)data.data);
}

static void test_what_was_compressed_comes_back(void) {
  const size_t sizes[] = {0, 1, 1000, 262143, 262144, 262145, 1500000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (int level = 0; level <= 9; level += 3) {
      promise_bytes_t data = sample(sizes[i]);
      promise_value_t packed = expect_value(compress_promise(data, level), PROMISE_KIND_BYTES);
      CHECK(view(&packed).length >= 20 && memcmp(view(&packed).data, "\x1f\x8b\x08", 3) == 0);
      promise_value_t again = expect_value(compress_promise(data, level), PROMISE_KIND_BYTES);
      CHECK(view(&again).length == view(&packed).length);
      CHECK(memcmp(view(&again).data, view(&packed).data, view(&packed).length) == 0);
      promise_value_t back = expect_value(decompress_promise(view(&packed), data.length), PROMISE_KIND_BYTES);
      CHECK(view(&back).length == data.length);
      CHECK(data.length == 0 || memcmp(view(&back).data, data.data, data.length) == 0);
      promise_value_t size = expect_value(measure_promise(view(&packed)), PROMISE_KIND_U64);
      CHECK(size.as.u64 == data.length);
      if (data.length > 0) {
        expect_error(decompress_promise(view(&packed), data.length - 1), id, 4, "more than the limit");
      }
      promise_value_release(&packed), promise_value_release(&again), promise_value_release(&back);
      drop(data);
    }
  }
}

static void test_a_level_that_does_not_exist_is_refused(void) {
  const int32_t levels[] = {-1, 10, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    promise_t *promise = NULL;
    promise_value_t error = {.kind = PROMISE_KIND_VOID};
    promise_status_t status =
        ((compress_t)host_function(plugin, "compress"))(bytes("data"), levels[i], &promise, &error);
    CHECK(status == PROMISE_EINVAL && promise == NULL);
    expect_error_value(&error, id, 1, "expected 0 (none) to 9 (best)");
  }
}

static void test_damaged_data_is_refused(void) {
  promise_bytes_t data = sample(500);
  promise_value_t packed = expect_value(compress_promise(data, 6), PROMISE_KIND_BYTES);
  promise_bytes_t good = view(&packed);
  for (size_t length = 0; length < good.length; length++) {
    expect_error(decompress_promise((promise_bytes_t){good.data, length}, no_limit), id, 2, "within a gzip stream");
  }
  uint8_t *copy = malloc(2 * good.length);
  CHECK(copy != NULL);
  memcpy(copy, good.data, good.length);
  copy[good.length - 8] ^= 1;
  expect_error(decompress_promise((promise_bytes_t){copy, good.length}, no_limit), "zlib", Z_DATA_ERROR,
               "incorrect data check");
  expect_error(measure_promise((promise_bytes_t){copy, good.length}), "zlib", Z_DATA_ERROR, "incorrect data check");
  expect_error(decompress_promise(bytes("this is not gzip"), no_limit), "zlib", Z_DATA_ERROR, "incorrect header check");

  memcpy(copy, good.data, good.length);
  memset(copy + good.length, 0, good.length);
  promise_value_t padded =
      expect_value(decompress_promise((promise_bytes_t){copy, 2 * good.length}, no_limit), PROMISE_KIND_BYTES);
  CHECK(view(&padded).length == data.length);
  copy[2 * good.length - 1] = 'x';
  expect_error(decompress_promise((promise_bytes_t){copy, 2 * good.length}, no_limit), id, 3, "not another one");

  memcpy(copy + good.length, good.data, good.length);
  promise_value_t twice =
      expect_value(decompress_promise((promise_bytes_t){copy, 2 * good.length}, no_limit), PROMISE_KIND_BYTES);
  CHECK(view(&twice).length == 2 * data.length);
  CHECK(memcmp(view(&twice).data + data.length, data.data, data.length) == 0);
  promise_value_release(&packed), promise_value_release(&padded), promise_value_release(&twice);
  free(copy);
  drop(data);
}

static void test_crc32_continues(void) {
  crc32_t sum = (crc32_t)host_function(plugin, "crc32");
  CHECK(sum(bytes("123456789"), 0) == 0xCBF43926);
  CHECK(sum(bytes("56789"), sum(bytes("1234"), 0)) == 0xCBF43926);
  CHECK(sum((promise_bytes_t){NULL, 0}, 7) == 7);
}

/* A gate in host->progress(): the first call waits there until the test opens it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;
static bool is_open;
static double last_fraction;

static void wait_at_gate(promise_t *promise, double fraction) {
  (void)promise;
  pthread_mutex_lock(&lock);
  calls++;
  last_fraction = fraction;
  pthread_cond_broadcast(&changed);
  while (!is_open)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void test_progress_is_told_to_the_end(void) {
  promise_bytes_t data = sample(3000000);
  is_open = true, calls = 0;
  host_on_progress(wait_at_gate);
  promise_value_t packed = expect_value(compress_promise(data, 1), PROMISE_KIND_BYTES);
  CHECK(calls > 5 && calls <= 101 && last_fraction == 1);
  host_on_progress(NULL);
  promise_value_release(&packed);
  drop(data);
}

static void test_a_discarded_call_stops_at_once(void) {
  promise_bytes_t data = sample(3000000);
  is_open = false, calls = 0;
  host_on_progress(wait_at_gate);
  promise_t *promise = compress_promise(data, 9);
  pthread_mutex_lock(&lock);
  while (calls == 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  CHECK(promise_discard(promise) == PROMISE_OK);
  drop(data);
  pthread_mutex_lock(&lock);
  is_open = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  promise_value_t reason;
  CHECK(promise_result(promise, &reason) == PROMISE_OK && reason.kind == PROMISE_KIND_DISCARDED);
  promise_release(promise);
  /* unload() waits for the threads, so their reports are complete then. */
  host_unload(plugin);
  CHECK(calls == 1);
  host_on_progress(NULL);
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(plugin->load(host_table(), &error) == PROMISE_OK);
}

static void test_unload_settles_what_is_left(void) {
  enum { COUNT = 12 };
  promise_bytes_t data = sample(3000000);
  promise_t *promises[COUNT];
  for (size_t i = 0; i < COUNT; i++)
    promises[i] = compress_promise(data, 9);
  host_unload(plugin);
  for (size_t i = 0; i < COUNT; i++) {
    if (promise_state(promises[i]) == PROMISE_FULFILLED) {
      promise_release(promises[i]);
    } else {
      CHECK(promise_state(promises[i]) == PROMISE_REJECTED);
      expect_error(promises[i], "errno", ECANCELED, "unloaded");
    }
  }
  drop(data);
}

int main(int argc, char **argv) {
  CHECK(argc >= 2);
  plugin = host_load(argv[1], id);
  test_what_was_compressed_comes_back();
  test_a_level_that_does_not_exist_is_refused();
  test_damaged_data_is_refused();
  test_crc32_continues();
  test_progress_is_told_to_the_end();
  test_a_discarded_call_stops_at_once();
  test_unload_settles_what_is_left();
  puts("deflate: ok");
  return 0;
}
