/* Compares calls that find different contents in the memory of one argument. */
#define _GNU_SOURCE
#include "check_regions.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 4, CAPACITY = 1 << 18 };

/* The kinds of a byte: of a result or another argument; of the argument that is tried, unchanged or written. */
enum { OTHER, KEPT, WRITTEN };
typedef enum { KILLED, COMPLETE, FAULTED } ending_t;

/* The calls of one process: for each the result, and behind it the contents of all arguments. */
typedef struct run {
  ending_t ending;
  size_t size;
  uint8_t bytes[CAPACITY], kinds[CAPACITY];
} run_t;

/* Two runs with zeros, and two with letters: see plugin_check_try(). In memory that the processes share. */
static run_t *runs;
static run_t *current;
static const char *tried;
static bool letters;

static uint8_t content_at(size_t index) {
  return letters ? (uint8_t)('a' + index * 7 % 23) : 0;
}

static void note(uint8_t byte, uint8_t kind) {
  if (current->size == CAPACITY)
    return;
  current->bytes[current->size] = byte;
  current->kinds[current->size++] = kind;
}

static void fill_region(const region_t *region) {
  if (region->argument.name == tried)
    for (size_t i = 0; i < region->size; i++)
      region->data[i] = content_at(i);
}

static void note_region(const region_t *region) {
  if (region->is_constant || region->is_kept)
    return;
  bool is_tried = region->argument.name == tried;
  for (size_t i = 0; i < region->size; i++)
    note(region->data[i], !is_tried ? OTHER : region->data[i] == content_at(i) ? KEPT : WRITTEN);
}

bool plugin_check_try(int32_t number, const char *name) {
  if (runs == NULL) {
    void *memory = mmap(NULL, RUNS * sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    runs = memory;
  }
  run_t *run = &runs[number % RUNS];
  run->ending = KILLED;
  run->size = 0;
  if (number > 0 && runs[number - 1].ending == KILLED)
    return false;
  pid_t child = fork();
  if (child == 0) {
    current = run;
    tried = name;
    /* Zeros and letters alternate, so that a clock that changes meanwhile also differs between two runs of one kind. */
    letters = number % 2 == 1;
    plugin_check_limit(PLUGIN_CHECK_SECONDS);
    return true;
  }
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
    continue;
  return false;
}

void plugin_check_enter(void) {
  if (current != NULL)
    plugin_check_visit(fill_region);
}

void plugin_check_leave(const void *result, size_t size) {
  if (current == NULL)
    return;
  for (size_t i = 0; i < size; i++)
    note(((const uint8_t *)result)[i], OTHER);
  plugin_check_visit(note_region);
  /* A separator: the arguments of two calls are never adjacent. */
  note(0, OTHER);
}

void plugin_check_complete(void) {
  current->ending = COMPLETE;
  plugin_check_end(0);
}

bool plugin_check_faulted(void) {
  if (current != NULL)
    current->ending = FAULTED;
  return current != NULL;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Returns the number of bytes before the first difference, other than in contents that both runs have kept. */
static size_t agreement(const run_t *a, const run_t *b) {
  size_t size = smaller(a->size, b->size), i = 0;
  while (i < size && (a->bytes[i] == b->bytes[i] || (a->kinds[i] == KEPT && b->kinds[i] == KEPT)))
    i++;
  return i;
}

plugin_check_contents_t plugin_check_contents(void) {
  plugin_check_contents_t found = {.is_known = false};
  if (runs == NULL)
    return found;
  const run_t *zeros = &runs[0], *filled = &runs[1];
  /* From here on, bytes differ by themselves: by a clock, or a random number. */
  size_t same = agreement(zeros, &runs[2]), same_filled = agreement(filled, &runs[3]);
  size_t size = smaller(same, same_filled), agreed = agreement(zeros, filled);
  bool faults = filled->ending == FAULTED && runs[3].ending == FAULTED && same_filled == filled->size &&
                runs[3].size == filled->size && filled->size < same;
  found.is_hopeless = zeros->ending == KILLED;
  found.is_known = zeros->size > 0 && runs[3].ending != KILLED;
  found.is_read = agreed < size || (faults && agreed == filled->size);
  size_t written = 0, length = 0;
  size = smaller(zeros->size, filled->size);
  for (size_t i = 0; i < size; i++) {
    if (zeros->kinds[i] == OTHER) {
      found.is_whole = found.is_whole || (length > 0 && written == length);
      written = length = 0;
      continue;
    }
    length++;
    written += zeros->kinds[i] == WRITTEN || filled->kinds[i] == WRITTEN;
    found.is_written = found.is_written || written > 0;
  }
  return found;
}
