/* lonely.c - requires a plugin that does not exist. */
#include "fixture.h"

static void nothing(void) {}

static const char *const required[] = {"org.example.missing", NULL};
static const promise_plugin_function_t functions[] = {FUNCTION("nothing()", nothing, NULL)};

PLUGIN("org.example.lonely", "Requires what is missing.", NULL, required, functions)
