/* Requires the plugin of -DREQUIRED, under the id of -DID. */
#include "fixture.h"

ONE_FUNCTION

static const char *const required[] = {REQUIRED, NULL};

PLUGIN(ID, .required = required)
