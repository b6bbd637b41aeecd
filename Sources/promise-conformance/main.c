/* promise-conformance - checks any implementation of the ABI of promise.h, given as a shared object. docs/man has its
 * manual.
 *
 * It links no implementation: it loads one at run time, again in a new process for each check. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "implementation.h"
#include "run.h"

enum { CONFORMS = 0, DOES_NOT_CONFORM = 1, WRONG_USAGE = 64, CANNOT_WRITE = 74 };

typedef struct options {
  const char *library;
  const char *only; /* a part of the names of the checks to run; NULL: all */
  unsigned seconds;
  bool lists;
} options_t;

static const char usage[] = "usage: promise-conformance [--only TEXT] [--timeout SECONDS] LIBRARY\n"
                            "       promise-conformance --list\n"
                            "       promise-conformance --version\n";

static int numbered, passed, failed, skipped;

static void refuse(const char *problem, const char *what) {
  fprintf(stderr, "promise-conformance: %s%s\n%s", problem, what, usage);
  exit(WRONG_USAGE);
}

/* Flushes the results. Returns `status`, or CANNOT_WRITE if they could not be written. */
static int finish(int status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  fputs("promise-conformance: cannot write to the standard output\n", stderr);
  return CANNOT_WRITE;
}

static unsigned parse_seconds(const char *text) {
  char *end = NULL;
  errno = 0;
  unsigned long seconds = text == NULL ? 0 : strtoul(text, &end, 10);
  if (text == NULL || end == text || *end != '\0' || text[0] == '-' || errno != 0 || seconds < 1 || seconds > 86400)
    refuse("--timeout: expected a number of seconds from 1 to 86400, not ", text == NULL ? "nothing" : text);
  return (unsigned)seconds;
}

static options_t parse(char **arguments) {
  options_t options = {.seconds = 60};
  for (; *arguments != NULL; arguments++) {
    if (strcmp(*arguments, "--help") == 0) {
      fputs(usage, stdout);
      exit(finish(CONFORMS));
    } else if (strcmp(*arguments, "--version") == 0) {
      printf("promise-conformance for version %u of the ABI\n", PROMISE_ABI_VERSION);
      exit(finish(CONFORMS));
    } else if (strcmp(*arguments, "--list") == 0) {
      options.lists = true;
    } else if (strcmp(*arguments, "--timeout") == 0) {
      options.seconds = parse_seconds(*++arguments);
    } else if (strcmp(*arguments, "--only") == 0) {
      options.only = *++arguments;
      if (options.only == NULL)
        refuse("--only: expected part of a check's name", "");
    } else if (**arguments == '-') {
      refuse("no such option: ", *arguments);
    } else if (options.library != NULL) {
      refuse("one library at a time, not this one too: ", *arguments);
    } else {
      options.library = *arguments;
    }
    if (*arguments == NULL)
      break;
  }
  if (options.library == NULL && !options.lists)
    refuse("expected the path of a shared object", "");
  return options;
}

static bool is_wanted(const options_t *options, const char *name) {
  return options->only == NULL || strstr(name, options->only) != NULL;
}

/* Calls `body` with every check and its name, for example "core: the first settlement wins". */
static void each_check(const options_t *options,
                       void (*body)(const options_t *options, const char *name, const check_t *check)) {
  for (const family_t *family = families; family->name != NULL; family++) {
    for (const check_t *check = family->checks(); check != NULL; check = check->next) {
      char name[256];
      snprintf(name, sizeof name, "%s: %s", family->name, check->rule);
      if (is_wanted(options, name))
        body(options, name, check);
    }
  }
}

static void print_name(const options_t *options, const char *name, const check_t *check) {
  (void)options, (void)check;
  puts(name);
}

static void count_check(const options_t *options, const char *name, const check_t *check) {
  (void)options, (void)name, (void)check;
  numbered++;
}

static void report(bool good, const char *name, const char *note) {
  printf("%s %d - %s", good ? "ok" : "not ok", ++numbered, name);
  if (good && note != NULL)
    printf(" # SKIP %s", note);
  putchar('\n');
  if (!good)
    printf("# %s\n", note);
  *(!good ? &failed : note != NULL ? &skipped : &passed) += 1;
}

static run_facts_t facts;

/* Writes a note on a missing function. Returns true if an implementation of an older version may lack it. An
 * implementation that does not report its version is taken for version 1. */
static bool may_lack(const char *function, char *note, size_t size) {
  uint32_t since = implementation_since(function);
  snprintf(note, size, "%s is not there: it is of version %u, the library of version %u", function, (unsigned)since,
           (unsigned)facts.version);
  return since > (facts.version == 0 ? 1 : facts.version);
}

static void run_and_report(const options_t *options, const char *name, const check_t *check) {
  run_outcome_t outcome = run_check(options->library, options->seconds, check->body);
  char note[1200];
  if (outcome.result == RUN_LACKS)
    report(may_lack(outcome.reason, note, sizeof note), name, note);
  else
    report(outcome.result == RUN_PASSED, name, outcome.result == RUN_PASSED ? NULL : outcome.reason);
}

static void report_functions(const options_t *options, bool count_only) {
  for (size_t i = 0; i < IMPLEMENTATION_FUNCTION_COUNT; i++) {
    char name[256], note[256];
    snprintf(name, sizeof name, "exports: %s", implementation_functions[i].name);
    if (!is_wanted(options, name))
      continue;
    if (count_only) {
      numbered++;
    } else if (facts.has[i]) {
      report(true, name, NULL);
    } else {
      report(may_lack(implementation_functions[i].name, note, sizeof note), name, note);
    }
  }
}

int main(int argc, char **argv) {
  (void)argc;
  options_t options = parse(argv + 1);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  if (options.lists) {
    each_check(&options, print_name);
    return finish(CONFORMS);
  }
  /* For a name without a slash, dlopen() would search the library paths of the system. */
  char here[4096];
  if (strchr(options.library, '/') == NULL) {
    snprintf(here, sizeof here, "./%s", options.library);
    options.library = here;
  }

  report_functions(&options, true);
  each_check(&options, count_check);
  if (numbered == 0)
    refuse("--only: no check is called like that: ", options.only);
  printf("TAP version 13\n1..%d\n", numbered);
  numbered = 0;
  run_outcome_t outcome = run_probe(options.library, options.seconds, &facts);
  if (outcome.result == RUN_FAILED) {
    printf("Bail out! %s\n", outcome.reason);
    return finish(DOES_NOT_CONFORM);
  }
  printf("# %s: version %u of the ABI; these checks are for version %u\n", options.library, (unsigned)facts.version,
         PROMISE_ABI_VERSION);
  report_functions(&options, false);
  each_check(&options, run_and_report);
  printf("# %d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return finish(failed == 0 ? CONFORMS : DOES_NOT_CONFORM);
}
