/* Refuses to be loaded; with -DSILENT, without a reason; with -DOBJECT, with an object whose
 * payload is not a text; with -DTEXT, with a STRING. */
#include "fixture.h"

ONE_FUNCTION

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
#if defined OBJECT
  static const unsigned char payload[] = {0xFF, 0xFF, 0xFF, 0xFF};
  promise_value_object(error, promise_type_register("test.refuses.reason", NULL, NULL), (void *)(uintptr_t)payload);
  (void)host;
#elif defined TEXT
  promise_value_string(error, "not today", 9);
  (void)host;
#elif !defined SILENT
  promise_status_t (*make)(promise_value_t *, const char *, int64_t, const char *) = (promise_status_t(*)(
      promise_value_t *, const char *, int64_t, const char *))host->function(host, "promise_value_error");
  make(error, "test.refuses", 7, "no licence to run here");
#else
  (void)host, (void)error;
#endif
  return PROMISE_ECLOSED;
}

PLUGIN("test.refuses", .load = load)
