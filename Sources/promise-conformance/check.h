/* check.h - a small assert library, for the checks of this folder and for the C programs of Tests/ABI.
 *
 *     CHECKS(sums)
 *
 *     RULE(adds, "one and one is two") { CHECK_INT(1 + 1, 2); }
 *
 * The checks of this folder run in two ways. In promise-conformance (CHECK_LOADS) an implementation is loaded for each
 * check, and the first failure ends the check, from any thread and callback. Linked with the library, each file is a
 * program of its own, for valgrind, sanitizers and debuggers: a failure prints where it stands and both values, and the
 * test goes on. The programs of Tests/ABI run in the second way only: TEST(adds) { ... }.
 *
 * A test registers itself where it is defined, and the tests of a file run in the order of their lines. A linked
 * program runs each in a process of its own, so that one that crashes or hangs fails alone; with CHECK_FORK=0 all run
 * in one. CHECK_ONLY=adds runs one test alone; CHECK_LIST=1 prints the names of the tests and runs none. A test that
 * leaves more objects of a kind than it found fails (census.h).
 *
 * Unlike assert() it does not depend on NDEBUG. Checks may be made on any thread. */
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

#ifdef CHECK_LOADS
#include "implementation.h"
#else
#include "promise.h"
#endif

typedef struct check {
  const char *name;
  const char *rule; /* the text, in one line; NULL in the programs of Tests/ABI */
  void (*body)(void);
  int line;
  struct check *next;
} check_t;

/* The checks of this file, by line: compilers do not promise an order of constructors. */
__attribute__((unused)) static check_t *check_list;

static inline void check_add(check_t *check) {
  check_t **place = &check_list;
  while (*place != NULL && (*place)->line <= check->line)
    place = &(*place)->next;
  check->next = *place;
  *place = check;
}

/* Begins the definition of a check. Its body follows. */
#define CHECK_DEFINE(function, shown, text)                                                                            \
  static void function(void);                                                                                          \
  __attribute__((constructor)) static void function##_is_added(void) {                                                 \
    static check_t check = {.name = (shown), .rule = (text), .body = (function), .line = __LINE__};                    \
    check_add(&check);                                                                                                 \
  }                                                                                                                    \
  static void function(void)

#define RULE(function, text) CHECK_DEFINE(function, #function, text)
#define TEST(function) CHECK_DEFINE(function, #function, NULL)

/* A test that makes one call. */
#define TEST_BY(function, ...)                                                                                         \
  TEST(function) {                                                                                                     \
    __VA_ARGS__;                                                                                                       \
  }

/* The number of repetitions: `times`, or fewer under CHECK_QUICK, for valgrind. */
static inline long check_scale(long times) {
  if (getenv("CHECK_QUICK") == NULL)
    return times;
  return times > 100000 ? times / 500 : times > 1000 ? times / 50 : times;
}

#ifdef CHECK_LOADS

/* Exports the checks of a file. */
#define CHECKS(family)                                                                                                 \
  const check_t *family##_checks(void) {                                                                               \
    return check_list;                                                                                                 \
  }

/* The report of a check's process to its parent, in memory that both share. */
typedef struct check_report {
  char reason[512];  /* the reason of a failure; for CHECK_LACKS, the missing function */
  const char *file;  /* the last place that the check has reached */
  volatile int line; /* 0: none yet */
  bool is_done;      /* whether the check has returned: the implementation could exit with status 0 too */
} check_report_t;

/* The report of this process. */
extern check_report_t *check_reported;

/* The exit statuses of a check's process. Any other end, for example a signal, is a fault of the implementation. */
enum { CHECK_PASSED = 0, CHECK_FAILED = 101, CHECK_LACKS = 102 };

static inline void check_at(const char *file, int line) {
  check_reported->file = file;
  check_reported->line = line;
}

/* The names of statuses from this program, since those of the implementation may be wrong. */
const char *check_status_name(promise_status_t status);

__attribute__((format(printf, 4, 5))) static inline bool check_that(bool holds, const char *file, int line,
                                                                    const char *format, ...) {
  if (holds)
    return true;
  va_list arguments;
  check_at(file, line);
  va_start(arguments, format);
  vsnprintf(check_reported->reason, sizeof check_reported->reason, format, arguments);
  va_end(arguments);
  _exit(CHECK_FAILED);
}

#else

#define CHECKS(family)

