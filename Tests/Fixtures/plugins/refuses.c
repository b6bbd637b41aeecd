/* Refuses to be loaded; with -DSILENT, without a reason. */
#include "fixture.h"

ONE_FUNCTION

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
#ifndef SILENT
  promise_status_t (*make)(promise_value_t *, const char *, int64_t, const char *) = (promise_status_t(*)(
      promise_value_t *, const char *, int64_t, const char *))host->function(host, "promise_value_error");
  make(error, "test.refuses", 7, "no licence to run here");
#else
  (void)host, (void)error;
#endif
  return PROMISE_ECLOSED;
}

PLUGIN("test.refuses", .load = load)
