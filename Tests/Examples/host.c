#define _GNU_SOURCE

#include "host.h"

#include <dlfcn.h>
#include <stdatomic.h>

static atomic_long allocations;
static void (*on_progress)(promise_t *promise, double fraction);
static promise_t *(*on_call)(const char *plugin, const char *function, const promise_value_t *arguments, size_t count);

static void host_log(const promise_host_t *host, promise_log_level_t level, const char *message) {
  (void)host;
  fprintf(stderr, "log %d: %s\n", (int)level, message);
}

static void host_progress(const promise_host_t *host, promise_t *promise, double fraction, const char *message) {
  (void)host, (void)message;
  if (on_progress != NULL)
    on_progress(promise, fraction);
}

static promise_t *host_call(const promise_host_t *host, const char *plugin, const char *function,
                            const promise_value_t *arguments, size_t count) {
  (void)host;
  return on_call == NULL ? NULL : on_call(plugin, function, arguments, count);
}

static void *host_allocate(const promise_host_t *host, size_t size) {
  (void)host;
  allocations++;
  return malloc(size);
}

static void host_deallocate(const promise_host_t *host, void *memory) {
  (void)host;
  if (memory != NULL)
    allocations--;
  free(memory);
}

static const char *host_configuration(const promise_host_t *host, const char *key) {
  (void)host, (void)key;
  return NULL;
}

static promise_function_t host_promise_function(const promise_host_t *host, const char *name) {
  (void)host;
  promise_function_t function = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, name);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

const promise_host_t *host_table(void) {
  static const promise_host_t table = {
      .size = sizeof(promise_host_t),
      .abi = PROMISE_ABI_VERSION,
      .log = host_log,
      .progress = host_progress,
      .call = host_call,
      .allocate = host_allocate,
      .deallocate = host_deallocate,
      .configuration = host_configuration,
      .function = host_promise_function,
  };
  return &table;
}

void host_on_progress(void (*progress)(promise_t *promise, double fraction)) {
  on_progress = progress;
}

void host_on_call(promise_t *(*call)(const char *, const char *, const promise_value_t *, size_t)) {
  on_call = call;
}

const promise_plugin_t *host_load(const char *path, const char *id) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  const promise_plugin_t *(*entry)(uint32_t) = NULL;
  void *symbol = dlsym(library, "promise_plugin_entry");
  CHECK(symbol != NULL);
  memcpy(&entry, &symbol, sizeof entry);
  const promise_plugin_t *plugin = entry(PROMISE_ABI_VERSION);
  CHECK(plugin != NULL && plugin->size == sizeof *plugin);
  CHECK(plugin->function_size == sizeof(promise_plugin_function_t));
  CHECK(plugin->abi_min <= PROMISE_ABI_VERSION && PROMISE_ABI_VERSION <= plugin->abi_max);
  CHECK(strcmp(plugin->id, id) == 0);
  promise_value_t error = {.kind = PROMISE_KIND_VOID};
  if (plugin->load != NULL)
    CHECK(plugin->load(host_table(), &error) == PROMISE_OK);
  return plugin;
}

void host_unload(const promise_plugin_t *plugin) {
  if (plugin->unload != NULL)
    plugin->unload();
  CHECK(allocations == 0);
}

promise_function_t host_function(const promise_plugin_t *plugin, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < plugin->function_count; i++) {
    const char *signature = plugin->functions[i].signature;
    if (strncmp(signature, name, length) == 0 && signature[length] == '(')
      return plugin->functions[i].entry;
  }
  fprintf(stderr, "no function %s in %s\n", name, plugin->id);
  exit(1);
}

promise_value_t expect_value(promise_t *promise, promise_kind_t kind) {
  promise_value_t value;
  CHECK(promise_wait(promise, -1) == PROMISE_OK);
  CHECK(promise_result(promise, &value) == PROMISE_OK);
  if (promise_state(promise) != PROMISE_FULFILLED) {
    fprintf(stderr, "rejected: %s\n", promise_value_data(&value, NULL));
  }
  CHECK(promise_state(promise) == PROMISE_FULFILLED);
  CHECK(value.kind == kind);
  CHECK(promise_release(promise) == PROMISE_OK);
  return value;
}

void expect_error(promise_t *promise, const char *domain, int64_t code, const char *part_of_message) {
  promise_value_t reason;
  CHECK(promise_wait(promise, -1) == PROMISE_OK);
  CHECK(promise_result(promise, &reason) == PROMISE_OK);
  if (promise_state(promise) != PROMISE_REJECTED) {
    fprintf(stderr, "fulfilled instead of rejected with ...%s...\n", part_of_message);
  }
  CHECK(promise_state(promise) == PROMISE_REJECTED);
  expect_error_value(&reason, domain, code, part_of_message);
  CHECK(promise_release(promise) == PROMISE_OK);
}

void expect_error_value(promise_value_t *error, const char *domain, int64_t code, const char *part_of_message) {
  CHECK(error->kind == PROMISE_KIND_ERROR);
  const char *message = promise_value_data(error, NULL);
  if (strcmp(promise_value_domain(error), domain) != 0 || promise_value_code(error) != code ||
      strstr(message, part_of_message) == NULL) {
    fprintf(stderr, "%s %lld: %s\n  instead of\n%s %lld: ...%s...\n", promise_value_domain(error),
            (long long)promise_value_code(error), message, domain, (long long)code, part_of_message);
    exit(1);
  }
  promise_value_release(error);
}

void expect_text(promise_value_t value, const char *text) {
  size_t length = 0;
  const char *data = promise_value_data(&value, &length);
  if (data == NULL || length != strlen(text) || memcmp(data, text, length) != 0) {
    fprintf(stderr, "%s\n  instead of\n%s\n", data == NULL ? "nothing" : data, text);
    exit(1);
  }
  promise_value_release(&value);
}

promise_str_t str(const char *text) {
  return (promise_str_t){text, strlen(text)};
}
promise_bytes_t bytes(const char *text) {
  return (promise_bytes_t){(const uint8_t *)text, strlen(text)};
}
