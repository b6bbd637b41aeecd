/* Needs a function that no library has. */
#include "fixture.h"

extern int32_t function_that_nobody_has(void);

static const promise_plugin_function_t functions[] = {FUNCTION("call() -> i32", function_that_nobody_has)};

PLUGIN("test.unresolved", .description = NULL)
