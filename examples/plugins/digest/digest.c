/* digest.c - the plugin org.promises.digest: checksums and HMACs over OpenSSL, on threads of its own.
 *
 * It calls promise functions through the host's table alone: it neither links libpromise.so nor leaves a symbol of it
 * undefined, so it can be loaded and inspected where there is no libpromise. */
#include <promise_plugin.h>

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "job.h"
#include "promises.h"

static const promise_host_t *host;
static promises_t promises;
static job_queue_t queue;

/* A call. The queue has a reference until the task has run, the promise has one until it is settled. */
typedef struct task {
  job_t job;
  promise_t *promise; /* the queue's reference */
  bool keyed;         /* whether it is an HMAC */
  int percent;        /* the progress that was reported last */
  size_t algorithm_size, key_length, length;
  /* Copies of the algorithm with a NUL, of the key and of the data, one after the other. They are copied because the
   * caller may free its bytes once it has discarded the promise. */
  uint8_t copies[];
} task_t;

static bool go_on(void *ctx, uint64_t done, uint64_t total) {
  task_t *task = ctx;
  int percent = (int)((double)done / (double)total * 100);
  if (percent != task->percent) {
    task->percent = percent;
    host->progress(host, task->promise, percent / 100.0, NULL);
  }
  return !job_is_cancelled(&task->job);
}

static bool perform(task_t *task, promise_value_t *value, failure_t *failure) {
  const char *algorithm = (const char *)task->copies;
  const uint8_t *key = task->copies + task->algorithm_size;
  const uint8_t *data = key + task->key_length;
  if (job_is_cancelled(&task->job))
    return failure_cancelled(failure);
  buffer_t hex = {0};
  bool good = task->keyed ? hash_hmac(algorithm, key, task->key_length, data, task->length, &hex, go_on, task, failure)
                          : hash_digest(algorithm, data, task->length, &hex, go_on, task, failure);
  if (good && promises.value_string(value, (const char *)hex.data, hex.length) != PROMISE_OK) {
    good = failure_out_of_memory(failure);
  }
  buffer_free(&hex);
  return good;
}

static void run(job_t *job) {
  task_t *task = (task_t *)job;
  promise_value_t value = {.kind = PROMISE_KIND_VOID};
  failure_t failure;
  /* If the promise was discarded meanwhile, settling it only releases the value. */
  if (perform(task, &value, &failure)) {
    promises.resolve(task->promise, &value);
  } else {
    promises.value_error(&value, failure.domain, failure.code, failure.message);
    promises.reject(task->promise, &value);
  }
  promises.release(task->promise);
}

static void destroy(job_t *job) {
  free(job);
}

static uint8_t *copy(uint8_t *to, const void *from, size_t length) {
  if (length > 0)
    memcpy(to, from, length);
  return to + length;
}

static task_t *task_new(promise_str_t algorithm, promise_bytes_t key, promise_bytes_t data) {
  size_t most = SIZE_MAX / 4;
  if (algorithm.length > most || key.length > most || data.length > most)
    return NULL;
  size_t copies = algorithm.length + 1 + key.length + data.length;
  task_t *task = copies > SIZE_MAX - sizeof(task_t) ? NULL : malloc(sizeof(task_t) + copies);
  if (task == NULL)
    return NULL;
  job_init(&task->job, run, destroy);
  task->percent = -1;
  task->algorithm_size = algorithm.length + 1;
  task->key_length = key.length;
  task->length = data.length;
  uint8_t *at = copy(task->copies, algorithm.data, algorithm.length);
  *at++ = '\0';
  copy(copy(at, key.data, key.length), data.data, data.length);
  return task;
}

/* Starts the work, and stores the promise of its result in `*result`; discarding the promise cancels the work. */
static promise_status_t start(promise_str_t algorithm, bool keyed, promise_bytes_t key, promise_bytes_t data,
                              promise_t **result, promise_value_t *error) {
  task_t *task = task_new(algorithm, key, data);
  if (task == NULL)
    return PROMISE_ENOMEM;
  task->keyed = keyed;
  failure_t failure;
  if (!hash_is_known((const char *)task->copies, algorithm.length, &failure)) {
    promises.value_error(error, failure.domain, failure.code, failure.message);
    job_release(&task->job);
    return PROMISE_EINVAL;
  }
  task->promise = promises.new_discardable(job_cancel, job_retain(&task->job), job_release);
  if (task->promise == NULL || promises.retain(task->promise) != PROMISE_OK) {
    promises.release(task->promise);
    job_release(&task->job);
    return PROMISE_ENOMEM;
  }
  *result = task->promise;
  job_queue_submit(&queue, &task->job);
  return PROMISE_OK;
}

static promise_status_t sha256(promise_bytes_t data, promise_t **result, promise_value_t *error) {
  return start((promise_str_t){"sha256", 6}, false, (promise_bytes_t){NULL, 0}, data, result, error);
}

static promise_status_t digest(promise_bytes_t data, promise_str_t algorithm, promise_t **result,
                               promise_value_t *error) {
  return start(algorithm, false, (promise_bytes_t){NULL, 0}, data, result, error);
}

static promise_status_t hmac(promise_bytes_t key, promise_bytes_t data, promise_str_t algorithm, promise_t **result,
                             promise_value_t *error) {
  return start(algorithm, true, key, data, result, error);
}

static promise_status_t algorithms(promise_str_t *result, promise_value_t *error) {
  (void)error;
  buffer_t names = {0};
  char *text = hash_algorithms(&names) ? host->allocate(host, names.length) : NULL;
  if (text != NULL) {
    memcpy(text, names.data, names.length);
    *result = (promise_str_t){text, names.length};
  }
  buffer_free(&names);
  return text != NULL ? PROMISE_OK : PROMISE_ENOMEM;
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  host = offered;
  const char *missing = promises_find(&promises, host);
  failure_t failure = {0};
  if (missing != NULL) {
    failure_set(&failure, "promise", PROMISE_EINVAL, "the host does not offer %s", missing);
  } else {
    int code = job_queue_start(&queue, 0);
    if (code == 0)
      return PROMISE_OK;
    failure_set(&failure, "errno", code, "no thread could be started");
  }
  if (promises.value_error != NULL)
    promises.value_error(error, failure.domain, failure.code, failure.message);
  return PROMISE_EINVAL;
}

static void unload(void) {
  job_queue_stop(&queue);
}

static const promise_plugin_function_t functions[] = {
    {"sha256(data: bytes) -> promise<str> !", (promise_function_t)sha256,
     "The SHA-256 of bytes, in lower-case hexadecimal, as sha256sum prints it."},
    {"digest(data: bytes, algorithm: str = \"sha256\") -> promise<str> !", (promise_function_t)digest,
     "The digest of bytes by any algorithm of algorithms(), in lower-case hexadecimal."},
    {"hmac(key: bytes, data: bytes, algorithm: str = \"sha256\") -> promise<str> !", (promise_function_t)hmac,
     "The HMAC of bytes under a key, in lower-case hexadecimal."},
    {"algorithms() -> own str !", (promise_function_t)algorithms, "The names of all digest algorithms, one a line."},
};

static const promise_plugin_t plugin = {
    .size = sizeof(promise_plugin_t),
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof(promise_plugin_function_t),
    .id = "org.promises.digest",
    .version = "1.0.0",
    .description = "Checksums and HMACs, over OpenSSL",
    .load = load,
    .unload = unload,
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
