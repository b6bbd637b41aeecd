/* promise/runtime.h - the library within its process: objects, memory, threads. Part of promise.h: read that first. */
#ifndef PROMISE_RUNTIME_H
#define PROMISE_RUNTIME_H

#include <stdint.h>

#include "status.h"
#include "value.h"

PROMISE_BEGIN_DECLS

/* Live objects by kind, and the memory that they take. Set `size` to sizeof(promise_statistics_t) before the call.
 * Later versions add fields at the end.
 *
 * Every object takes one 64-byte cell. A cell is free once the last reference to its object was released. */
typedef struct promise_statistics_fields {
  uint32_t size;
  uint32_t threads;          /* running threads of the library */
  uint64_t promises_pending; /* with those that a combinator, a timer or an executor is to settle */
  uint64_t promises_settled;
  uint64_t callbacks; /* reactions without a promise: observers, cancel request handlers, inputs of combinators */
  uint64_t values;    /* that own memory: strings, bytes, arrays, maps, errors, objects; and builders */
  uint64_t executors; /* serial ones, those of loops, and your own; not the permanent ones */
  uint64_t jobs;      /* reactions with an executor or a token, submitted work, and timers */
  uint64_t tokens;    /* cancellation tokens */
  uint64_t gathers;   /* combinators that wait for their inputs */
  uint64_t loops;     /* without the main loop */
  uint64_t publishers;
  uint64_t subscribers;
  uint64_t queues;         /* completion queues */
  uint64_t types;          /* registered types, never freed */
  uint64_t internals;      /* entries of lists: of the tokens' and of the streams' */
  uint64_t bytes_resident; /* memory of cells */
  uint64_t bytes_reusable; /* memory of free cells, a part of bytes_resident */
} promise_statistics_t;

/* Counts the live objects of this process, and the memory of their cells. Takes time in proportion to bytes_resident,
 * about 2 ns a cell: call it once a second, not once a request. Other threads keep running, so the numbers are
 * consistent only if no other thread uses the library. Memory that objects own outside their cells (long strings,
 * arrays, contexts) is not counted. Allocates nothing.
 *   statistics   its `size` shows the fields that the caller knows; a field that this library does not know is set to 0
 * Returns PROMISE_OK; PROMISE_EINVAL if `statistics` is NULL, or its `size` is less than that of version 1 or more than
 * 4096.
 * [any thread] */
PROMISE_API promise_status_t promise_statistics(promise_statistics_t *PROMISE_NULLABLE statistics);

/* Returns memory of free cells to the system: each 4 KiB page without a live object. The library does this by itself
 * while many objects are released. It keeps 4 MiB of free cells, or up to 64 MiB if a program's use keeps rising and
 * falling. Call this function after a peak of load. Handles of released promises stay stale.
 * The time is proportional to the free cells, up to 10 ns each; new objects cause page faults afterwards. Up to 256
 * free cells of each other thread stay with that thread until it ends.
 * Returns the number of bytes returned; 0 if there were none, or if the memory is locked (mlockall()).
 * [any thread] */
PROMISE_API int64_t promise_trim(void);

/* Sets the hooks of the library's threads: each calls `start(ctx)` before the first callback that runs there, and
 * `stop(ctx)` before it ends. For a virtual machine that must attach threads, or a sampling profiler. Only threads that
 * run callbacks call them (promise-pool and promise-timers); the clock's thread runs none. Replaces the hooks set
 * before. A thread that already runs calls the old `stop`, then the new `start`, before its next callback. No hook runs
 * at exit(), nor in a child of fork() for threads of the parent.
 *   start, stop   either may be NULL; both NULL: no hooks any more
 * Returns PROMISE_OK; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once: when the hooks are replaced and every thread has called its `stop`; before this returns
 * if it fails, or if both functions are NULL; never in a child of fork(), if threads of the parent used the hooks.
 * `start` and `stop` run on the library's threads, with no lock held. They may call every function. A thread that
 * blocks in a hook counts as one that blocks in a job.
 * [any thread] */
PROMISE_API promise_status_t promise_set_thread_hooks(promise_callback_t PROMISE_NULLABLE start,
                                                      promise_callback_t PROMISE_NULLABLE stop,
                                                      void *PROMISE_NULLABLE ctx,
                                                      promise_free_t PROMISE_NULLABLE free_ctx);

PROMISE_END_DECLS

#endif /* PROMISE_RUNTIME_H */
