/* world.h - the world of the monkeys: slots with handles of every kind, which all threads use, replace and release at
 * the same time; and contexts of callbacks, with counts of their calls and frees. rounds.h runs the rounds of random
 * calls.
 *
 * A call may be given any handle: live, released, forged, NULL or of another kind. So every status is possible, and the
 * world checks the invariants of any sequence: each context is freed exactly once and not used afterwards, a callback
 * that belongs to a promise is called at most once, and in the end no object is left.
 *
 * A move holds the objects that it uses, because a last release concurrent with another call is the caller's error.
 * Only loops and queues are used unheld, because their functions hold them. */
#ifndef WORLD_H
#define WORLD_H

#include <fcntl.h>

#include "race.h"

/* ---- Slots ---- */

typedef enum kind {
  PROMISES,
  LASTING, /* promises that a timer settles in an hour, unless they are settled otherwise */
  TOKENS,
  EXECUTORS,
  LOOPS,
  QUEUES,
  PUBLISHERS,
  DERIVED, /* publishers of operators */
  SINKS,   /* publishers that others are forwarded to: separate, because events would never stop in a cycle */
  SUBSCRIBERS,
  KINDS
} kind_t;

enum { SLOTS = 12, BONDS = 1 << 14, JOBS = 64 };

typedef struct slot {
  pthread_mutex_t mutex;
  void *handle;
} slot_t;

static slot_t slots[KINDS][SLOTS];
static _Atomic(promise_job_t *) jobs[JOBS]; /* deferred by custom executors */
static atomic_bool closing;                 /* the round is over: callbacks make no more calls */
static atomic_int visits;                   /* callbacks that are making calls */

/* In every other round promises follow others. Those rounds have no combinators and no promises of streams: these could
 * close a cycle that no call rejects, so that the round would not end. */
static bool follows;

/* ---- Contexts ---- */

/* The context of one callback, or the payload of an object. */
typedef struct bond {
  atomic_int calls, frees;
  bool once; /* at most one call is allowed */
} bond_t;

static bond_t bonds[BONDS];
static bond_t hook_bonds[BONDS]; /* contexts of thread hooks, which threads keep beyond a round */
static atomic_int bonds_used, hook_bonds_used;
static atomic_long bonds_freed, hook_bonds_freed, calls_too_many, frees_too_many, calls_too_late;

/* Returns an unused bond of the pool; NULL if all are used. */
static bond_t *bond_in(bond_t *pool, atomic_int *used, bool once) {
  int place = atomic_fetch_add(used, 1);
  if (place >= BONDS) {
    atomic_fetch_sub(used, 1);
    return NULL;
  }
  atomic_store(&pool[place].calls, 0);
  atomic_store(&pool[place].frees, 0);
  pool[place].once = once;
  return &pool[place];
}

/* ---- Players ---- */

typedef struct monkey {
  uint64_t random;
  int depth;
} monkey_t;

/* The monkey of this thread. Library threads, which make moves in callbacks, have their own. */
static _Thread_local monkey_t here;
static atomic_uint_fast64_t guests;
static uint64_t seed;

static uint64_t draw(uint64_t below) {
  if (here.random == 0)
    here.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ atomic_fetch_add(&guests, 1) << 17 ^ 0x55;
  here.random ^= here.random << 13;
  here.random ^= here.random >> 7;
  here.random ^= here.random << 17;
  return here.random % below;
}

static bool toss(uint64_t sides) {
  return draw(sides) == 0;
}

static void play(int moves);

/* Makes random calls inside a callback. */
static void visit(void) {
  if (here.depth >= 3 || !toss(3))
    return;
  atomic_fetch_add(&visits, 1);
  if (!atomic_load(&closing))
    play(1 + (int)draw(2));
  atomic_fetch_sub(&visits, 1);
}

static void bond_called(void *ctx) {
  bond_t *bond = ctx;
  if (atomic_load(&bond->frees) != 0)
    atomic_fetch_add(&calls_too_late, 1);
  if (atomic_fetch_add(&bond->calls, 1) > 0 && bond->once)
    atomic_fetch_add(&calls_too_many, 1);
  visit();
}

static void bond_free(void *ctx) {
  if (atomic_fetch_add(&((bond_t *)ctx)->frees, 1) > 0)
    atomic_fetch_add(&frees_too_many, 1);
  visit();
  atomic_fetch_add(&bonds_freed, 1);
}

