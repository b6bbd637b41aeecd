#include "clocks.h"

#include <stdlib.h>
#include <string.h>

/* A value of an atomic word. The order of the stores is that of the execution. */
typedef struct {
  uint64_t value;
  clocks_t published;
  uint32_t writer, time;
  /* When each thread first read it; 0: never. */
  uint32_t readers[RACES_THREADS];
  /* The place of the store among the sequentially consistent operations; 0: it is none. */
  uint32_t moment;
} message_t;

enum { MESSAGES = 8 };

/* The latest values of a word in this execution, the newest at `newest`. */
typedef struct {
  uint64_t execution;
  uint32_t newest, count;
  message_t messages[MESSAGES];
} word_t;

static uintptr_t first;
static word_t *words;
static uint32_t moments;
/* The operations before the sequentially consistent fences so far; the latest fence of each thread. */
static clock_vector_t fenced;
static uint32_t fences[RACES_THREADS];

void watch_words(uintptr_t low, uintptr_t high) {
  free(words);
  first = low;
  words = calloc((high - low) / WORD + 1, sizeof *words);
  if (words == NULL)
    abort();
}

void begin_words(void) {
  moments = 0;
  memset(&fenced, 0, sizeof fenced);
  memset(fences, 0, sizeof fences);
}

static message_t *message_at(word_t *word, uint32_t age) {
  return &word->messages[(word->newest + MESSAGES - age) % MESSAGES];
}

/* Returns the record of a word whose memory has the value `latest`. */
static word_t *word_at(uintptr_t address, uint64_t latest) {
  word_t *word = &words[(address - first) / WORD];
  if (word->execution != execution) {
    word->execution = execution;
    word->newest = 0;
    word->count = 1;
    word->messages[0] = (message_t){.value = latest};
  } else if (message_at(word, 0)->value != latest) {
    /* It was written by a plain store. */
    word->count = 1;
    message_at(word, 0)->value = latest;
  }
  return word;
}

static bool is_among(int thread, uint32_t time, const clock_vector_t *clock) {
  return time <= clock->times[thread];
}

/* Whether the running thread can read no older value: this one's store, or a load of it, is before. */
static bool is_oldest(const message_t *message, bool is_sequential) {
  const clock_vector_t *seen = &known[running].seen;
  if (is_among((int)message->writer, message->time, seen) ||
      (is_sequential && is_among((int)message->writer, message->time, &fenced)))
    return true;
  if (message->moment != 0 && (is_sequential || message->moment < fences[running]))
    return true;
  for (int thread = 0; thread < RACES_THREADS; thread++) {
    if (message->readers[thread] != 0 && is_among(thread, message->readers[thread], seen))
      return true;
  }
  return false;
}

uint32_t races_visible(const void *address, uint64_t latest, races_ordering_t ordering) {
  if (!is_watched((uintptr_t)address) || !races_are_seen())
    return 1;
  word_t *word = word_at((uintptr_t)address, latest);
  uint32_t count = 1;
  while (count < word->count && !is_oldest(message_at(word, count - 1), ordering & RACES_SEQUENTIAL))
    count++;
  return count;
}

static void read_message(message_t *message, races_ordering_t ordering) {
  if (message->readers[running] == 0)
    message->readers[running] = known[running].before.times[running];
  if (ordering & RACES_ACQUIRES)
    join(&known[running], &message->published);
}

uint64_t races_load(const void *address, uint32_t age, uint64_t latest, races_ordering_t ordering) {
  if (!is_watched((uintptr_t)address) || !races_are_seen())
    return latest;
  access_word((uintptr_t)address, false, __builtin_return_address(0));
  message_t *message = message_at(word_at((uintptr_t)address, latest), age);
  read_message(message, ordering);
  return message->value;
}

static void write_message(word_t *word, uint64_t value, races_ordering_t ordering, const clocks_t *continued) {
  word->newest = (word->newest + 1) % MESSAGES;
  if (word->count < MESSAGES)
    word->count++;
  message_t *message = message_at(word, 0);
  *message = (message_t){.value = value,
                         .published = *continued,
                         .writer = (uint32_t)running,
                         .time = known[running].before.times[running]};
  if (ordering & RACES_SEQUENTIAL)
    message->moment = ++moments;
  if (ordering & RACES_RELEASES) {
    join(&message->published, &known[running]);
    tick();
  }
}

void races_store(const void *address, uint64_t before, uint64_t after, races_ordering_t ordering) {
  static const clocks_t nothing;
  if (!is_watched((uintptr_t)address) || !races_are_seen())
    return;
  access_word((uintptr_t)address, true, __builtin_return_address(0));
  write_message(word_at((uintptr_t)address, before), after, ordering, &nothing);
}

void races_exchange(const void *address, uint64_t before, uint64_t after, races_ordering_t ordering) {
  if (!is_watched((uintptr_t)address) || !races_are_seen())
    return;
  access_word((uintptr_t)address, true, __builtin_return_address(0));
  word_t *word = word_at((uintptr_t)address, before);
  read_message(message_at(word, 0), ordering);
  /* It continues the release sequence. */
  const clocks_t continued = message_at(word, 0)->published;
  write_message(word, after, ordering, &continued);
}

void races_fence(void) {
  clock_vector_t *seen = &known[running].seen;
  for (int thread = 0; thread < RACES_THREADS; thread++) {
    if (fenced.times[thread] > seen->times[thread])
      seen->times[thread] = fenced.times[thread];
  }
  fenced = *seen;
  fences[running] = ++moments;
  tick();
}
