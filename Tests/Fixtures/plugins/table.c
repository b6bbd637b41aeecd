/* Uses the host's table: log, configuration, memory, functions by name. */
#include "fixture.h"

static const promise_host_t *host;
static const char *greeting;

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  greeting = host->configuration(host, "greeting");
  host->log(host, PROMISE_LOG_INFO, "loading");
  return PROMISE_OK;
}

static void unload(void) {
  host->log(host, PROMISE_LOG_INFO, "unloading");
}

static void say(int32_t level, const char *message) {
  host->log(host, level, message);
}
static const char *configured(void) {
  return greeting;
}
static bool has(const char *key) {
  return host->configuration(host, key) != NULL;
}
static bool offers(const char *name) {
  return host->function(host, name) != NULL;
}
static bool fits(void) {
  return host->size == sizeof(promise_host_t) && host->abi == PROMISE_ABI_VERSION;
}

static bool memory(size_t size) {
  char *memory = host->allocate(host, size);
  if (memory == NULL)
    return false;
  memset(memory, 1, size);
  bool aligned = ((uintptr_t)memory & (_Alignof(max_align_t) - 1)) == 0;
  host->deallocate(host, memory);
  host->deallocate(host, NULL);
  return aligned;
}

/* Makes calls that the header forbids, which must not end the host. */
static void nonsense(void) {
  const char *volatile null = NULL;
  host->log(host, 99, "level 99");
  host->log(host, PROMISE_LOG_INFO, null);
  host->log(host, PROMISE_LOG_WARNING, "not \xff UTF-8");
  host->configuration(host, null);
  host->function(host, null);
  host->progress(host, NULL, 0.5, NULL);
  host->progress(host, (promise_t *)(uintptr_t)0x1234, 0.5, "nobody's");
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("say(level: i32, message: cstr)", say),
    FUNCTION("configured() -> cstr", configured),
    FUNCTION("has(key: cstr) -> bool", has),
    FUNCTION("offers(name: cstr) -> bool", offers),
    FUNCTION("fits() -> bool", fits),
    FUNCTION("memory(size: usize) -> bool", memory),
    FUNCTION("nonsense()", nonsense),
};

PLUGIN("test.table", .load = load, .unload = unload)
