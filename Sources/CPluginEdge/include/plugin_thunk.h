/* plugin_thunk.h - C function pointers that call back into the host.
 *
 * A pool makes the function pointers for one parameter of one function. Each pointer is a thunk: it stays valid
 * forever, and never leaves its pool. A live thunk runs a body. A call of an ended thunk is late: it runs nothing,
 * returns zeros, and is reported.
 *
 *     plugin_thunk_take() --> live --plugin_thunk_end()--> ended --the last call in it returns--> resting
 *                               ^                                                                   |
 *                               \---- not before PLUGIN_THUNK_REST others of the pool have ended ---/
 *
 * So a late call never runs a callback of another kind. If the callback has a context parameter, a late call never
 * runs any other callback, because each has a context of its own. */
#ifndef PLUGIN_THUNK_H
#define PLUGIN_THUNK_H

#include "plugin_edge.h"

PROMISE_BEGIN_DECLS

typedef struct plugin_thunk plugin_thunk_t;
typedef struct plugin_thunk_pool plugin_thunk_pool_t;

/* The mechanism by which a thunk finds its arguments. */
typedef uint32_t plugin_thunk_kind_t;

enum {
  /* Scalars in registers and on the stack, by a fixed thunk of the host. No page is writable and executable. */
  PLUGIN_THUNK_SCALARS = 1,
  /* Any arguments, by libffi, entered from a fixed thunk of the host. No page is writable and executable. */
  PLUGIN_THUNK_ANY = 2,
  /* Any arguments, by a libffi closure, with the pages that libffi makes for it. The fallback for machines and
   * systems without the other two. */
  PLUGIN_THUNK_CLOSURE = 3,
};

/* The reason why a call ran nothing. */
typedef int32_t plugin_thunk_late_t;

enum {
  /* The callback has ended. */
  PLUGIN_THUNK_ENDED = 1,
  /* The callback was called before, and allows one call. */
  PLUGIN_THUNK_CALLED_TWICE = 2,
  /* The context is not that of the callback. */
  PLUGIN_THUNK_WRONG_CONTEXT = 3,
};

/* The number of resting thunks in a pool beyond which the one that has rested longest is reused. */
enum { PLUGIN_THUNK_REST = 256 };

/* The behaviour of a pool's thunks. `cif` and this struct are kept, and must stay valid forever. */
typedef struct plugin_thunk_behaviour {
  /* Runs a body. `arguments` are addresses of the arguments as in C. `result` is zeroed, and has the size of the
   * result or of a word if that is larger; libffi requires integers to be widened to a word.
   * [any thread, several at a time] */
  void (*PROMISE_NONNULL run)(void *PROMISE_NONNULL body, void *PROMISE_NULLABLE const *PROMISE_NULLABLE arguments,
                              void *PROMISE_NONNULL result);
  /* Reports that a body was left by an exception. The function must free `fault`.
   * [the thread of the call] */
  void (*PROMISE_NONNULL fail)(void *PROMISE_NONNULL body, plugin_fault_t *PROMISE_NONNULL fault);
  /* Frees a body: once, after its last call has returned, on the thread that ended it or the thread of that call. */
  void (*PROMISE_NONNULL free)(void *PROMISE_NONNULL body);
  /* Reports a call that ran nothing. `origin` is that of the pool.
   * [the thread of the call] */
  void (*PROMISE_NONNULL late)(void *PROMISE_NULLABLE origin, plugin_thunk_late_t why);
} plugin_thunk_behaviour_t;

/* Makes a pool for functions of this `ffi_cif`. `context` is the index of the context parameter; negative if there
 * is none. `kind` 0 selects the best available. NULL when memory has run out.
 * [any thread] */
plugin_thunk_pool_t *PROMISE_NULLABLE plugin_thunk_pool_new(void *PROMISE_NONNULL cif, int32_t context,
                                                            const plugin_thunk_behaviour_t *PROMISE_NONNULL behaviour,
                                                            void *PROMISE_NULLABLE origin, plugin_thunk_kind_t kind);

/* A live callback, identified by both fields: the thunk may be reused later. */
typedef struct plugin_thunk_reference {
  plugin_thunk_t *PROMISE_NULLABLE thunk; /* NULL: no memory */
  uint64_t generation;
} plugin_thunk_reference_t;

/* Makes a callback of a body. Takes ownership of the body, unless memory has run out. `context` is the expected
 * value of the context parameter, if there is one. With `once` the callback ends after its first call.
 * [any thread] */
plugin_thunk_reference_t plugin_thunk_take(plugin_thunk_pool_t *PROMISE_NONNULL pool, void *PROMISE_NONNULL body,
                                           const void *PROMISE_NULLABLE context, bool once);

/* Returns the C function pointer of a thunk. */
promise_function_t PROMISE_NONNULL plugin_thunk_function(const plugin_thunk_t *PROMISE_NONNULL thunk);

/* Returns the mechanism by which the thunk finds its arguments. */
plugin_thunk_kind_t plugin_thunk_kind(const plugin_thunk_t *PROMISE_NONNULL thunk);

/* Ends a callback: running calls continue, later ones are late. A no-op if it has ended. With `quietly`, late calls
 * are not reported, because their callers cannot know of the end.
 * [any thread, also within the callback] */
void plugin_thunk_end(plugin_thunk_reference_t reference, bool quietly);

/* Returns a context that no other callback of this process has had, and that points to no memory.
 * [any thread] */
const void *PROMISE_NONNULL plugin_thunk_new_context(void);

PROMISE_END_DECLS

#endif /* PLUGIN_THUNK_H */
