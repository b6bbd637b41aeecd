#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "request.h"

static const promise_host_t *host;
static const promise_type_t *entry_type;

/* The value that the database's thread passes to the first handler. */
typedef struct entry {
  promise_value_t data;
  char *sha256;
} entry_t;

static void entry_free(void *payload) {
  entry_t *entry = payload;
  promise_value_release(&entry->data);
  free(entry->sha256);
  free(entry);
}

static entry_t *entry_new(const buffer_t *data, const buffer_t *sha256) {
  entry_t *entry = calloc(1, sizeof *entry);
  if (entry == NULL)
    return NULL;
  entry->sha256 = calloc(1, sha256->length + 1);
  if (entry->sha256 == NULL || promise_value_bytes(&entry->data, data->data, data->length) != PROMISE_OK) {
    free(entry->sha256);
    free(entry);
    return NULL;
  }
  memcpy(entry->sha256, sha256->data, sha256->length);
  return entry;
}

/* The first step, on the database's thread: reads the data and its checksum. */
static bool read_entry(request_t *request, promise_value_t *value, failure_t *failure) {
  sqlite3 *connection = database_connection(request->database, false, &request->job, failure);
  buffer_t data = {0}, sha256 = {0};
  bool good = connection != NULL && files_fetch(connection, request->arguments[1], &data, &sha256, failure);
  if (good) {
    entry_t *entry = entry_new(&data, &sha256);
    good = entry != NULL && promise_value_object(value, entry_type, entry) == PROMISE_OK;
    if (!good)
      failure_out_of_memory(failure);
  }
  buffer_free(&data);
  buffer_free(&sha256);
  return good;
}

static promise_verdict_t out_of_memory(promise_value_t *out) {
  failure_t failure;
  failure_out_of_memory(&failure);
  promise_value_error(out, failure.domain, failure.code, failure.message);
  return PROMISE_REJECT;
}

/* The last step, on the thread that settles the promise of the other plugin. `ctx` is the stored checksum. */
static promise_verdict_t compare(void *ctx, const promise_value_t *in, promise_value_t *out) {
  size_t length = 0;
  const char *sum = promise_value_data(in, &length);
  bool same = in->kind == PROMISE_KIND_STRING && length == strlen(ctx) && memcmp(sum, ctx, length) == 0;
  *out = (promise_value_t){.kind = PROMISE_KIND_BOOL, .as.b = same};
  return PROMISE_FULFILL;
}

/* The second step: calls the other plugin, and makes the promise follow the comparison. A rejection passes through. */
static promise_verdict_t ask(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  const entry_t *entry = (const entry_t *)(const void *)promise_value_data(in, NULL);
  char *expected = malloc(strlen(entry->sha256) + 1);
  promise_t *sum = expected == NULL ? NULL : host->call(host, "org.promises.digest", "sha256", &entry->data, 1);
  if (sum == NULL) {
    free(expected);
    return out_of_memory(out);
  }
  promise_t *answer = promise_then(sum, compare, strcpy(expected, entry->sha256), free);
  promise_release(sum);
  if (answer == NULL)
    return out_of_memory(out);
  *out = (promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = answer};
  return PROMISE_ADOPT;
}

bool verify_load(const promise_host_t *offered) {
  host = offered;
  entry_type = promise_type_register("org.promises.catalog.entry", NULL, entry_free);
  return entry_type != NULL;
}

promise_status_t verify_file(promise_bytes_t database, promise_bytes_t name, promise_t **result,
                             promise_value_t *error) {
  const promise_bytes_t arguments[] = {database, name};
  promise_t *entry = NULL;
  promise_status_t status = request_start(read_entry, arguments, 2, -1, 0, &entry, error);
  if (status != PROMISE_OK)
    return status;
  *result = promise_then(entry, ask, NULL, NULL);
  promise_release(entry);
  return *result != NULL ? PROMISE_OK : PROMISE_ENOMEM;
}
