/* Defines a function of libpromise, as a plugin that is linked with libpromise.a does. */
#include "fixture.h"

PROMISE_API promise_t *promise_new(void) {
  return NULL;
}

ONE_FUNCTION

PLUGIN("test.copying", .required = NULL)
