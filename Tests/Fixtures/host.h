/* host.h - for all plugins made for tests: the table of the host. */
#ifndef HOST_H
#define HOST_H

#include <promise_plugin.h>

/* Defines `host`, the table that the plugin is loaded with, and `load`, which stores it. */
#define LOADS_HOST                                                                                                     \
  static const promise_host_t *host;                                                                                   \
  static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {                                \
    (void)error;                                                                                                       \
    host = offered;                                                                                                    \
    return PROMISE_OK;                                                                                                 \
  }

#endif
