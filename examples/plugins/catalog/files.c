#include "files.h"

#include <string.h>

#include "database.h"

static const char schema[] = "create table if not exists files ("
                             " id integer primary key,"
                             " name text not null unique,"
                             " original_size integer not null,"
                             " original_sha256 text not null,"
                             " sha256 text not null,"
                             " data blob not null)";

static const char upsert[] =
    "insert into files (name, original_size, original_sha256, sha256, data) values (?1, ?2, ?3, ?4, ?5)"
    " on conflict (name) do update set original_size = excluded.original_size,"
    "  original_sha256 = excluded.original_sha256, sha256 = excluded.sha256, data = excluded.data"
    " returning id";

bool files_store(sqlite3 *connection, const file_t *file, int64_t *id, failure_t *failure) {
  if (sqlite3_exec(connection, schema, NULL, NULL, NULL) != SQLITE_OK)
    return database_failure(connection, failure);
  sqlite3_stmt *statement = NULL;
  bool good = sqlite3_prepare_v2(connection, upsert, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_bind_text(statement, 1, file->name, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int64(statement, 2, file->original_size) == SQLITE_OK &&
              sqlite3_bind_text(statement, 3, file->original_sha256, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(statement, 4, file->sha256, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_blob64(statement, 5, file->data, file->length, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
  if (good) {
    *id = sqlite3_column_int64(statement, 0);
    /* The row is stored; this step ends the statement, and its transaction. */
    good = sqlite3_step(statement) == SQLITE_DONE;
  }
  if (!good)
    database_failure(connection, failure);
  sqlite3_finalize(statement);
  return good;
}

bool files_fetch(sqlite3 *connection, const char *name, buffer_t *data, buffer_t *sha256, failure_t *failure) {
  sqlite3_stmt *statement = NULL;
  bool good = sqlite3_prepare_v2(connection, "select data, sha256 from files where name = ?1", -1, &statement, NULL) ==
                  SQLITE_OK &&
              sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK;
  int code = good ? sqlite3_step(statement) : SQLITE_ERROR;
  if (code == SQLITE_DONE) {
    good =
        failure_set(failure, CATALOG_DOMAIN, CATALOG_ENOTFOUND, "name: no file in the catalog is called \"%s\"", name);
  } else if (code != SQLITE_ROW) {
    good = database_failure(connection, failure);
  } else {
    const void *blob = sqlite3_column_blob(statement, 0);
    good = buffer_append(data, blob, (size_t)sqlite3_column_bytes(statement, 0));
    if (good && sha256 != NULL) {
      const void *text = sqlite3_column_text(statement, 1);
      good = buffer_append(sha256, text, (size_t)sqlite3_column_bytes(statement, 1));
    }
    if (!good)
      failure_out_of_memory(failure);
  }
  sqlite3_finalize(statement);
  return good;
}
