/* catalog_test.c - the catalog plugin, function by function. Arguments: its file, and a folder to write to. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <unistd.h>

#include "host.h"

typedef promise_status_t (*store_t)(promise_str_t, promise_str_t, promise_bytes_t, promise_str_t, promise_str_t,
                                    uint64_t, promise_t **, promise_value_t *);
typedef promise_status_t (*fetch_t)(promise_str_t, promise_str_t, promise_t **, promise_value_t *);
typedef promise_status_t (*query_t)(promise_str_t, promise_str_t, promise_str_t, promise_t **, promise_value_t *);
typedef promise_status_t (*close_t)(promise_str_t, promise_t **, promise_value_t *);

static const char id[] = "org.promises.catalog";
static const char sum[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char endless[] = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n";
static const promise_plugin_t *plugin;
static char path[4096], other_path[4096], missing_path[4096];
/* Other spellings of `path` and `missing_path`. */
static char path_again[4096], missing_path_again[4096];

static promise_t *store(const char *database, const char *name, promise_bytes_t data) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  store_t function = (store_t)host_function(plugin, "store");
  CHECK(function(str(database), str(name), data, str(sum), str(sum), 3, &promise, &error) == PROMISE_OK);
  return promise;
}

static promise_t *fetch(const char *database, const char *name) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((fetch_t)host_function(plugin, "fetch"))(str(database), str(name), &promise, &error) == PROMISE_OK);
  return promise;
}

static promise_t *query(const char *database, const char *sql, const char *parameters) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  query_t function = (query_t)host_function(plugin, "query");
  CHECK(function(str(database), str(sql), str(parameters), &promise, &error) == PROMISE_OK);
  return promise;
}

static void expect_rows(const char *sql, const char *parameters, const char *json) {
  expect_text(expect_value(query(path, sql, parameters), PROMISE_KIND_STRING), json);
}

static void test_what_was_stored_comes_back(void) {
  CHECK(expect_value(store(path, "one", bytes("first")), PROMISE_KIND_I64).as.i64 == 1);
  CHECK(expect_value(store(path, "two", (promise_bytes_t){(const uint8_t *)"a\0b", 3}), PROMISE_KIND_I64).as.i64 == 2);
  CHECK(expect_value(store(path, "one", (promise_bytes_t){NULL, 0}), PROMISE_KIND_I64).as.i64 == 1);
  promise_value_t data = expect_value(fetch(path, "two"), PROMISE_KIND_BYTES);
  size_t length = 0;
  const char *bytes_of_two = promise_value_data(&data, &length);
  CHECK(length == 3 && memcmp(bytes_of_two, "a\0b", 3) == 0);
  promise_value_release(&data);
  data = expect_value(fetch(path, "one"), PROMISE_KIND_BYTES);
  CHECK(promise_value_data(&data, &length) == NULL && length == 0);
  promise_value_release(&data);
  expect_rows("select id, name, original_size, length(data) as packed from files order by id", "[]",
              "[{\"id\":1,\"name\":\"one\",\"original_size\":3,\"packed\":0},\n"
              " {\"id\":2,\"name\":\"two\",\"original_size\":3,\"packed\":3}]");
  expect_rows("select name from files where id = ?1 and sha256 = ?2",
              "[2, \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"]", "[{\"name\":\"two\"}]");
  expect_rows("select name from files where id = ?1", "2", "[{\"name\":\"two\"}]");
  expect_rows("select name from files where id = 7; -- nobody", "[]", "[]");
  expect_error(fetch(path, "three"), id, 2, "no file in the catalog is called \"three\"");
}

static void test_every_kind_of_value_becomes_json(void) {
  expect_rows("select null as n, -9223372036854775808 as i, 0.5 as f, 1e300 * 1e300 as inf, x'00ff10' as b, x'' as e,"
              " 'a\"\\' || char(10, 9, 1) || '\u00e9' as s",
              "[]",
              "[{\"n\":null,\"i\":-9223372036854775808,\"f\":0.5,\"inf\":null,\"b\":\"AP8Q\",\"e\":\"\","
              "\"s\":\"a\\\"\\\\\\n\\t\\u0001\u00e9\"}]");
  expect_rows("select x'616263' as a, x'6162' as b, x'61' as c", "[]",
              "[{\"a\":\"YWJj\",\"b\":\"YWI=\",\"c\":\"YQ==\"}]");
  expect_rows("select ?1 as n, ?2 as t, ?3 as f, ?4 as s, ?5 as l", "[null, true, 1.5, \"x\", [1, 2]]",
              "[{\"n\":null,\"t\":1,\"f\":1.5,\"s\":\"x\",\"l\":\"[1,2]\"}]");
  expect_error(query(path, "select cast(x'ff' as text) as bad", "[]"), id, 1, "not UTF-8");
}

static void test_a_wrong_query_is_refused(void) {
  expect_error(query(path, "select * from nowhere", "[]"), "sqlite", SQLITE_ERROR, "no such table: nowhere");
  expect_error(query(path, "selec", "[]"), "sqlite", SQLITE_ERROR, "syntax error");
  expect_error(query(path, "", "[]"), id, 1, "expected one statement, not none");
  expect_error(query(path, " -- only a comment", "[]"), id, 1, "expected one statement, not none");
  expect_error(query(path, "select 1; select 2", "[]"), id, 1, "expected one statement, not several");
  const char *writing[] = {"delete from files",       "drop table files", "begin",
                           "pragma user_version = 3", "attach 'x' as x",  "vacuum",
                           "create table t (a)"};
  for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
    expect_error(query(path, writing[i], "[]"), "sqlite", SQLITE_AUTH, "a statement that only reads");
  }
  expect_error(query(path, "select ?1, ?2", "[1]"), id, 1, "parameters: 1 for a statement which has 2");
  expect_error(query(path, "select 1", "[1]"), id, 1, "parameters: 1 for a statement which has 0");
  expect_error(query(path, "select ?1", "[1"), "sqlite", SQLITE_ERROR, "expected a JSON array, not [1");
  expect_rows("select count(*) as n from files", "[]", "[{\"n\":2}]");
}

