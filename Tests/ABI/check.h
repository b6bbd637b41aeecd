/* check.h - a small assert library for the C programs of this folder.
 *
 *     static void adds(void) { CHECK_INT(1 + 1, 2); }
 *
 *     int main(void) {
 *       RUN(adds);
 *       return check_report();
 *     }
 *
 * A failed check prints where it stands and both values, and the test goes on. Each test runs in a process of its own,
 * so that one that crashes or hangs fails alone; with CHECK_FORK=0 all run in one, for valgrind and debuggers.
 * CHECK_ONLY=adds runs one test alone; CHECK_LIST=1 prints the names of the tests and runs none.
 * Unlike assert() it does not depend on NDEBUG. Checks may be made on any thread.
 *
 * A test that leaves more objects of a kind than it found fails: the library's promises, strings, jobs ... are counted
 * before and after it. LEAVES(kind, count) is for a test that leaves so many at most on purpose.
 */
#ifndef CHECK_H
#define CHECK_H

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "promise.h"

static atomic_long check_checks;   /* created in this test */
static atomic_long check_failures; /* of the created ones */
static const char *check_test = "";
static int check_passed;
static int check_failed;

/* The time limit of one test, in seconds. */
static inline unsigned check_limit(void) {
  const char *text = getenv("CHECK_TIMEOUT");
  return text != NULL ? (unsigned)atoi(text) : 600;
}

/* The number of repetitions: `times`, or fewer under CHECK_QUICK, for valgrind. */
static inline long check_scale(long times) {
  if (getenv("CHECK_QUICK") == NULL)
    return times;
  return times > 100000 ? times / 500 : times > 1000 ? times / 50 : times;
}

__attribute__((format(printf, 4, 5))) static inline bool check_that(bool holds, const char *file, int line,
                                                                    const char *format, ...) {
  atomic_fetch_add(&check_checks, 1);
  if (holds)
    return true;
  if (atomic_fetch_add(&check_failures, 1) < 20) {
    va_list arguments;
    char text[512];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, check_test, text);
  }
  return false;
}

static inline const char *check_shown(const char *text) {
  return text != NULL ? text : "(null)";
}

static inline bool check_int(long long actual, long long expected, const char *what, const char *file, int line) {
  return check_that(actual == expected, file, line, "%s is %lld, expected %lld", what, actual, expected);
}

static inline bool check_status(promise_status_t actual, promise_status_t expected, const char *what, const char *file,
                                int line) {
  return check_that(actual == expected, file, line, "%s is %s (%d), expected %s (%d)", what,
                    promise_status_name(actual), (int)actual, promise_status_name(expected), (int)expected);
}

static inline bool check_pointer(const volatile void *actual, const volatile void *expected, const char *what,
                                 const char *file, int line) {
  return check_that(actual == expected, file, line, "%s is %p, expected %p", what, (void *)(uintptr_t)actual,
                    (void *)(uintptr_t)expected);
}

static inline bool check_text(const char *actual, const char *expected, const char *what, const char *file, int line) {
  bool same = actual == expected || (actual != NULL && expected != NULL && strcmp(actual, expected) == 0);
  return check_that(same, file, line, "%s is \"%s\", expected \"%s\"", what, check_shown(actual),
                    check_shown(expected));
}

/* Each returns whether the check held. */
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, "%s", #condition)
#define CHECK_INT(actual, expected) check_int((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_STATUS(actual, expected) check_status((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_POINTER(actual, expected) check_pointer((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text((actual), (expected), #actual, __FILE__, __LINE__)

/* Ends the test if the condition does not hold. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!check_that((condition), __FILE__, __LINE__, "required: %s", #condition))                                      \
      _exit(1);                                                                                                        \
  } while (0)

/* ---- Leaks ---- */

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
} check_census_t;

/* The number of objects that the running test declares to leave. */
static check_census_t check_left;

#define LEAVES(kind, count) ((void)(check_left.kind += (uint64_t)(count)))

