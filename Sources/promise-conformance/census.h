/* census.h - a count of the objects that a test leaves. Part of check.h.
 *
 * The library's promises, strings, jobs ..., the descriptors and the threads of the process are counted before and
 * after each test. A test that leaves more of a kind than it found fails. LEAVES(kind, count) is for a test that leaves
 * so many at most on purpose.
 *
 * A failure lists the pending promises (promise_dump()). Unless CHECK_FORK is 0, the test then runs once more with a
 * trace, and lists the places where the promises and callbacks that it left were created. */
#ifndef CENSUS_H
#define CENSUS_H

#include <dirent.h>
#include <pthread.h>

/* Live objects by kind. A promise keeps its kind when it settles. */
#define CHECK_KINDS(KIND)                                                                                              \
  KIND(promises, "promise", promises_pending + now.promises_settled)                                                   \
  KIND(callbacks, "callback", callbacks)                                                                               \
  KIND(values, "value (string, array, error, object, builder ...)", values)                                            \
  KIND(executors, "executor", executors)                                                                               \
  KIND(jobs, "job or timer", jobs)                                                                                     \
  KIND(tokens, "token", tokens)                                                                                        \
  KIND(gathers, "gather", gathers)                                                                                     \
  KIND(loops, "loop", loops)                                                                                           \
  KIND(publishers, "publisher", publishers)                                                                            \
  KIND(subscribers, "subscriber", subscribers)                                                                         \
  KIND(queues, "completion queue", queues)                                                                             \
  KIND(internals, "entry of a list", internals)

typedef struct check_census {
#define CHECK_FIELD(kind, name, counted) uint64_t kind;
  CHECK_KINDS(CHECK_FIELD)
#undef CHECK_FIELD
  uint64_t descriptors;
  uint64_t threads; /* without those of the library, which end by themselves */
} check_census_t;

/* ThreadSanitizer starts a thread of its own when the program starts its first. */
#if defined(__SANITIZE_THREAD__)
#define CHECK_CHECKERS_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CHECK_CHECKERS_THREADS 1
#endif
#endif
#ifndef CHECK_CHECKERS_THREADS
#define CHECK_CHECKERS_THREADS 0
#endif

/* The objects of each kind that the running test may leave, by LEAVES(). */
static check_census_t check_left;

#define LEAVES(kind, count) ((void)(check_left.kind += (uint64_t)(count)))

/* Returns the number of entries of a folder of /proc/self; 0 if it cannot be read. In `task`, leaves out the library's
 * threads, and threads that end meanwhile. May count a library thread that is being started: it has its creator's name
 * for a moment. */
static inline uint64_t check_entries(const char *folder) {
  char path[300], name[8];
  uint64_t count = 0;
  bool names = strcmp(folder, "task") == 0;
  snprintf(path, sizeof path, "/proc/self/%s", folder);
  DIR *entries = opendir(path);
  for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    snprintf(path, sizeof path, "/proc/self/%s/%.200s/comm", folder, entry->d_name);
    FILE *file = names ? fopen(path, "r") : NULL;
    if (names && file == NULL)
      continue;
    bool is_librarys =
        file != NULL && fread(name, 1, sizeof name, file) == sizeof name && memcmp(name, "promise-", 8) == 0;
    if (file != NULL)
      fclose(file);
    count += !is_librarys;
  }
  if (entries != NULL)
    closedir(entries);
  return count;
}

static inline check_census_t check_count(void) {
  promise_statistics_t now = {.size = sizeof now};
  if (promise_statistics(&now) != PROMISE_OK)
    abort();
#define CHECK_FIELD(kind, name, counted) .kind = now.counted,
  return (check_census_t){CHECK_KINDS(CHECK_FIELD).descriptors = check_entries("fd"), .threads = check_entries("task")};
#undef CHECK_FIELD
}

/* Returns whether the test left no more than it found and declared; `reports`: whether to print a failure for each
 * kind. */
static inline bool check_leaves_nothing(const check_census_t *before, const check_census_t *after, bool reports) {
  bool holds = true;
#define CHECK_FIELD(kind, name, counted)                                                                               \
  if (after->kind > before->kind + check_left.kind) {                                                                  \
    holds = false;                                                                                                     \
    if (reports)                                                                                                       \
      check_that(false, "check.h", 0, "it left %llu too many: %s",                                                     \
                 (unsigned long long)(after->kind - before->kind - check_left.kind), name);                            \
  }
  CHECK_KINDS(CHECK_FIELD)
  CHECK_FIELD(descriptors, "open descriptor", )
  CHECK_FIELD(threads, "running thread", )
#undef CHECK_FIELD
  return holds;
}

