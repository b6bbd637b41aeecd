/* digest_test.c - the digest plugin, function by function. Argument: its file. */
#include "host.h"

typedef promise_status_t (*sha256_t)(promise_bytes_t, promise_t **, promise_value_t *);
typedef promise_status_t (*digest_t)(promise_bytes_t, promise_str_t, promise_t **, promise_value_t *);
typedef promise_status_t (*hmac_t)(promise_bytes_t, promise_bytes_t, promise_str_t, promise_t **, promise_value_t *);
typedef promise_status_t (*algorithms_t)(promise_str_t *, promise_value_t *);

static const char id[] = "org.promises.digest";
static const char empty_sha256[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const promise_plugin_t *plugin;

static promise_value_t sha256(promise_bytes_t data) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((sha256_t)host_function(plugin, "sha256"))(data, &promise, &error) == PROMISE_OK);
  return expect_value(promise, PROMISE_KIND_STRING);
}

static promise_value_t digest(promise_bytes_t data, promise_str_t algorithm) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((digest_t)host_function(plugin, "digest"))(data, algorithm, &promise, &error) == PROMISE_OK);
  return expect_value(promise, PROMISE_KIND_STRING);
}

static promise_value_t hmac(promise_bytes_t key, promise_bytes_t data, const char *algorithm) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((hmac_t)host_function(plugin, "hmac"))(key, data, str(algorithm), &promise, &error) == PROMISE_OK);
  return expect_value(promise, PROMISE_KIND_STRING);
}

/* FIPS 180-2, RFC 1321. */
static void test_published_digests(void) {
  const promise_bytes_t nothing = {NULL, 0};
  expect_text(sha256(nothing), empty_sha256);
  expect_text(sha256(bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect_text(digest(bytes("abc"), str("sha256")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect_text(digest(bytes("abc"), str("SHA1")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  expect_text(digest(bytes("message digest"), str("md5")), "f96b697d7cb7938d525a2f31aaf161d0");
}

static void test_data_of_many_chunks(void) {
  size_t length = 1000000;
  uint8_t *data = malloc(length);
  CHECK(data != NULL);
  memset(data, 'a', length);
  expect_text(sha256((promise_bytes_t){data, length}),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(data);
}

/* RFC 4231, cases 1 and 2; and an empty key with empty data. */
static void test_published_hmacs(void) {
  uint8_t key[20];
  memset(key, 0x0b, sizeof key);
  expect_text(hmac((promise_bytes_t){key, sizeof key}, bytes("Hi There"), "sha256"),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  expect_text(hmac(bytes("Jefe"), bytes("what do ya want for nothing?"), "sha512"),
              "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
              "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737");
  expect_text(hmac((promise_bytes_t){NULL, 0}, (promise_bytes_t){NULL, 0}, "sha256"),
              "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static void test_an_unknown_algorithm_is_refused(void) {
  const promise_str_t names[] = {str("sha257"),    str(""),         {"sha256\0", 7},
                                 {"sha256\0x", 8}, str("shake128"), str("null")};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    promise_t *promise = NULL;
    promise_value_t error = {.kind = PROMISE_KIND_VOID};
    digest_t function = (digest_t)host_function(plugin, "digest");
    CHECK(function(bytes("data"), names[i], &promise, &error) == PROMISE_EINVAL && promise == NULL);
    expect_error_value(&error, id, 1, "algorithm: expected sha256, sha512");
  }
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  hmac_t function = (hmac_t)host_function(plugin, "hmac");
  CHECK(function(bytes("key"), bytes("data"), str("crc32"), &promise, &error) == PROMISE_EINVAL && promise == NULL);
  expect_error_value(&error, id, 1, "not \"crc32\"");
}

static void test_every_listed_algorithm_works(void) {
  promise_str_t names = {NULL, 0};
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((algorithms_t)host_function(plugin, "algorithms"))(&names, &error) == PROMISE_OK);
  bool has_sha256 = false;
  for (size_t at = 0; at < names.length;) {
    const char *end = memchr(names.data + at, '\n', names.length - at);
    CHECK(end != NULL);
    promise_str_t name = {names.data + at, (size_t)(end - (names.data + at))};
    promise_value_t sum = digest(bytes("abc"), name);
    has_sha256 = has_sha256 || (name.length == 6 && memcmp(name.data, "sha256", 6) == 0);
    promise_value_release(&sum);
    at += name.length + 1;
  }
  CHECK(has_sha256);
  host_table()->deallocate(host_table(), (void *)(uintptr_t)names.data);
}

static void test_a_discarded_call_leaves_nothing(void) {
  uint8_t *data = calloc(1, 4000000);
  CHECK(data != NULL);
  for (int i = 0; i < 20; i++) {
    promise_t *promise = NULL;
    promise_value_t error = {.kind = PROMISE_KIND_VOID}, reason;
    CHECK(((sha256_t)host_function(plugin, "sha256"))((promise_bytes_t){data, 4000000}, &promise, &error) ==
          PROMISE_OK);
    if (promise_discard(promise) == PROMISE_OK) {
      CHECK(promise_result(promise, &reason) == PROMISE_OK && reason.kind == PROMISE_KIND_DISCARDED);
    }
    CHECK(promise_release(promise) == PROMISE_OK);
  }
  free(data);
  expect_text(sha256((promise_bytes_t){NULL, 0}), empty_sha256);
}

static promise_function_t lacking(const promise_host_t *host, const char *name) {
  return strcmp(name, "promise_reject") == 0 ? NULL : host_table()->function(host, name);
}

static void test_a_host_that_lacks_a_function_is_refused(void) {
  promise_host_t poor = *host_table();
  poor.function = lacking;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(plugin->load(&poor, &error) == PROMISE_EINVAL);
  expect_error_value(&error, "promise", PROMISE_EINVAL, "the host does not offer promise_reject");
}

int main(int argc, char **argv) {
  CHECK(argc >= 2);
  plugin = host_load(argv[1], id);
  test_published_digests();
  test_data_of_many_chunks();
  test_published_hmacs();
  test_an_unknown_algorithm_is_refused();
  test_every_listed_algorithm_works();
  test_a_discarded_call_leaves_nothing();
  host_unload(plugin);
  test_a_host_that_lacks_a_function_is_refused();
  puts("digest: ok");
  return 0;
}
