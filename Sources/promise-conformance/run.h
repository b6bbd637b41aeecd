/* run.h - one check in a process of its own, so that an implementation that crashes or hangs fails that check alone. */
#ifndef CONFORMANCE_RUN_H
#define CONFORMANCE_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { RUN_PASSED, RUN_FAILED, RUN_LACKS } run_result_t;

typedef struct run_outcome {
  run_result_t result;
  char reason[1024]; /* why it failed, and where; of RUN_LACKS: the function that is not there */
} run_outcome_t;

/* Loads the implementation in a new process, and calls `check` there, which has so many seconds. */
run_outcome_t run_check(const char *library, unsigned seconds, void (*check)(void));

/* What can be told of the implementation as a whole. */
typedef struct run_facts {
  uint32_t version; /* 0: promise_abi_version() is not there, or says 0 */
  bool has[1024];   /* for each of implementation_functions */
} run_facts_t;

/* Loads the implementation in a new process to look at it. */
run_outcome_t run_probe(const char *library, unsigned seconds, run_facts_t *facts);

#endif /* CONFORMANCE_RUN_H */
