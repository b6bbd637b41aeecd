/* families.h - the checks, a table for each file of checks/. To add a family: a file in checks/, a line here and one in
 * families.c. */
#ifndef CONFORMANCE_FAMILIES_H
#define CONFORMANCE_FAMILIES_H

#include "check.h"

typedef struct family {
  const char *name; /* the header's, without "promise/" and ".h"; two families may share a header */
  const check_t *checks;
} family_t;

/* The last entry has a NULL name. */
extern const family_t families[];

extern const check_t version_checks[], status_checks[], value_checks[], object_checks[], error_checks[],
    collection_checks[], builder_checks[], inspect_checks[], json_checks[], type_checks[], settle_checks[],
    lifetime_checks[], discard_checks[], wait_checks[], cancel_checks[], token_checks[], callback_checks[],
    order_checks[], context_checks[], adopt_checks[], observer_checks[], react_checks[], follow_checks[],
    combine_checks[], executor_checks[], pool_checks[], loop_checks[], loop_end_checks[], timer_checks[],
    queue_checks[], call_checks[], stream_checks[], operator_checks[], group_checks[], timing_checks[],
    observe_checks[], handle_checks[], thread_checks[], scalar_checks[], runtime_checks[], json_error_checks[],
    interruption_checks[], deadline_executor_checks[], delay_checks[], answer_checks[], delivery_checks[],
    linking_checks[];

#endif /* CONFORMANCE_FAMILIES_H */
