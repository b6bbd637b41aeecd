/* plugin_thunk.h - C function pointers that lead back into the host.
 *
 * A pool makes the function pointers of one parameter of one function. Each pointer is a thunk: it stays valid memory
 * for ever, and belongs to its pool for ever. While it is live it runs a body; once that has ended, a call is late: it
 * runs nothing, gives a result of zeros, and is reported.
 *
 *     plugin_thunk_take() --> live --plugin_thunk_end()--> ended --the last call in it returns--> resting
 *                               ^                                                                   |
 *                               \---- not before PLUGIN_THUNK_REST others of the pool have ended ---/
 *
 * So a late call never meets a callback of another kind; if the callback has a context parameter, it never meets
 * another callback at all, for each has a context of its own.
 */
#ifndef PLUGIN_THUNK_H
#define PLUGIN_THUNK_H

#include "plugin_edge.h"

PROMISE_BEGIN_DECLS

typedef struct plugin_thunk plugin_thunk_t;
typedef struct plugin_thunk_pool plugin_thunk_pool_t;

/* How a thunk finds its arguments. */
typedef uint32_t plugin_thunk_kind_t;

enum {
  /* Scalars in registers and on the stack, by a fixed thunk of ours. No page is writable and executable. */
  PLUGIN_THUNK_SCALARS = 1,
  /* Anything, by libffi, entered from a fixed thunk of ours. No page is writable and executable. */
  PLUGIN_THUNK_ANY = 2,
  /* Anything, by a closure of libffi's, with the pages that libffi makes for it. For machines and systems where the
   * other two cannot be. */
  PLUGIN_THUNK_CLOSURE = 3,
};

/* Why a call ran nothing. */
typedef int32_t plugin_thunk_late_t;

enum {
  /* The callback has ended. */
  PLUGIN_THUNK_ENDED = 1,
  /* It is to be called once, and was. */
  PLUGIN_THUNK_CALLED_TWICE = 2,
  /* The context is not the one that belongs to it. */
  PLUGIN_THUNK_WRONG_CONTEXT = 3,
};

/* How many of a pool's thunks rest before the one that has rested longest is taken again. */
enum { PLUGIN_THUNK_REST = 256 };

/* What a pool's thunks do. `cif` and this are kept, and must stay valid for ever. */
typedef struct plugin_thunk_behaviour {
  /* Runs a body. `arguments` are addresses of the arguments as C has them; `result` is zeroed and has room for the
   * result, at least a word, to which libffi wants integers widened.
   * [any thread, several at a time] */
  void (*PROMISE_NONNULL run)(void *PROMISE_NONNULL body, void *PROMISE_NULLABLE const *PROMISE_NULLABLE arguments,
                              void *PROMISE_NONNULL result);
  /* A body was left by an exception. `fault` is to be freed.
   * [the thread of the call] */
  void (*PROMISE_NONNULL fail)(void *PROMISE_NONNULL body, plugin_fault_t *PROMISE_NONNULL fault);
  /* Frees a body: once, after the last call of it has returned, on the thread that ended it or of that call. */
  void (*PROMISE_NONNULL free)(void *PROMISE_NONNULL body);
  /* A call ran nothing. `origin` is the pool's.
   * [the thread of the call] */
  void (*PROMISE_NONNULL late)(void *PROMISE_NULLABLE origin, plugin_thunk_late_t why);
} plugin_thunk_behaviour_t;

/* A pool for functions of this `ffi_cif`. `context` is the index of the parameter that is the context; negative if there
 * is none. `kind` 0 takes the best that there is. NULL: no memory.
 * [any thread] */
plugin_thunk_pool_t *PROMISE_NULLABLE plugin_thunk_pool_new(void *PROMISE_NONNULL cif, int32_t context,
                                                            const plugin_thunk_behaviour_t *PROMISE_NONNULL behaviour,
                                                            void *PROMISE_NULLABLE origin, plugin_thunk_kind_t kind);

/* A live callback, which is what the two words together name: the thunk may be another one's later. */
typedef struct plugin_thunk_reference {
  plugin_thunk_t *PROMISE_NULLABLE thunk; /* NULL: no memory */
  uint64_t generation;
} plugin_thunk_reference_t;

/* Makes a callback of a body, which it takes over, unless there is no memory. `context` is what has to come back as the
 * context parameter, if there is one. With `once`, it ends after its first call.
 * [any thread] */
plugin_thunk_reference_t plugin_thunk_take(plugin_thunk_pool_t *PROMISE_NONNULL pool, void *PROMISE_NONNULL body,
                                           const void *PROMISE_NULLABLE context, bool once);

/* The C function pointer. */
promise_function_t PROMISE_NONNULL plugin_thunk_function(const plugin_thunk_t *PROMISE_NONNULL thunk);

/* How the thunk finds its arguments. */
plugin_thunk_kind_t plugin_thunk_kind(const plugin_thunk_t *PROMISE_NONNULL thunk);

/* Ends a callback: calls that are in it go on, later ones are late. Ended already: does nothing. With `quietly`, late
 * calls are not reported: those who make them could not know.
 * [any thread, from within the callback too] */
void plugin_thunk_end(plugin_thunk_reference_t reference, bool quietly);

/* A context that no other callback of this process has had, and that points to no memory.
 * [any thread] */
const void *PROMISE_NONNULL plugin_thunk_new_context(void);

PROMISE_END_DECLS

#endif /* PLUGIN_THUNK_H */
