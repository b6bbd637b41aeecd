#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

check_report_t *check_reported;

const char *check_status_name(promise_status_t status) {
#define NAME(name, number, text)                                                                                       \
  if (status == (number))                                                                                              \
    return #name;
  PROMISE_STATUSES(NAME)
#undef NAME
  return "no known status";
}

/* The memory that this process shares with the process of a check. */
typedef struct shared {
  check_report_t report;
  run_facts_t facts;
} shared_t;

static shared_t *shared_memory(void) {
  static shared_t *shared;
  if (shared == NULL) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
      perror("promise-conformance: no memory to share with the checks");
      exit(1);
    }
  }
  memset(shared, 0, sizeof *shared);
  return shared;
}

/* Waits until the other end of the pipe is closed, as it is when the process ends; false after `seconds`. */
static bool ends_in_time(int pipe_end, unsigned seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t end = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + (int64_t)seconds * 1000;
  for (;;) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = end - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    if (left <= 0)
      return false;
    struct pollfd closed = {.fd = pipe_end, .events = POLLIN};
    if (poll(&closed, 1, left > 1000000 ? 1000000 : (int)left) > 0)
      return true;
  }
}

static void describe(run_outcome_t *outcome, const check_report_t *report, const char *what) {
  const char *file = report->file == NULL ? NULL : strrchr(report->file, '/');
  if (report->line == 0)
    snprintf(outcome->reason, sizeof outcome->reason, "%s before anything was checked", what);
  else
    snprintf(outcome->reason, sizeof outcome->reason, "%s at %s:%d", what, file == NULL ? report->file : file + 1,
             report->line);
}

static run_outcome_t judge(const check_report_t *report, int status, bool in_time, unsigned seconds) {
  run_outcome_t outcome = {.result = RUN_FAILED};
  char what[768];
  if (!in_time) {
    snprintf(what, sizeof what, "not done after %u seconds:", seconds);
    describe(&outcome, report, what);
  } else if (WIFSIGNALED(status)) {
    snprintf(what, sizeof what, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    describe(&outcome, report, what);
  } else if (WEXITSTATUS(status) == CHECK_FAILED) {
    snprintf(what, sizeof what, "%s,", report->reason);
    describe(&outcome, report, what);
  } else if (WEXITSTATUS(status) == CHECK_LACKS) {
    outcome.result = RUN_LACKS;
    snprintf(outcome.reason, sizeof outcome.reason, "%s", report->reason);
  } else if (WEXITSTATUS(status) != CHECK_PASSED || !report->is_done) {
    snprintf(what, sizeof what, "ended the process with status %d", WEXITSTATUS(status));
    describe(&outcome, report, what);
  } else {
    outcome.result = RUN_PASSED;
  }
  return outcome;
}

/* The body of the new process. */
static _Noreturn void work(const char *library, void (*check)(void), run_facts_t *facts) {
  /* The implementation's output must not mix with this program's. */
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const char *problem = implementation_load(library, facts == NULL ? NULL : facts->has);
  if (problem != NULL)
    CHECK_FAIL("it cannot be loaded: %s", problem);
  check();
  check_at(__FILE__, __LINE__);
  check_reported->is_done = true;
  /* Runs the exit handlers, which may hang or crash too. */
  exit(CHECK_PASSED);
}

static run_outcome_t run(shared_t *shared, const char *library, unsigned seconds, void (*check)(void),
                         run_facts_t *facts) {
  run_outcome_t outcome = {.result = RUN_FAILED};
  int ends[2], status = 0;
  fflush(NULL);
  if (pipe(ends) != 0 || (check_reported = &shared->report) == NULL) {
    snprintf(outcome.reason, sizeof outcome.reason, "no pipe for its process: %s", strerror(errno));
    return outcome;
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(library, check, facts);
  }
  close(ends[1]);
  bool in_time = true;
  if (child < 0) {
    snprintf(outcome.reason, sizeof outcome.reason, "no process for it: %s", strerror(errno));
  } else {
    in_time = ends_in_time(ends[0], seconds);
    if (!in_time)
      kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
    outcome = judge(&shared->report, status, in_time, seconds);
  }
  close(ends[0]);
  return outcome;
}

run_outcome_t run_check(const char *library, unsigned seconds, void (*check)(void)) {
  return run(shared_memory(), library, seconds, check, NULL);
}

static run_facts_t *probed;

static void probe(void) {
  probed->version = promise_abi_version();
}

run_outcome_t run_probe(const char *library, unsigned seconds, run_facts_t *facts) {
  _Static_assert(sizeof facts->has / sizeof *facts->has >= IMPLEMENTATION_FUNCTION_COUNT, "room for every function");
  shared_t *shared = shared_memory();
  probed = &shared->facts;
  run_outcome_t outcome = run(shared, library, seconds, probe, probed);
  *facts = shared->facts;
  return outcome;
}