static inline check_census_t check_count(void) {
  promise_statistics_t now = {.size = sizeof now};
  if (promise_statistics(&now) != PROMISE_OK)
    abort();
#define CHECK_FIELD(kind, name, counted) .kind = now.counted,
  return (check_census_t){CHECK_KINDS(CHECK_FIELD)};
#undef CHECK_FIELD
}

/* Returns whether the test left no more than it found and declared; `reports`: prints a failure for each kind. */
static inline bool check_leaves_nothing(const check_census_t *before, bool reports) {
  check_census_t after = check_count();
  bool holds = true;
#define CHECK_FIELD(kind, name, counted)                                                                               \
  if (after.kind > before->kind + check_left.kind) {                                                                   \
    holds = false;                                                                                                     \
    if (reports)                                                                                                       \
      check_that(false, "check.h", 0, "it left %llu too many: %s",                                                     \
                 (unsigned long long)(after.kind - before->kind - check_left.kind), name);                             \
  }
  CHECK_KINDS(CHECK_FIELD)
#undef CHECK_FIELD
  return holds;
}

/* Waits for threads of the library that are still about to release the test's objects, while the counts change, for
 * CHECK_PATIENCE milliseconds at most. */
static inline long check_patience(void) {
  const char *text = getenv("CHECK_PATIENCE");
  return text != NULL ? atol(text) : 20000;
}

static inline void check_leaks(const check_census_t *before) {
  long patience = check_patience();
  while (patience-- > 0 && !check_leaves_nothing(before, false))
    usleep(1000);
  check_leaves_nothing(before, true);
}

static inline bool check_run_here(void (*test)(void)) {
  check_left = (check_census_t){0};
  check_census_t before = check_count();
  alarm(check_limit());
  test();
  check_leaks(&before);
  alarm(0);
  check_that(atomic_load(&check_checks) > 0, "check.h", 0, "it checked nothing");
  return atomic_load(&check_failures) == 0;
}

static inline bool check_run_apart(void (*test)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    exit(check_run_here(test) ? 0 : 1);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror("check.h: no process for a test");
    exit(2);
  }
  if (WIFSIGNALED(status)) {
    int number = WTERMSIG(status);
    fprintf(stderr, "%s: %s by signal %d (%s)\n", check_test, number == SIGALRM ? "hung, ended" : "died", number,
            strsignal(number));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Returns whether CHECK_SKIP, a list of names separated by blanks, contains the test. */
static inline bool check_is_skipped(const char *name) {
  const char *names = getenv("CHECK_SKIP");
  size_t length = strlen(name);
  while (names != NULL && (names = strstr(names, name)) != NULL) {
    bool begins = names == getenv("CHECK_SKIP") || names[-1] == ' ';
    names += length;
    if (begins && (*names == ' ' || *names == '\0'))
      return true;
  }
  return false;
}

static inline bool check_is_listing(void) {
  return getenv("CHECK_LIST") != NULL;
}

static inline void check_run(const char *name, void (*test)(void)) {
  const char *only = getenv("CHECK_ONLY");
  if (only != NULL && strcmp(only, name) != 0)
    return;
  if (check_is_listing()) {
    puts(name);
    return;
  }
  if (check_is_skipped(name)) {
    fprintf(stderr, "skipped %s\n", name);
    return;
  }
  const char *apart = getenv("CHECK_FORK");
  check_test = name;
  atomic_store(&check_checks, 0);
  atomic_store(&check_failures, 0);
  bool passed = apart != NULL && strcmp(apart, "0") == 0 ? check_run_here(test) : check_run_apart(test);
  if (passed) {
    check_passed++;
  } else {
    check_failed++;
    fprintf(stderr, "FAILED %s\n", name);
  }
}

#define RUN(test) check_run(#test, test)

/* Prints the last line of a program, and returns its exit status. */
static inline int check_report(void) {
  if (check_is_listing())
    return 0;
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

#endif /* CHECK_H */
