/* A plugin with the id -DID=..., which requires the plugin -DREQUIRED=... */
#include "fixture.h"

ONE_FUNCTION

static const char *const required[] = {REQUIRED, NULL};

PLUGIN(ID, .required = required)
