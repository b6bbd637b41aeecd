/* A descriptor without a defect, except for the one that the statement -DDEFECT=... makes. */
#include "fixture.h"

ONE_FUNCTION

static const char *const unterminated[] = {"not an id!", NULL};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  static promise_plugin_t plugin = DESCRIPTOR("test.descriptor", .required = NULL);
  (void)host_abi;
  (void)unterminated;
  DEFECT;
  return &plugin;
}
