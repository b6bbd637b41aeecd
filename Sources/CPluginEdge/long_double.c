#include "plugin_edge.h"

#include <string.h>

double plugin_long_double_load(const void *memory) {
  long double number;
  memcpy(&number, memory, sizeof number);
  return (double)number;
}

void plugin_long_double_store(double number, void *memory) {
  long double wide = number;
  memcpy(memory, &wide, sizeof wide);
}
