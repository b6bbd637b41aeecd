/* plugin_edge.h - where code of strangers is entered: no exception and no unwinding leaves it.
 *
 * A plugin's function is called through this edge, which is the only C++ of the host: what the function throws becomes
 * a fault, which the caller in Swift makes a rejection of. Nothing that goes well costs anything.
 */
#ifndef PLUGIN_EDGE_H
#define PLUGIN_EDGE_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* How code of a plugin was left, if not by returning. */
typedef int32_t plugin_fault_kind_t;

enum {
  PLUGIN_FAULT_NONE = 0,
  /* By a C++ exception. */
  PLUGIN_FAULT_EXCEPTION = 1,
  /* By an exception of another language's. */
  PLUGIN_FAULT_FOREIGN_EXCEPTION = 2,
  /* By pthread_exit(), or since the thread was cancelled. The unwinding ends at the edge, the thread goes on. */
  PLUGIN_FAULT_THREAD_EXIT = 3,
};

/* What is known of it. */
typedef struct plugin_fault {
  plugin_fault_kind_t kind;
  /* An exception's type, as it is written in C++: "std::out_of_range". Ours to free; NULL if unknown. */
  char *PROMISE_NULLABLE type;
  /* What it says of itself: what() of a std::exception, a string that was thrown, a number. Ours to free; NULL if
   * nothing. */
  char *PROMISE_NULLABLE message;
} plugin_fault_t;

/* ffi_call() with the edge around it. `fault` is filled where PLUGIN_FAULT_NONE is not returned, and not touched
 * otherwise; `result` is then not to be looked at. errno is what the function left.
 * [any thread] */
plugin_fault_kind_t plugin_edge_call(void *PROMISE_NONNULL cif, promise_function_t PROMISE_NONNULL function,
                                     void *PROMISE_NULLABLE result, void *PROMISE_NULLABLE *PROMISE_NULLABLE arguments,
                                     plugin_fault_t *PROMISE_NONNULL fault);

/* promise_plugin_entry(), load() and unload() with the edge around them; the first two give NULL and PROMISE_EINVAL
 * where there is a fault. */
const promise_plugin_t *PROMISE_NULLABLE
plugin_edge_entry(const promise_plugin_t *PROMISE_NULLABLE (*PROMISE_NONNULL entry)(uint32_t host_abi),
                  uint32_t host_abi, plugin_fault_t *PROMISE_NONNULL fault);
promise_status_t plugin_edge_load(promise_status_t (*PROMISE_NONNULL load)(const promise_host_t *PROMISE_NONNULL host,
                                                                           promise_value_t *PROMISE_NONNULL error),
                                  const promise_host_t *PROMISE_NONNULL host, promise_value_t *PROMISE_NONNULL error,
                                  plugin_fault_t *PROMISE_NONNULL fault);
void plugin_edge_unload(void (*PROMISE_NONNULL unload)(void), plugin_fault_t *PROMISE_NONNULL fault);

/* The lowest address of this thread's stack; UINTPTR_MAX if it is unknown. */
uintptr_t plugin_edge_stack_end(void);

/* Frees what a fault says. */
void plugin_fault_free(plugin_fault_t *PROMISE_NONNULL fault);

PROMISE_END_DECLS

#endif /* PLUGIN_EDGE_H */
