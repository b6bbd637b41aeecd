/* verify.h - checks that stored data has not changed, with the help of another plugin. */
#ifndef CATALOG_VERIFY_H
#define CATALOG_VERIFY_H

#include <promise_plugin.h>

/* Call once before verify_file(). Returns false if a promise type could not be registered. */
bool verify_load(const promise_host_t *host);

/* The function `verify` of the plugin. */
promise_status_t verify_file(promise_bytes_t database, promise_bytes_t name, promise_t **result,
                             promise_value_t *error);

#endif /* CATALOG_VERIFY_H */
