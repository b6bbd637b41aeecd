#include "database.h"
#include "files.h"
#include "json.h"

/* An authorizer that allows the actions of a statement that only reads. */
static int allow_reading(void *ctx, int action, const char *a, const char *b, const char *c, const char *d) {
  (void)ctx, (void)a, (void)b, (void)c, (void)d;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_FUNCTION:
  case SQLITE_RECURSIVE:
    return SQLITE_OK;
  default:
    return SQLITE_DENY;
  }
}

/* Compiles `sql`, which must be one statement. */
static sqlite3_stmt *prepare(sqlite3 *connection, const char *sql, failure_t *failure) {
  sqlite3_stmt *statement = NULL, *second = NULL;
  const char *rest = NULL;
  sqlite3_set_authorizer(connection, allow_reading, NULL);
  int code = sqlite3_prepare_v2(connection, sql, -1, &statement, &rest);
  if (code == SQLITE_OK && statement != NULL)
    code = sqlite3_prepare_v2(connection, rest, -1, &second, NULL);
  /* SQLite does not ask the authorizer about VACUUM. */
  if (code == SQLITE_OK && statement != NULL && !sqlite3_stmt_readonly(statement))
    code = SQLITE_AUTH;
  if (code == SQLITE_AUTH) {
    failure_set(failure, "sqlite", code, "sql: not authorized: expected a statement that only reads");
  } else if (code != SQLITE_OK) {
    failure_set(failure, "sqlite", sqlite3_extended_errcode(connection), "sql: %s", sqlite3_errmsg(connection));
  } else if (statement == NULL || second != NULL) {
    failure_set(failure, CATALOG_DOMAIN, CATALOG_EARGUMENT, "sql: expected one statement, not %s",
                statement == NULL ? "none" : "several");
    code = SQLITE_ERROR;
  }
  sqlite3_set_authorizer(connection, NULL, NULL);
  sqlite3_finalize(second);
  if (code == SQLITE_OK)
    return statement;
  sqlite3_finalize(statement);
  return NULL;
}

/* Binds the values of a JSON text, which SQLite itself parses. */
static bool bind(sqlite3 *connection, sqlite3_stmt *statement, const char *parameters, failure_t *failure) {
  sqlite3_stmt *each = NULL;
  if (sqlite3_prepare_v2(connection, "select value from json_each(?1)", -1, &each, NULL) != SQLITE_OK ||
      sqlite3_bind_text(each, 1, parameters, -1, SQLITE_STATIC) != SQLITE_OK) {
    database_failure(connection, failure);
    sqlite3_finalize(each);
    return false;
  }
  int expected = sqlite3_bind_parameter_count(statement), given = 0, code;
  bool good = true;
  while (good && (code = sqlite3_step(each)) == SQLITE_ROW) {
    given++;
    if (given <= expected && sqlite3_bind_value(statement, given, sqlite3_column_value(each, 0)) != SQLITE_OK) {
      good = database_failure(connection, failure);
    }
  }
  if (good && code != SQLITE_DONE) {
    good = failure_set(failure, "sqlite", sqlite3_extended_errcode(connection),
                       "parameters: %s: expected a JSON array, not %s", sqlite3_errmsg(connection), parameters);
  } else if (good && given != expected) {
    good = failure_set(failure, CATALOG_DOMAIN, CATALOG_EARGUMENT, "parameters: %d for a statement which has %d", given,
                       expected);
  }
  sqlite3_finalize(each);
  return good;
}

bool files_query(sqlite3 *connection, const char *sql, const char *parameters, buffer_t *json, failure_t *failure) {
  sqlite3_stmt *statement = prepare(connection, sql, failure);
  if (statement == NULL)
    return false;
  bool good = bind(connection, statement, parameters, failure);
  if (good && !buffer_append_text(json, "["))
    good = failure_out_of_memory(failure);
  for (bool first = true; good; first = false) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
      break;
    if (code != SQLITE_ROW) {
      good = database_failure(connection, failure);
    } else if ((!first && !buffer_append_text(json, ",\n ")) || !json_row(json, statement)) {
      good = failure_out_of_memory(failure);
    }
  }
  if (good && !buffer_append_text(json, "]"))
    good = failure_out_of_memory(failure);
  sqlite3_finalize(statement);
  return good;
}
