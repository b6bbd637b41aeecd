/* expect.h - the expectations of a check. The first one that fails ends the check, from any thread and callback: each
 * check has a process of its own. */
#ifndef CONFORMANCE_EXPECT_H
#define CONFORMANCE_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

/* The exit statuses of a check's process. Any other end, for example a signal, is a fault of the implementation. */
enum { CHECK_PASSED = 0, CHECK_FAILED = 101, CHECK_LACKS = 102 };

/* The report of a check's process to its parent, in memory that both share. */
typedef struct check_report {
  char reason[512];  /* of a failure; of CHECK_LACKS: the missing function */
  const char *file;  /* the last place that the check has reached */
  volatile int line; /* 0: none yet */
  bool is_done;      /* the check has returned; the exit status alone could be the implementation's */
} check_report_t;

/* The report of this process. */
extern check_report_t *expect_report;

/* Records the last place that the check has reached. */
void expect_at(const char *file, int line);

/* Ends the process with CHECK_FAILED and this reason. */
_Noreturn void expect_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

void expect_int(long long actual, long long expected, const char *what);
void expect_status(int32_t actual, int32_t expected, const char *what);
void expect_pointer(const void *actual, const void *expected, const char *what);
void expect_text(const char *actual, const char *expected, const char *what);
void expect_that(bool holds, const char *what);

#define EXPECT_HERE() expect_at(__FILE__, __LINE__)
#define EXPECT(condition) (EXPECT_HERE(), expect_that((condition), #condition))
#define EXPECT_INT(actual, expected) (EXPECT_HERE(), expect_int((actual), (expected), #actual))
#define EXPECT_STATUS(actual, expected) (EXPECT_HERE(), expect_status((actual), (expected), #actual))
#define EXPECT_POINTER(actual, expected) (EXPECT_HERE(), expect_pointer((actual), (expected), #actual))
#define EXPECT_TEXT(actual, expected) (EXPECT_HERE(), expect_text((actual), (expected), #actual))

#endif /* CONFORMANCE_EXPECT_H */