static void expect_refusal(promise_status_t status, promise_t *promise, promise_value_t *error, const char *message) {
  CHECK(status == PROMISE_EINVAL && promise == NULL);
  expect_error_value(error, id, 1, message);
}

static void test_wrong_arguments_are_refused(void) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  store_t function = (store_t)host_function(plugin, "store");
  promise_bytes_t data = bytes("data");
  char upper[] = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect_refusal(function(str(path), str(""), data, str(sum), str(sum), 1, &promise, &error), promise, &error, "name:");
  expect_refusal(function(str(path), str("n"), data, str("x"), str(sum), 1, &promise, &error), promise, &error,
                 "sha256: expected 64");
  expect_refusal(function(str(path), str("n"), data, str(sum), str(upper), 1, &promise, &error), promise, &error,
                 "original_sha256: expected 64");
  expect_refusal(function(str(path), str("n"), data, str(sum), str(sum), UINT64_MAX, &promise, &error), promise, &error,
                 "original_size:");
  expect_refusal(function(str(""), str("n"), data, str(sum), str(sum), 1, &promise, &error), promise, &error,
                 "database: expected the path");
  expect_refusal(function(str(path), (promise_str_t){"a\0b", 3}, data, str(sum), str(sum), 1, &promise, &error),
                 promise, &error, "argument 2: expected text without a NUL, which is its byte 1");
}

static void test_reading_makes_no_file(void) {
  expect_error(query(missing_path, "select 1", "[]"), "sqlite", SQLITE_CANTOPEN, "unable to open database file");
  expect_error(fetch(missing_path, "one"), "sqlite", SQLITE_CANTOPEN, missing_path);
  CHECK(access(missing_path, F_OK) != 0);
  CHECK(expect_value(store(missing_path_again, "one", bytes("late")), PROMISE_KIND_I64).as.i64 == 1);
  CHECK(access(missing_path, F_OK) == 0);
}

static promise_t *close_connection(const char *database) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((close_t)host_function(plugin, "close"))(str(database), &promise, &error) == PROMISE_OK);
  return promise;
}