static void hook_bond_free(void *ctx) {
  if (atomic_fetch_add(&((bond_t *)ctx)->frees, 1) > 0)
    atomic_fetch_add(&frees_too_many, 1);
  atomic_fetch_add(&hook_bonds_freed, 1);
}

/* ---- Handles ---- */

/* References that the current moves of this thread use. */
static _Thread_local struct {
  kind_t kind;
  void *handle;
} held[256];
static _Thread_local int held_count;

static promise_status_t retain_kind(kind_t kind, void *handle) {
  switch (kind) {
  case PROMISES:
  case LASTING:
    return promise_retain(handle);
  case TOKENS:
    return promise_token_retain(handle);
  case EXECUTORS:
    return promise_executor_retain(handle);
  case LOOPS:
    return promise_loop_retain(handle);
  case QUEUES:
    return promise_queue_retain(handle);
  case SUBSCRIBERS:
    return promise_subscriber_retain(handle);
  default:
    return promise_publisher_retain(handle);
  }
}

static promise_status_t release_kind(kind_t kind, void *handle) {
  switch (kind) {
  case PROMISES:
  case LASTING:
    return promise_release(handle);
  case TOKENS:
    return promise_token_release(handle);
  case EXECUTORS:
    return promise_executor_release(handle);
  case LOOPS:
    return promise_loop_release(handle);
  case QUEUES:
    return promise_queue_release(handle);
  case SUBSCRIBERS:
    return promise_subscriber_release(handle);
  default:
    return promise_publisher_release(handle);
  }
}

/* Releases the reference of a slot. */
static void let_go(kind_t kind, void *handle) {
  if (handle == NULL)
    return;
  if (kind == LASTING)
    promise_discard(handle); /* otherwise its timer would keep the promise for an hour */
  bool isFreed = kind == QUEUES && toss(2);
  CHECK_STATUS(isFreed ? promise_queue_free(handle) : release_kind(kind, handle), PROMISE_OK);
}

/* Releases the held references beyond the first `count`. */
static void let_go_of_held(int count) {
  while (held_count > count) {
    held_count--;
    promise_status_t status = release_kind(held[held_count].kind, held[held_count].handle);
    if (status != PROMISE_OK)
      fprintf(stderr, "MONKEY_SEED=%llu, kind %d\n", (unsigned long long)seed, (int)held[held_count].kind);
    CHECK_STATUS(status, PROMISE_OK);
  }
}

static void *in_slot(kind_t kind) {
  slot_t *slot = &slots[kind][draw(SLOTS)];
  pthread_mutex_lock(&slot->mutex);
  void *handle = slot->handle;
  bool isHeld = handle != NULL && ((kind != LOOPS && kind != QUEUES) || toss(4)) &&
                held_count < (int)(sizeof held / sizeof *held) && retain_kind(kind, handle) == PROMISE_OK;
  pthread_mutex_unlock(&slot->mutex);
  if (isHeld)
    held[held_count].kind = kind, held[held_count++].handle = handle;
  return isHeld || kind == LOOPS || kind == QUEUES ? handle : NULL;
}

/* Returns a handle of the kind; sometimes NULL. */
static void *right(kind_t kind) {
  return toss(32) ? NULL : in_slot(kind);
}

/* Returns a handle of the kind, or a wrong handle. */
static void *any(kind_t kind) {
  promise_t *promise;
  switch (draw(32)) {
  case 0:
    return (void *)(uintptr_t)draw(UINT64_MAX);
  case 1:
    if ((promise = promise_new()) != NULL)
      promise_release(promise);
    return promise;
  case 2:
    return in_slot((kind_t)draw(KINDS));
  default:
    return right(kind);
  }
}

/* Stores a reference in a slot, and returns the previous one; either may be NULL. */
static void *exchange(slot_t *slot, void *handle) {
  pthread_mutex_lock(&slot->mutex);
  void *before = slot->handle;
  slot->handle = handle;
  pthread_mutex_unlock(&slot->mutex);
  return before;
}

/* Replaces a slot's reference by a new one; NULL is ignored. */
static void keep(kind_t kind, void *handle) {
  if (handle != NULL)
    let_go(kind, exchange(&slots[kind][draw(SLOTS)], handle));
}

/* Stores one more reference to an object, so that it is in several slots. */
static void share(kind_t kind, void *handle) {
  if (retain_kind(kind, handle) == PROMISE_OK)
    keep(kind, handle);
}

#endif /* WORLD_H */
