#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *symbol(void *object, const char *path, const char *prefix, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "%s_%s", prefix, name);
  void *found = dlsym(object, full);
  if (!found) {
    fprintf(stderr, "benchmark: %s does not export %s\n", path, full);
    exit(2);
  }
  return found;
}

library_t library_load(const char *name, const char *path, const char *prefix) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    fprintf(stderr, "benchmark: cannot load the %s: %s\n", name, dlerror());
    exit(2);
  }
  library_t library = {.name = name};
  /* ISO C has no conversion from an object pointer to a function pointer; POSIX guarantees this form. */
  *(void **)&library.new_promise = symbol(object, path, prefix, "new");
  *(void **)&library.then = symbol(object, path, prefix, "then");
  *(void **)&library.resolve = symbol(object, path, prefix, "resolve");
  *(void **)&library.release = symbol(object, path, prefix, "release");
  if (dlsym(object, "promise_queue_new") != NULL) {
    *(void **)&library.queue_new = symbol(object, path, prefix, "queue_new");
    *(void **)&library.queue_free = symbol(object, path, prefix, "queue_free");
    *(void **)&library.queue_watch = symbol(object, path, prefix, "queue_watch");
    *(void **)&library.queue_then = symbol(object, path, prefix, "queue_then");
    *(void **)&library.queue_take = symbol(object, path, prefix, "queue_take");
    *(void **)&library.set_hooks = symbol(object, path, prefix, "set_hooks");
    *(void **)&library.trace_start = symbol(object, path, prefix, "trace_start");
    *(void **)&library.trace_stop = symbol(object, path, prefix, "trace_stop");
  }
  return library;
}