static void test_each_spelling_of_a_path_is_one_database(void) {
  /* The number of rows that this connection has changed. */
  const char sql[] = "select total_changes() > 0 as same";
  expect_text(expect_value(query(path_again, sql, "[]"), PROMISE_KIND_STRING), "[{\"same\":1}]");
  expect_text(expect_value(query(missing_path, sql, "[]"), PROMISE_KIND_STRING), "[{\"same\":1}]");
  expect_error(query("/nowhere/catalog.sqlite", sql, "[]"), "sqlite", SQLITE_CANTOPEN, "/nowhere/catalog.sqlite: ");
  expect_text(expect_value(query(":memory:", "select 1 as one", "[]"), PROMISE_KIND_STRING), "[{\"one\":1}]");
}

static void test_a_closed_database_opens_again(void) {
  expect_value(close_connection(path), PROMISE_KIND_VOID);
  expect_rows("select count(*) as n from files", "[]", "[{\"n\":2}]");
}

/* Returns the number of threads of this process. */
static size_t threads(void) {
  size_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  while (readdir(tasks) != NULL)
    count++;
  CHECK(closedir(tasks) == 0);
  return count;
}

static void test_a_closed_database_has_no_thread(void) {
  size_t before = threads();
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 50; i++) {
      char many[4200];
      CHECK(snprintf(many, sizeof many, "%s.%d", other_path, i) < (int)sizeof many);
      remove(many);
      CHECK(expect_value(store(many, "one", bytes("1")), PROMISE_KIND_I64).as.i64 == 1);
      expect_value(close_connection(many), PROMISE_KIND_VOID);
      remove(many);
      expect_error(fetch(many, "one"), "sqlite", SQLITE_CANTOPEN, "unable to open database file");
    }
  }
  while (threads() > before)
    sched_yield();
}

static void test_a_discarded_query_stops(void) {
  promise_t *busy = query(path, endless, "[]");
  promise_t *next = query(path, "select 1 as one", "[]");
  /* Another database has a thread of its own, which nothing holds up. */
  CHECK(expect_value(store(other_path, "one", bytes("other")), PROMISE_KIND_I64).as.i64 == 1);
  CHECK(promise_state(next) == PROMISE_PENDING);
  CHECK(promise_discard(busy) == PROMISE_OK && promise_release(busy) == PROMISE_OK);
  expect_text(expect_value(next, PROMISE_KIND_STRING), "[{\"one\":1}]");
}

static void wait_for(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0)
    CHECK(errno == EINTR);
}

/* In place of SQLite's, for the plugin too: who waits for a lock sleeps until the test lets everybody go on. So it is
 * counted how often somebody slept, and no clock is asked. */
static sem_t asleep, may_wake;

int sqlite3_sleep(int milliseconds) {
  CHECK(sem_post(&asleep) == 0);
  wait_for(&may_wake);
  CHECK(sem_post(&may_wake) == 0);
  return milliseconds;
}