/* Returns the milliseconds that a test has for its objects to be released by threads of the library: CHECK_PATIENCE, or
 * 20 seconds. */
static inline long check_patience(void) {
  const char *text = getenv("CHECK_PATIENCE");
  return text != NULL ? atol(text) : 20000;
}

/* Allows for the descriptors of the main loop, which its first use opens for good: epoll, a timer, an event. If the
 * test did not use the main loop, this function creates it, so that three leaked descriptors are not taken for
 * these. */
static inline void check_allow_main_loop(const check_census_t *before) {
  static bool is_allowed;
  if (is_allowed || check_count().descriptors <= before->descriptors + check_left.descriptors)
    return;
  is_allowed = true;
  if (promise_loop_main() != NULL)
    check_left.descriptors += 3;
}

/* ---- Places ---- */

enum { CHECK_PLACES = 1 << 14, CHECK_FRAMES = 6 };

/* The recorded promises and callbacks: their ids, and the places where they were created. */
static struct {
  pthread_mutex_t mutex;
  long count;
  struct {
    uint64_t id;
    uintptr_t frames[CHECK_FRAMES]; /* return addresses in the program, relative to its beginning; 0 after the last */
  } * places;
} check_recorded = {.mutex = PTHREAD_MUTEX_INITIALIZER};

extern const char __executable_start[], etext[];

/* Records the nearest return addresses in the program. Scans the stack for them, because the library has no tables for
 * unwinding its frames. */
__attribute__((no_sanitize_address)) static inline void check_record(void *ctx, const promise_trace_event_t *event) {
  void *const *word = (void *const *)__builtin_frame_address(0), *const *end = word + 256;
  (void)ctx;
  pthread_mutex_lock(&check_recorded.mutex);
  if ((event->kind == PROMISE_TRACE_CREATED || event->kind == PROMISE_TRACE_ATTACHED) &&
      check_recorded.count < CHECK_PLACES) {
    uintptr_t last = 0;
    int frame = 0;
    check_recorded.places[check_recorded.count].id = event->id;
    for (; word < end && frame < CHECK_FRAMES; word++) {
      /* Minus one, for the line of the call: a return address may belong to the next line. */
      uintptr_t offset = (uintptr_t)*word - (uintptr_t)__executable_start - 1;
      if (offset < (uintptr_t)(etext - __executable_start) && offset != last)
        check_recorded.places[check_recorded.count].frames[frame++] = last = offset;
    }
    check_recorded.count++;
  }
  pthread_mutex_unlock(&check_recorded.mutex);
}

/* Starts to record places; a trace that the test starts ends the record. */
static inline void check_record_places(void) {
  promise_trace_t trace = {.size = sizeof trace, .event = check_record};
  check_recorded.places = calloc(CHECK_PLACES, sizeof *check_recorded.places);
  if (check_recorded.places == NULL || promise_trace_start(&trace) != PROMISE_OK)
    fprintf(stderr, "%s: the places are not recorded\n", check_test);
}

/* Prints, by addr2line, the places of the first promises and callbacks that are left, the nearest caller first. Some of
 * the callers may have returned: the stack still had their addresses. */
static inline void check_print_places(void) {
  int printed = 0;
  for (long place = 0; place < check_recorded.count && printed < 10; place++) {
    promise_t *left = (promise_t *)(uintptr_t)check_recorded.places[place].id;
    if (promise_state(left) < 0)
      continue;
    printed++;
    char command[512];
    int length = snprintf(command, sizeof command, "addr2line -apfise /proc/%ld/exe", (long)getpid());
    for (int i = 0; i < CHECK_FRAMES && check_recorded.places[place].frames[i] != 0; i++)
      length += snprintf(command + length, sizeof command - (size_t)length, " 0x%lx",
                         (unsigned long)check_recorded.places[place].frames[i]);
    fprintf(stderr, "%s: %p was left; it was created at\n", check_test, (void *)left);
    if (system(strcat(command, " >&2")) != 0)
      fprintf(stderr, "the command that failed shows where: %s\n", command);
  }
}

/* Returns whether the test left too many objects, and reports them. */
static inline bool check_leaks(const check_census_t *before) {
  long patience = check_patience();
  check_allow_main_loop(before);
  check_census_t after = check_count();
  for (; patience-- > 0 && !check_leaves_nothing(before, &after, false); after = check_count())
    usleep(1000);
  if (check_leaves_nothing(before, &after, true))
    return false;
  promise_dump(STDERR_FILENO);
  check_print_places();
  return true;
}

#endif /* CENSUS_H */
