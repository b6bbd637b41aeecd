/* A descriptor with one defect, named by -DDEFECT=..., after which it would be whole. */
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
