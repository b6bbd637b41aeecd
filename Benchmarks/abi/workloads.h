/* workloads.h - the measured operations, written once for both libraries. */
#ifndef BENCHMARKS_WORKLOADS_H
#define BENCHMARKS_WORKLOADS_H

#include "library.h"

/* Performs an operation `count` times, or on `count` items. */
typedef void (*workload_t)(const library_t *library, size_t count);

void workload_settle(const library_t *library, size_t count);          /* new, resolve, release */
void workload_then(const library_t *library, size_t count);            /* new, then, resolve, 2 releases */
void workload_then_on_settled(const library_t *library, size_t count); /* then on one settled promise, release */

/* Creates a promise and a chain of `links` derived ones, resolves it, and releases all in order of creation. */
void workload_chain(const library_t *library, size_t links);

/* Creates a promise and `reactions` promises derived from it, resolves it, and releases all. */
void workload_fan(const library_t *library, size_t reactions);

/* Use a completion queue, and take its events in batches: new, watch, resolve, release, take; or new, then, resolve,
 * take a CALL and answer it, release all. */
void workload_watch(const library_t *library, size_t count);
void workload_call(const library_t *library, size_t count);

/* Creates a pending promise with one reaction, and stores both handles in `handles`. */
void workload_hold(const library_t *library, promise_t *handles[2]);

/* The largest number of promises in a chain or fan. workloads_init() allocates the table of their handles beforehand,
 * so that no measurement includes it. */
enum { WORKLOAD_MOST = 1000000 };
void workloads_init(void);

#endif
