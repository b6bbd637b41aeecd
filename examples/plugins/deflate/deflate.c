/* deflate.c - the plugin org.promises.deflate: gzip over zlib, on threads of its own.
 *
 * It links libpromise.so. In a host that has the promise functions itself, the dynamic linker finds those first, so the
 * process still has one promise runtime. */
#include <promise_plugin.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "gzip.h"
#include "job.h"

static const promise_host_t *host;
static job_queue_t queue;

typedef enum operation { COMPRESS, DECOMPRESS, MEASURE } operation_t;

/* A call. The queue has a reference until the task has run, the promise has one until it is settled. */
typedef struct task {
  job_t job;
  operation_t operation;
  promise_t *promise; /* the queue's reference */
  int level;
  uint64_t limit;
  int percent; /* the progress that was reported last */
  size_t length;
  uint8_t data[]; /* a copy, because the caller may free its bytes once it has discarded the promise */
} task_t;

static bool go_on(void *ctx, uint64_t done, uint64_t total) {
  task_t *task = ctx;
  int percent = total == 0 ? 100 : (int)((double)done / (double)total * 100);
  if (percent != task->percent) {
    task->percent = percent;
    host->progress(host, task->promise, percent / 100.0, NULL);
  }
  return !job_is_cancelled(&task->job);
}

static bool perform(task_t *task, promise_value_t *value, failure_t *failure) {
  buffer_t out = {0};
  uint64_t size = 0;
  bool good;
  switch (task->operation) {
  case COMPRESS:
    good = gzip_compress(task->data, task->length, task->level, &out, go_on, task, failure);
    break;
  case DECOMPRESS:
    good = gzip_decompress(task->data, task->length, task->limit, &out, &size, go_on, task, failure);
    break;
  default:
    good = gzip_decompress(task->data, task->length, task->limit, NULL, &size, go_on, task, failure);
  }
  if (good && task->operation == MEASURE) {
    *value = (promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = size};
  } else if (good && promise_value_bytes(value, out.data, out.length) != PROMISE_OK) {
    good = failure_out_of_memory(failure);
  }
  buffer_free(&out);
  return good;
}

static void run(job_t *job) {
  task_t *task = (task_t *)job;
  promise_value_t value = {.kind = PROMISE_KIND_VOID};
  failure_t failure;
  /* If the promise was discarded meanwhile, settling it only releases the value. */
  if (perform(task, &value, &failure)) {
    promise_resolve(task->promise, &value);
  } else {
    promise_value_error(&value, failure.domain, failure.code, failure.message);
    promise_reject(task->promise, &value);
  }
  promise_release(task->promise);
}

static void destroy(job_t *job) {
  free(job);
}

/* Starts the work, and stores the promise of its result in `*result`; discarding the promise cancels the work. */
static promise_status_t start(operation_t operation, promise_bytes_t data, int level, uint64_t limit,
                              promise_t **result) {
  task_t *task = data.length > SIZE_MAX - sizeof(task_t) ? NULL : malloc(sizeof(task_t) + data.length);
  if (task == NULL)
    return PROMISE_ENOMEM;
  job_init(&task->job, run, destroy);
  task->operation = operation;
  task->level = level;
  task->limit = limit;
  task->percent = -1;
  task->length = data.length;
  if (data.length > 0)
    memcpy(task->data, data.data, data.length);

  task->promise = promise_new_discardable(job_cancel, job_retain(&task->job), job_release);
  if (task->promise == NULL || promise_retain(task->promise) != PROMISE_OK) {
    promise_release(task->promise);
    job_release(&task->job);
    return PROMISE_ENOMEM;
  }
  *result = task->promise;
  job_queue_submit(&queue, &task->job);
  return PROMISE_OK;
}

static promise_status_t compress_bytes(promise_bytes_t data, int32_t level, promise_t **result,
                                       promise_value_t *error) {
  if (level < Z_NO_COMPRESSION || level > Z_BEST_COMPRESSION) {
    failure_t failure;
    failure_set(&failure, GZIP_DOMAIN, GZIP_ELEVEL, "level is %d: expected 0 (none) to 9 (best)", (int)level);
    promise_value_error(error, failure.domain, failure.code, failure.message);
    return PROMISE_EINVAL;
  }
  return start(COMPRESS, data, level, 0, result);
}

static promise_status_t decompress_bytes(promise_bytes_t data, uint64_t limit, promise_t **result,
                                         promise_value_t *error) {
  (void)error;
  return start(DECOMPRESS, data, 0, limit, result);
}

static promise_status_t measure_bytes(promise_bytes_t data, promise_t **result, promise_value_t *error) {
  (void)error;
  return start(MEASURE, data, 0, UINT64_MAX, result);
}

static uint32_t crc32_bytes(promise_bytes_t data, uint32_t seed) {
  return (uint32_t)crc32_z(seed, data.length == 0 ? (const Bytef *)"" : data.data, data.length);
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  host = offered;
  int code = job_queue_start(&queue, 0);
  if (code == 0)
    return PROMISE_OK;
  promise_value_error(error, "errno", code, "no thread could be started");
  return PROMISE_ENOMEM;
}

static void unload(void) {
  job_queue_stop(&queue);
}

static const promise_plugin_function_t functions[] = {
    {"compress(data: bytes, level: i32 = 6) -> promise<bytes> !", (promise_function_t)compress_bytes,
     "Compresses bytes into a gzip stream. Level 0 stores, 1 is fastest, 9 is smallest."},
    {"decompress(data: bytes, limit: u64 = 1073741824) -> promise<bytes> !", (promise_function_t)decompress_bytes,
     "Decompresses gzip data of one or more streams, to at most `limit` bytes."},
    {"measure(data: bytes) -> promise<u64> !", (promise_function_t)measure_bytes,
     "Checks gzip data, as gzip -t does, and gives the size that it decompresses to."},
    {"crc32(data: bytes, seed: u32 = 0) -> u32", (promise_function_t)crc32_bytes,
     "The CRC-32 of bytes. The result for a first part is the seed for the next."},
};

static const promise_plugin_t plugin = {
    .size = sizeof(promise_plugin_t),
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof(promise_plugin_function_t),
    .id = "org.promises.deflate",
    .version = "1.0.0",
    .description = "gzip compression, over zlib",
    .load = load,
    .unload = unload,
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
