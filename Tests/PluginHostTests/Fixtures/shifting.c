/* Has another id each time that it is described, if SHIFT is set, and another function with RESHAPE. An initialiser
   opens all descriptors with HOARD. With MOVE, it changes the folder of the process to that one, and the mask for new
   files to 0. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void nothing(void) {}

static char signature[32] = "nothing()";
static const promise_plugin_function_t functions[] = {FUNCTION(signature, nothing, NULL)};

static char id[32] = "org.example.shifting";

DESCRIPTOR(id, NULL, NULL, NULL, NULL, functions)

__attribute__((constructor)) static void initialise(void) {
  const char *folder = getenv("MOVE");
  if (folder != NULL && chdir(folder) == 0)
    umask(0);
  while (getenv("HOARD") != NULL && open("/dev/null", O_RDONLY) >= 0) {
  }
}

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  static int count;
  if (getenv("SHIFT") != NULL)
    snprintf(id, sizeof id, "org.example.shifting%d", ++count);
  if (getenv("RESHAPE") != NULL && ++count > 1)
    snprintf(signature, sizeof signature, "nothing(x%d: i32)", count);
  return &plugin;
}
