/* catalog.c - the plugin org.promises.catalog: results of other plugins, kept in SQLite databases.
 *
 * Every function takes the path of its database first. Each database has one connection, on a thread of its own, so
 * that requests to one database run in order and those to different ones at the same time. Both end with close().
 *
 * The plugin leaves the promise_... symbols undefined: the process that loads it must define them. */
#include <promise_plugin.h>

#include <string.h>

#include "files.h"
#include "request.h"
#include "verify.h"

enum { SHA256_DIGITS = 64 };

static promise_bytes_t bytes_of(promise_str_t text) {
  return (promise_bytes_t){(const uint8_t *)text.data, text.length};
}

static promise_status_t refuse(promise_value_t *error, const char *message) {
  promise_value_error(error, CATALOG_DOMAIN, CATALOG_EARGUMENT, message);
  return PROMISE_EINVAL;
}

static bool is_sha256(promise_str_t text) {
  if (text.length != SHA256_DIGITS)
    return false;
  for (size_t i = 0; i < text.length; i++) {
    if (memchr("0123456789abcdef", text.data[i], 16) == NULL)
      return false;
  }
  return true;
}

/* ---- On the database's thread ---- */

static bool store_file(request_t *request, promise_value_t *value, failure_t *failure) {
  sqlite3 *connection = database_connection(request->database, true, &request->job, failure);
  const file_t file = {
      .name = request->arguments[1],
      .data = (const uint8_t *)request->arguments[2],
      .length = request->lengths[2],
      .sha256 = request->arguments[3],
      .original_sha256 = request->arguments[4],
      .original_size = request->number,
  };
  int64_t id = 0;
  if (connection == NULL || !files_store(connection, &file, &id, failure))
    return false;
  *value = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = id};
  return true;
}

static bool fetch_file(request_t *request, promise_value_t *value, failure_t *failure) {
  sqlite3 *connection = database_connection(request->database, false, &request->job, failure);
  buffer_t data = {0};
  bool good = connection != NULL && files_fetch(connection, request->arguments[1], &data, NULL, failure);
  if (good && promise_value_bytes(value, data.data, data.length) != PROMISE_OK)
    good = failure_out_of_memory(failure);
  buffer_free(&data);
  return good;
}

static bool query_files(request_t *request, promise_value_t *value, failure_t *failure) {
  sqlite3 *connection = database_connection(request->database, false, &request->job, failure);
  buffer_t json = {0};
  bool good =
      connection != NULL && files_query(connection, request->arguments[1], request->arguments[2], &json, failure);
  if (good) {
    promise_status_t status = promise_value_string(value, (const char *)json.data, json.length);
    if (status == PROMISE_EINVAL) {
      good = failure_set(failure, CATALOG_DOMAIN, CATALOG_EARGUMENT, "sql: a text in the result is not UTF-8");
    } else if (status != PROMISE_OK) {
      good = failure_out_of_memory(failure);
    }
  }
  buffer_free(&json);
  return good;
}

static bool close_database(request_t *request, promise_value_t *value, failure_t *failure) {
  (void)value, (void)failure;
  database_disconnect(request->database);
  return true;
}

/* ---- Functions of the plugin ---- */

static promise_status_t catalog_store(promise_str_t database, promise_str_t name, promise_bytes_t data,
                                      promise_str_t sha256, promise_str_t original_sha256, uint64_t original_size,
                                      promise_t **result, promise_value_t *error) {
  if (name.length == 0)
    return refuse(error, "name: expected a name, not nothing");
  if (!is_sha256(sha256))
    return refuse(error, "sha256: expected 64 lower-case hexadecimal digits");
  if (!is_sha256(original_sha256))
    return refuse(error, "original_sha256: expected 64 lower-case hexadecimal digits");
  if (original_size > INT64_MAX)
    return refuse(error, "original_size: expected at most 9223372036854775807");
  const promise_bytes_t arguments[] = {bytes_of(database), bytes_of(name), data, bytes_of(sha256),
                                       bytes_of(original_sha256)};
  return request_start(store_file, arguments, 5, 2, (int64_t)original_size, result, error);
}

static promise_status_t catalog_fetch(promise_str_t database, promise_str_t name, promise_t **result,
                                      promise_value_t *error) {
  const promise_bytes_t arguments[] = {bytes_of(database), bytes_of(name)};
  return request_start(fetch_file, arguments, 2, -1, 0, result, error);
}

static promise_status_t catalog_query(promise_str_t database, promise_str_t sql, promise_str_t parameters,
                                      promise_t **result, promise_value_t *error) {
  const promise_bytes_t arguments[] = {bytes_of(database), bytes_of(sql), bytes_of(parameters)};
  return request_start(query_files, arguments, 3, -1, 0, result, error);
}

static promise_status_t catalog_verify(promise_str_t database, promise_str_t name, promise_t **result,
                                       promise_value_t *error) {
  return verify_file(bytes_of(database), bytes_of(name), result, error);
}

static promise_status_t catalog_close(promise_str_t database, promise_t **result, promise_value_t *error) {
  const promise_bytes_t arguments[] = {bytes_of(database)};
  return request_start(close_database, arguments, 1, -1, 0, result, error);
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  if (sqlite3_threadsafe() == 0)
    return refuse(error, "this SQLite was built for one thread alone: expected one with SQLITE_THREADSAFE=1 or 2");
  return verify_load(host) ? PROMISE_OK : PROMISE_ENOMEM;
}

static const promise_plugin_function_t functions[] = {
    {"store(database: str, name: str, data: bytes, sha256: str, original_sha256: str, original_size: u64)"
     " -> promise<i64> !",
     (promise_function_t)catalog_store,
     "Stores packed data with its checksums under a name, in place of what had that name."},
    {"fetch(database: str, name: str) -> promise<bytes> !", (promise_function_t)catalog_fetch,
     "The packed data that was stored under a name."},
    {"verify(database: str, name: str) -> promise<bool> !", (promise_function_t)catalog_verify,
     "Whether packed data still has the checksum that was stored with it. Asks org.promises.digest."},
    {"query(database: str, sql: str, parameters: str = \"[]\") -> promise<str> !", (promise_function_t)catalog_query,
     "The rows that a statement reads, as JSON. `parameters` are its ?1, ?2, ... as a JSON array."},
    {"close(database: str) -> promise<void> !", (promise_function_t)catalog_close,
     "Closes the connection, so that the file can be moved. It is opened again when it is needed."},
};

static const promise_plugin_t plugin = {
    .size = sizeof(promise_plugin_t),
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof(promise_plugin_function_t),
    .id = "org.promises.catalog",
    .version = "1.0.0",
    .description = "A catalog of packed files, over SQLite",
    .load = load,
    .unload = databases_stop,
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
