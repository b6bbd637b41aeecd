#define _GNU_SOURCE
#include "clocks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four bytes, the smallest part of a word that threads use independently. */
typedef struct {
  uint64_t execution; /* the execution of the other fields */
  uint32_t writer, write_time;
  bool is_write_atomic;
  uint32_t reads[RACES_THREADS], atomic_reads[RACES_THREADS];
  const void *_Nullable write_place, *_Nullable read_place[RACES_THREADS];
} part_t;

enum { PART = 4, LOCKS = 256 };

static uintptr_t low, high;
static part_t *parts;
/* The locks of this execution come first. */
static struct {
  uint64_t execution;
  uintptr_t lock;
  clocks_t published;
} locks[LOCKS];

uint64_t execution = 1;
int running = RACES_THREADS - 1;
clocks_t known[RACES_THREADS];
static bool are_seen;
static char text[1024];

static void join_vector(clock_vector_t *into, const clock_vector_t *from) {
  for (int thread = 0; thread < RACES_THREADS; thread++) {
    if (from->times[thread] > into->times[thread])
      into->times[thread] = from->times[thread];
  }
}

void join(clocks_t *into, const clocks_t *from) {
  join_vector(&into->before, &from->before);
  join_vector(&into->seen, &from->seen);
}

void tick(void) {
  known[running].seen.times[running] = ++known[running].before.times[running];
}

void races_watch(uintptr_t begin, uintptr_t end) {
  free(parts);
  low = begin, high = end;
  parts = calloc((high - low) / PART + 1, sizeof *parts);
  if (parts == NULL)
    abort();
  watch_words(low, high);
}

void races_begin(void) {
  execution++;
  memset(known, 0, sizeof known);
  for (running = 0; running < RACES_THREADS; running++)
    tick();
  running = RACES_THREADS - 1;
  begin_words();
  text[0] = '\0';
}

void races_fork(void) {
  for (int thread = 0; thread < RACES_THREADS - 1; thread++)
    join(&known[thread], &known[RACES_THREADS - 1]);
  tick();
}

void races_join(void) {
  for (int thread = 0; thread < RACES_THREADS - 1; thread++)
    join(&known[RACES_THREADS - 1], &known[thread]);
}

void races_switch(int thread) {
  running = thread;
}

bool is_watched(uintptr_t address) {
  return address >= low && address < high;
}

static const char *name(const void *_Nullable place, char *buffer, size_t size) {
  Dl_info info;
  if (place == NULL || dladdr(place, &info) == 0)
    snprintf(buffer, size, "an atomic operation");
  else if (info.dli_sname != NULL)
    snprintf(buffer, size, "%s+%zu", info.dli_sname, (size_t)((uintptr_t)place - (uintptr_t)info.dli_saddr));
  else
    snprintf(buffer, size, "code at %#zx", (size_t)((uintptr_t)place - (uintptr_t)info.dli_fbase));
  return buffer;
}

static void report(uintptr_t address, const char *what, const void *_Nullable place, int other, const char *how,
                   const void *_Nullable other_place) {
  char here[300], there[300];
  if (text[0] != '\0')
    return;
  snprintf(text, sizeof text, "data race at byte %zu of a cell: thread %d %s in %s, thread %d %s in %s",
           (size_t)((address - low) % 64), running, what, name(place, here, sizeof here), other, how,
           name(other_place, there, sizeof there));
}

/* Returns the record of four bytes in this execution. */
static part_t *part_at(uintptr_t address) {
  part_t *part = &parts[(address - low) / PART];
  if (part->execution != execution)
    *part = (part_t){.execution = execution};
  return part;
}

static bool is_before(int thread, uint32_t time) {
  return time <= known[running].before.times[thread];
}

static void check_write_before(part_t *part, uintptr_t address, bool is_atomic, const char *what, const void *place) {
  if ((!is_atomic || !part->is_write_atomic) && !is_before((int)part->writer, part->write_time))
    report(address, what, place, (int)part->writer, part->is_write_atomic ? "wrote it atomically" : "wrote it",
           part->write_place);
}

static void check_reads_before(part_t *part, uintptr_t address, bool is_atomic, const char *what, const void *place) {
  for (int thread = 0; thread < RACES_THREADS; thread++) {
    if (!is_before(thread, part->reads[thread]))
      report(address, what, place, thread, "read it", part->read_place[thread]);
    if (!is_atomic && !is_before(thread, part->atomic_reads[thread]))
      report(address, what, place, thread, "read it atomically", NULL);
  }
}

static void access_part(uintptr_t address, bool writes, bool is_atomic, const void *_Nullable place) {
  part_t *part = part_at(address);
  uint32_t now = known[running].before.times[running];
  const char *what = is_atomic ? "uses it atomically" : writes ? "writes" : "reads";
  check_write_before(part, address, is_atomic, what, place);
  if (writes) {
    check_reads_before(part, address, is_atomic, what, place);
    part->writer = (uint32_t)running;
    part->write_time = now;
    part->is_write_atomic = is_atomic;
    part->write_place = place;
  } else if (is_atomic) {
    part->atomic_reads[running] = now;
  } else {
    part->reads[running] = now;
    part->read_place[running] = place;
  }
}

void races_access(const void *address, size_t size, bool writes, const void *place) {
  uintptr_t first = (uintptr_t)address & ~(uintptr_t)(PART - 1);
  are_seen = true;
  if (!is_watched(first))
    return;
  for (uintptr_t at = first; at < (uintptr_t)address + size && is_watched(at); at += PART)
    access_part(at, writes, false, place);
}

void access_word(uintptr_t address, bool writes, const void *place) {
  for (uintptr_t at = address; at < address + WORD; at += PART)
    access_part(at, writes, true, place);
}

static clocks_t *lock_at(uintptr_t lock) {
  for (int place = 0; place < LOCKS; place++) {
    if (locks[place].execution != execution) {
      locks[place].execution = execution;
      locks[place].lock = lock;
      locks[place].published = (clocks_t){0};
    }
    if (locks[place].lock == lock)
      return &locks[place].published;
  }
  abort();
}

void races_acquire(uintptr_t lock) {
  join(&known[running], lock_at(lock));
}

void races_release(uintptr_t lock) {
  join(lock_at(lock), &known[running]);
  tick();
}

const char *races_found(void) {
  return text[0] != '\0' ? text : NULL;
}

bool races_are_seen(void) {
  return are_seen;
}
