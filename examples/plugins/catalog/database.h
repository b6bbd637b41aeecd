/* database.h - SQLite databases, each with one connection that lives on a thread of its own. */
#ifndef CATALOG_DATABASE_H
#define CATALOG_DATABASE_H

#include <sqlite3.h>

#include "failure.h"
#include "job.h"

typedef struct database database_t;

/* Returns a reference to the database of that path, the same for each spelling of it, whose thread is started by the
 * first call. Returns NULL with `*failure` filled if that is not possible. Opens no file yet. [any thread] */
database_t *database_at(const char *path, failure_t *failure);

/* Releases a reference; call it once the job for which it was taken has run. The last one ends the thread if there is
 * no connection. [any thread] */
void database_release(database_t *database);

/* Runs a job on the database's thread; takes over one reference to it. [any thread] */
void database_submit(database_t *database, job_t *job);

/* Returns the connection; opens it if it is closed. Creates the file only if `create` is true. Until the next call, a
 * statement ends with SQLITE_INTERRUPT when `job` is cancelled. NULL: `*failure` is filled. [the database's thread] */
sqlite3 *database_connection(database_t *database, bool create, job_t *job, failure_t *failure);

/* Closes the connection, if there is one; the next call of database_connection() opens another. [the database's
 * thread] */
void database_disconnect(database_t *database);

/* Fills `*failure` with SQLite's last error: domain "sqlite", the extended code, the message. */
bool database_failure(sqlite3 *connection, failure_t *failure);

/* Cancels all jobs, waits for them, closes every connection and ends the threads. [one thread] */
void databases_stop(void);

#endif /* CATALOG_DATABASE_H */