static void test_a_discarded_call_stops_waiting_for_a_lock(void) {
  sqlite3 *holder = NULL;
  CHECK(sem_init(&asleep, 0, 0) == 0 && sem_init(&may_wake, 0, 0) == 0);
  CHECK(sqlite3_open(path, &holder) == SQLITE_OK);
  CHECK(sqlite3_exec(holder, "begin exclusive", NULL, NULL, NULL) == SQLITE_OK);
  promise_t *waiting = store(path, "three", bytes("3"));
  wait_for(&asleep);
  CHECK(promise_discard(waiting) == PROMISE_OK && promise_release(waiting) == PROMISE_OK);
  CHECK(sem_post(&may_wake) == 0);
  /* This needs no lock, but its turn comes when the call before it has ended. */
  expect_value(close_connection(path), PROMISE_KIND_VOID);
  CHECK(sem_trywait(&asleep) != 0);
  CHECK(sqlite3_exec(holder, "commit", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_close(holder) == SQLITE_OK);
  CHECK(expect_value(store(path, "four", bytes("4")), PROMISE_KIND_I64).as.i64 == 3);
  CHECK(sem_destroy(&asleep) == 0 && sem_destroy(&may_wake) == 0);
}

/* The checksum of `asked_for` that the plugin gets. */
static const char *answer;
static char asked_for[16];

static promise_t *answer_call(const char *called, const char *function, const promise_value_t *arguments,
                              size_t count) {
  CHECK(strcmp(called, "org.promises.digest") == 0 && strcmp(function, "sha256") == 0);
  CHECK(count == 1 && arguments[0].kind == PROMISE_KIND_BYTES);
  size_t length = 0;
  const char *data = promise_value_data(&arguments[0], &length);
  CHECK(length < sizeof asked_for);
  memcpy(asked_for, data, length);
  asked_for[length] = '\0';
  promise_t *promise = promise_new();
  promise_value_t value;
  if (answer != NULL) {
    CHECK(promise_value_string(&value, answer, strlen(answer)) == PROMISE_OK);
    CHECK(promise_resolve(promise, &value) == PROMISE_OK);
  } else {
    CHECK(promise_value_error(&value, "test", 5, "there is no such plugin") == PROMISE_OK);
    CHECK(promise_reject(promise, &value) == PROMISE_OK);
  }
  return promise;
}

static promise_t *verify(const char *name) {
  promise_t *promise = NULL;
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  CHECK(((fetch_t)host_function(plugin, "verify"))(str(path), str(name), &promise, &error) == PROMISE_OK);
  return promise;
}

static void test_what_is_stored_is_verified_by_another_plugin(void) {
  host_on_call(answer_call);
  CHECK(expect_value(store(path, "five", bytes("abc")), PROMISE_KIND_I64).as.i64 == 4);
  answer = sum;
  CHECK(expect_value(verify("five"), PROMISE_KIND_BOOL).as.b == 1);
  CHECK(strcmp(asked_for, "abc") == 0);
  answer = "ba78";
  CHECK(expect_value(verify("five"), PROMISE_KIND_BOOL).as.b == 0);
  answer = NULL;
  expect_error(verify("five"), "test", 5, "no such plugin");
  expect_error(verify("nobody"), id, 2, "called \"nobody\"");
  host_on_call(NULL);
  expect_error(verify("five"), "errno", ENOMEM, "out of memory");
}

static void test_unload_stops_what_would_never_end(void) {
  promise_t *busy = query(path, endless, "[]"), *queued = query(path, "select 1", "[]");
  host_unload(plugin);
  CHECK(promise_state(busy) == PROMISE_REJECTED);
  promise_release(busy);
  expect_error(queued, "errno", ECANCELED, "unloaded");
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  CHECK(snprintf(path, sizeof path, "%s/catalog.sqlite", argv[2]) < (int)sizeof path);
  CHECK(snprintf(other_path, sizeof other_path, "%s/other.sqlite", argv[2]) < (int)sizeof other_path);
  CHECK(snprintf(missing_path, sizeof missing_path, "%s/missing.sqlite", argv[2]) < (int)sizeof missing_path);
  CHECK(snprintf(path_again, sizeof path, "%s/./catalog.sqlite", argv[2]) < (int)sizeof path);
  CHECK(snprintf(missing_path_again, sizeof missing_path, "%s/../%s/missing.sqlite", argv[2],
                 strrchr(argv[2], '/') + 1) < (int)sizeof missing_path);
  remove(path), remove(other_path), remove(missing_path);
  plugin = host_load(argv[1], id);
  test_what_was_stored_comes_back();
  test_every_kind_of_value_becomes_json();
  test_a_wrong_query_is_refused();
  test_wrong_arguments_are_refused();
  test_reading_makes_no_file();
  test_each_spelling_of_a_path_is_one_database();
  test_a_closed_database_opens_again();
  test_a_closed_database_has_no_thread();
  test_a_discarded_query_stops();
  test_a_discarded_call_stops_waiting_for_a_lock();
  test_what_is_stored_is_verified_by_another_plugin();
  test_unload_stops_what_would_never_end();
  puts("catalog: ok");
  return 0;
}
