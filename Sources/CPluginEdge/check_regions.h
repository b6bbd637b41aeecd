/* check_regions.h - the memory that plugin_check_map() has made. */
#ifndef PLUGIN_CHECK_REGIONS_H
#define PLUGIN_CHECK_REGIONS_H

#include "plugin_check.h"

/* A mapping: a page that cannot be accessed, pages with the data, and another such page. */
typedef struct region {
  uint8_t *start, *data;
  size_t pages, size;
  plugin_check_argument_t argument;
  bool live, is_constant, is_kept;
} region_t;

/* Calls `visit` with each argument's memory of the current call of the checked function. */
void plugin_check_visit(void (*visit)(const region_t *region));

/* Notes, in a process that plugin_check_try() has made, that a fault ends it. Returns whether this is such a process.
 * [async-signal-safe] */
bool plugin_check_faulted(void);

#endif /* PLUGIN_CHECK_REGIONS_H */
