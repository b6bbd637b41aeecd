/* Requires what -DREQUIRED names, under the id that -DID gives. */
#include "fixture.h"

ONE_FUNCTION

static const char *const required[] = {REQUIRED, NULL};

PLUGIN(ID, .required = required)
