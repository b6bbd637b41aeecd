/* plugin_edge.h - calls into foreign code: no exception and no unwinding leaves the edge.
 *
 * The functions of a plugin are called through this edge, the only C++ code of the host. An exception thrown by a
 * function becomes a fault, which the caller in Swift turns into a rejection. Calls without an exception cost
 * nothing extra. */
#ifndef PLUGIN_EDGE_H
#define PLUGIN_EDGE_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* The way in which a plugin's code was left, other than by returning. */
typedef int32_t plugin_fault_kind_t;

enum {
  PLUGIN_FAULT_NONE = 0,
  /* A C++ exception. */
  PLUGIN_FAULT_EXCEPTION = 1,
  /* An exception of another language. */
  PLUGIN_FAULT_FOREIGN_EXCEPTION = 2,
  /* pthread_exit(), or cancellation of the thread. The unwinding ends at the edge, and the thread continues. */
  PLUGIN_FAULT_THREAD_EXIT = 3,
};

/* The description of a fault. */
typedef struct plugin_fault {
  plugin_fault_kind_t kind;
  /* The exception's type as spelled in C++: "std::out_of_range"; of a foreign exception its language, "Rust". Owned by
   * the fault; NULL if unknown. */
  char *PROMISE_NULLABLE type;
  /* The exception's message: `what()` of a std::exception, a thrown string, a number. Owned by the fault; NULL if
   * there is none. */
  char *PROMISE_NULLABLE message;
} plugin_fault_t;

/* Calls ffi_call() inside the edge. If the result is not PLUGIN_FAULT_NONE, `fault` is filled and `*result` is
 * undefined; otherwise `fault` is unchanged. errno is as the function left it. `subject` names the plugin and the
 * function (plugin_activity.h), and must stay valid during the call.
 * [any thread] */
plugin_fault_kind_t plugin_edge_call(const char *PROMISE_NONNULL subject, void *PROMISE_NONNULL cif,
                                     promise_function_t PROMISE_NONNULL function, void *PROMISE_NULLABLE result,
                                     void *PROMISE_NULLABLE *PROMISE_NULLABLE arguments,
                                     plugin_fault_t *PROMISE_NONNULL fault);

/* Calls dlopen(path, RTLD_NOW | RTLD_LOCAL) inside the edge: the initialisers of a library are plugin code. Returns
 * NULL on a fault and on failure; dlerror() has the reason of the latter. `subject` names the file, here and below.
 * [any thread] */
void *PROMISE_NULLABLE plugin_edge_map(const char *PROMISE_NONNULL subject, const char *PROMISE_NONNULL path,
                                       plugin_fault_t *PROMISE_NONNULL fault);

/* Call promise_plugin_entry(), load() and unload() inside the edge. On a fault the first two return NULL and
 * PROMISE_EINVAL.
 * [any thread] */
const promise_plugin_t *PROMISE_NULLABLE
plugin_edge_entry(const char *PROMISE_NONNULL subject,
                  const promise_plugin_t *PROMISE_NULLABLE (*PROMISE_NONNULL entry)(uint32_t host_abi),
                  uint32_t host_abi, plugin_fault_t *PROMISE_NONNULL fault);
promise_status_t plugin_edge_load(const char *PROMISE_NONNULL subject,
                                  promise_status_t (*PROMISE_NONNULL load)(const promise_host_t *PROMISE_NONNULL host,
                                                                           promise_value_t *PROMISE_NONNULL error),
                                  const promise_host_t *PROMISE_NONNULL host, promise_value_t *PROMISE_NONNULL error,
                                  plugin_fault_t *PROMISE_NONNULL fault);
void plugin_edge_unload(const char *PROMISE_NONNULL subject, void (*PROMISE_NONNULL unload)(void),
                        plugin_fault_t *PROMISE_NONNULL fault);

/* Returns the lowest address of this thread's stack; UINTPTR_MAX if it is unknown. */
uintptr_t plugin_edge_stack_end(void);

/* Returns a function of promise.h by its name, for plugins that do not link the library; NULL for any other name, and
 * for NULL, which plugins may pass all the same. It is `function` of promise_host_t.
 * [any thread] */
promise_function_t PROMISE_NULLABLE plugin_promise_function(const promise_host_t *PROMISE_NONNULL host,
                                                            const char *PROMISE_NONNULL name);

/* Frees the strings of a fault. */
void plugin_fault_free(plugin_fault_t *PROMISE_NONNULL fault);

/* Loads and stores a long double, which Swift has on some machines only. A number that no double has is rounded. */
double plugin_long_double_load(const void *PROMISE_NONNULL memory);
void plugin_long_double_store(double number, void *PROMISE_NONNULL memory);

PROMISE_END_DECLS

#endif /* PLUGIN_EDGE_H */
