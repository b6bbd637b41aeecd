/* files.h - the table of a catalog, and the statements on it. Knows nothing of promises and threads. */
#ifndef CATALOG_FILES_H
#define CATALOG_FILES_H

#include <sqlite3.h>

#include "buffer.h"
#include "failure.h"

/* Errors of this plugin; those of SQLite have the domain "sqlite" and SQLite's extended codes. */
#define CATALOG_DOMAIN "org.promises.catalog"

enum {
  CATALOG_EARGUMENT = 1, /* an invalid argument */
  CATALOG_ENOTFOUND = 2  /* no file with that name */
};

/* A row of the table. The pointers are borrowed. */
typedef struct file {
  const char *name;
  const uint8_t *data; /* compressed */
  size_t length;
  const char *sha256;          /* of `data` */
  const char *original_sha256; /* of the decompressed data */
  int64_t original_size;
} file_t;

/* Adds a file, or replaces the file with that name. Stores its key in `*id`. Creates the table if it is missing. */
bool files_store(sqlite3 *connection, const file_t *file, int64_t *id, failure_t *failure);

/* Appends the data of the file to `data`, and its checksum to `sha256` unless that is NULL. */
bool files_fetch(sqlite3 *connection, const char *name, buffer_t *data, buffer_t *sha256, failure_t *failure);

/* Appends the rows of a statement's result to `json`, as an array of objects. `parameters` is JSON: an array of values
 * for the statement's ?1, ?2, ..., or a single value. Only statements that read are allowed. */
bool files_query(sqlite3 *connection, const char *sql, const char *parameters, buffer_t *json, failure_t *failure);

#endif /* CATALOG_FILES_H */
