/* The plugin of open files, which the tests of the library have too. */
#include "../../Fixtures/plugins/files.c"
