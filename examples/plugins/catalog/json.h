/* json.h - the rows of a query as JSON text. */
#ifndef CATALOG_JSON_H
#define CATALOG_JSON_H

#include <sqlite3.h>

#include "buffer.h"

/* Appends a string with its quotes. `text` is UTF-8. Returns false if there is no memory. */
bool json_string(buffer_t *out, const char *text, size_t length);

/* Appends the current row as an object with a member for each column: null, number or string; a blob as a string in
 * base64, a number that JSON does not have as null. Returns false if there is no memory. */
bool json_row(buffer_t *out, sqlite3_stmt *statement);

#endif /* CATALOG_JSON_H */
