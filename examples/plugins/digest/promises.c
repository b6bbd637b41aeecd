#include "promises.h"

static promise_function_t find(const promise_host_t *host, const char *name, const char **missing) {
  promise_function_t function = host->function(host, name);
  if (function == NULL)
    *missing = name;
  return function;
}

const char *promises_find(promises_t *promises, const promise_host_t *host) {
  const char *missing = NULL;
  promises->new_discardable =
      (promise_t * (*)(void (*)(void *), void *, promise_free_t)) find(host, "promise_new_discardable", &missing);
  promises->retain = (promise_status_t(*)(promise_t *))find(host, "promise_retain", &missing);
  promises->release = (promise_status_t(*)(promise_t *))find(host, "promise_release", &missing);
  promises->resolve =
      (promise_status_t(*)(promise_t *, const promise_value_t *))find(host, "promise_resolve", &missing);
  promises->reject = (promise_status_t(*)(promise_t *, const promise_value_t *))find(host, "promise_reject", &missing);
  promises->value_string =
      (promise_status_t(*)(promise_value_t *, const char *, size_t))find(host, "promise_value_string", &missing);
  promises->value_error = (promise_status_t(*)(promise_value_t *, const char *, int64_t, const char *))find(
      host, "promise_value_error", &missing);
  return missing;
}
