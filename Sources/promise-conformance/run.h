/* run.h - runs one check in a process of its own, so that an implementation that crashes or hangs fails that check
 * only. */
#ifndef CONFORMANCE_RUN_H
#define CONFORMANCE_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { RUN_PASSED, RUN_FAILED, RUN_LACKS } run_result_t;

typedef struct run_outcome {
  run_result_t result;
  char reason[1024]; /* the reason of a failure, with the place; for RUN_LACKS, the missing function */
} run_outcome_t;

/* Loads the implementation in a new process, and calls `check` there. Kills the process after `seconds`. */
run_outcome_t run_check(const char *library, unsigned seconds, void (*check)(void));

/* The facts about the implementation as a whole. */
typedef struct run_facts {
  uint32_t version; /* 0: promise_abi_version() is missing, or returns 0 */
  bool has[1024];   /* for each of implementation_functions, whether it exists */
} run_facts_t;

/* Loads the implementation in a new process and reads its facts. */
run_outcome_t run_probe(const char *library, unsigned seconds, run_facts_t *facts);

#endif /* CONFORMANCE_RUN_H */
