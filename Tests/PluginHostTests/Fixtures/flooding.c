/* flooding.c - logs and reports faster than the host writes. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

LOADS_HOST

static void mark(const char *path) {
  close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* Makes the file `path` after the last line. */
static void say(uint32_t count, const char *path) {
  char text[32];
  for (uint32_t i = 0; i < count; i++) {
    snprintf(text, sizeof text, "line %u", i);
    host->log(host, PROMISE_LOG_ERROR, text);
  }
  mark(path);
}

static struct {
  uint32_t count;
  char path[4096];
  promise_t *promise;
} work;

static void *reporting(void *unused) {
  char text[32];
  for (uint32_t i = 1; i <= work.count; i++) {
    snprintf(text, sizeof text, "report %u", i);
    host->progress(host, work.promise, 0.5, text);
  }
  mark(work.path);
  promise_resolve(work.promise, &(promise_value_t){.kind = PROMISE_KIND_VOID});
  promise_release(work.promise);
  return unused;
}

/* Reports on a thread, then makes the file `path` and fulfils the promise. */
static promise_t *report(uint32_t count, const char *path) {
  work.count = count;
  snprintf(work.path, sizeof work.path, "%s", path);
  work.promise = promise_new();
  promise_retain(work.promise);
  pthread_t thread;
  pthread_create(&thread, NULL, reporting, NULL);
  pthread_detach(thread);
  return work.promise;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("say(count: u32, path: cstr)", say, NULL),
    FUNCTION("report(count: u32, path: cstr) -> promise<void>", report, NULL),
};

PLUGIN("org.example.flooding", NULL, load, NULL, functions)
