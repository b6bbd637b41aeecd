/* families.h - the checks: each file of checks/ is a family. To add one: a file in checks/, a line here and one in
 * families.c. */
#ifndef CONFORMANCE_FAMILIES_H
#define CONFORMANCE_FAMILIES_H

#include "check.h"

typedef struct family {
  const char *name; /* the header's, without "promise/" and ".h"; two families may share a header */
  const check_t *(*checks)(void);
} family_t;

/* The last entry has a NULL name. */
extern const family_t families[];

const check_t *version_checks(void), *status_checks(void), *value_checks(void), *object_checks(void),
    *error_checks(void), *collection_checks(void), *builder_checks(void), *inspect_checks(void), *json_checks(void),
    *type_checks(void), *settle_checks(void), *lifetime_checks(void), *discard_checks(void), *wait_checks(void),
    *cancel_checks(void), *token_checks(void), *callback_checks(void), *order_checks(void), *context_checks(void),
    *adopt_checks(void), *observer_checks(void), *react_checks(void), *follow_checks(void), *combine_checks(void),
    *executor_checks(void), *pool_checks(void), *loop_checks(void), *loop_end_checks(void), *timer_checks(void),
    *queue_checks(void), *call_checks(void), *stream_checks(void), *operator_checks(void), *group_checks(void),
    *timing_checks(void), *observe_checks(void), *handle_checks(void), *thread_checks(void), *scalar_checks(void),
    *runtime_checks(void), *json_error_checks(void), *interruption_checks(void), *deadline_executor_checks(void),
    *delay_checks(void), *answer_checks(void), *delivery_checks(void), *linking_checks(void);

#endif /* CONFORMANCE_FAMILIES_H */
