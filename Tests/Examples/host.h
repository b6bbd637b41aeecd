/* host.h - the smallest host that can load a plugin and call its functions by their C prototypes. For tests: every
 * doubt ends the program with the line that had it. Waits have no limit, for a machine may be as slow as it likes: the
 * caller of the program ends one that would never end. */
#ifndef TESTS_EXAMPLES_HOST_H
#define TESTS_EXAMPLES_HOST_H

#include <promise_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

static inline void check(bool condition, const char *text, const char *file, int line) {
  if (condition)
    return;
  fprintf(stderr, "%s:%d: %s: false\n", file, line, text);
  exit(1);
}

/* Loads a plugin, which must have the id, and calls its load(). */
const promise_plugin_t *host_load(const char *path, const char *id);

/* Calls its unload(), and checks that no memory of the host is left with the plugin. */
void host_unload(const promise_plugin_t *plugin);

/* A function of the plugin by its name. */
promise_function_t host_function(const promise_plugin_t *plugin, const char *name);

/* The table that plugins get. */
const promise_host_t *host_table(void);

/* Instead of host->progress() this is called from now on; NULL: nothing is. */
void host_on_progress(void (*progress)(promise_t *promise, double fraction));

/* Instead of host->call() this is called from now on. */
void host_on_call(promise_t *(*call)(const char *plugin, const char *function, const promise_value_t *arguments,
                                     size_t count));

/* Waits for the promise, gives back its reference, and returns its value; it must have been fulfilled with that
 * kind. */
promise_value_t expect_value(promise_t *promise, promise_kind_t kind);

/* Waits for the promise, and gives back its reference; it must have been rejected with that error. */
void expect_error(promise_t *promise, const char *domain, int64_t code, const char *part_of_message);

/* Checks that `*error` is that error, and releases it. */
void expect_error_value(promise_value_t *error, const char *domain, int64_t code, const char *part_of_message);

/* Checks that `*value` is that text, and releases it. */
void expect_text(promise_value_t value, const char *text);

promise_str_t str(const char *text);
promise_bytes_t bytes(const char *text);

#endif /* TESTS_EXAMPLES_HOST_H */