static atomic_long check_checks;   /* the checks that this test has made */
static atomic_long check_failures; /* the checks of this test that failed */
static const char *check_test = "";
static int check_passed;
static int check_failed;

#define check_at(file, line) ((void)0)
#define check_status_name promise_status_name

/* The time limit of one test, in seconds. */
static inline unsigned check_limit(void) {
  const char *text = getenv("CHECK_TIMEOUT");
  return text != NULL ? (unsigned)atoi(text) : 600;
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

#endif

/* The executed callbacks, in order: one letter each. Each test begins with none. */
__attribute__((unused)) static char journal[256];

static inline const char *check_shown(const char *text) {
  return text != NULL ? text : "(null)";
}

static inline bool check_int(long long actual, long long expected, const char *what, const char *file, int line) {
  return check_that(actual == expected, file, line, "%s is %lld, expected %lld", what, actual, expected);
}

static inline bool check_status(promise_status_t actual, promise_status_t expected, const char *what, const char *file,
                                int line) {
  return check_that(actual == expected, file, line, "%s is %s (%d), expected %s (%d)", what, check_status_name(actual),
                    (int)actual, check_status_name(expected), (int)expected);
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

/* Records the place, in case an argument crashes or hangs; then checks. Each macro returns whether the check held. */
#define CHECK_HERE(check) (check_at(__FILE__, __LINE__), (check))
#define CHECK(condition) CHECK_HERE(check_that((condition), __FILE__, __LINE__, "this does not hold: %s", #condition))
#define CHECK_INT(actual, expected) CHECK_HERE(check_int((actual), (expected), #actual, __FILE__, __LINE__))
#define CHECK_STATUS(actual, expected) CHECK_HERE(check_status((actual), (expected), #actual, __FILE__, __LINE__))
#define CHECK_POINTER(actual, expected) CHECK_HERE(check_pointer((actual), (expected), #actual, __FILE__, __LINE__))
#define CHECK_TEXT(actual, expected) CHECK_HERE(check_text((actual), (expected), #actual, __FILE__, __LINE__))
#define CHECK_FAIL(...) check_that(false, __FILE__, __LINE__, __VA_ARGS__)

/* Ends the test if the condition does not hold. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!CHECK_HERE(check_that((condition), __FILE__, __LINE__, "required: %s", #condition)))                          \
      _exit(1);                                                                                                        \
  } while (0)

#ifdef CHECK_LOADS
#define LEAVES(kind, count) ((void)(count))
#else
#include "census.h"

/* The exit statuses of a test's process. */
enum { CHECK_HOLDS = 0, CHECK_FAILS = 1, CHECK_LEAKS = 3 };

static inline int check_run_here(void (*test)(void)) {
  check_left = (check_census_t){.threads = CHECK_CHECKERS_THREADS};
  check_census_t before = check_count();
  journal[0] = '\0';
  (void)promise_last_status();
  alarm(check_limit());
  test();
  bool leaks = check_leaks(&before);
  alarm(0);
  check_that(atomic_load(&check_checks) > 0, "check.h", 0, "it checked nothing");
  return leaks ? CHECK_LEAKS : atomic_load(&check_failures) == 0 ? CHECK_HOLDS : CHECK_FAILS;
}

/* Runs a test in a process of its own; if it leaks, once more, to record where its promises are created. `places`:
 * whether this is the second run. */
static inline bool check_run_apart(void (*test)(void), bool places) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (places)
      check_record_places();
    exit(check_run_here(test));
  }
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
  if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_LEAKS && !places)
    check_run_apart(test, true);
  return WIFEXITED(status) && WEXITSTATUS(status) == CHECK_HOLDS;
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
  bool passed =
      apart != NULL && strcmp(apart, "0") == 0 ? check_run_here(test) == CHECK_HOLDS : check_run_apart(test, false);
  if (passed) {
    check_passed++;
  } else {
    check_failed++;
    fprintf(stderr, "FAILED %s\n", name);
  }
}

/* Prints the last line of a program, and returns its exit status. */
static inline int check_report(void) {
  if (check_is_listing())
    return 0;
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

#ifndef CHECK_OWN_MAIN
int main(void) {
  for (const check_t *check = check_list; check != NULL; check = check->next)
    check_run(check->name, check->body);
  return check_report();
}
#endif

#endif

#endif /* CHECK_H */
