#define _XOPEN_SOURCE 700

#include "database.h"

#include <stdlib.h>
#include <string.h>

/* The wait of a statement for another process that has locked the file: BUSY_TIMES attempts, BUSY_MILLISECONDS
 * apart. */
enum { BUSY_TIMES = 500, BUSY_MILLISECONDS = 10 };

/* The number of instructions of SQLite's virtual machine between two checks for cancellation. */
enum { INSTRUCTIONS = 1000 };

struct database {
  database_t *next;
  job_queue_t queue;   /* with one thread */
  sqlite3 *connection; /* for that thread alone; NULL while closed */
  size_t references;   /* guarded by `lock` */
  char path[];
};

/* The databases with a connection or a reference, and others whose threads are ending. Guarded by `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static database_t *databases, *ending;

/* Returns the path without links and dots, so that each spelling of a path is the same database; to be freed. The file
 * may not exist yet. Returns a copy of the path if there is no such folder, or if it names no file. NULL: no memory. */
static char *path_resolve(const char *path) {
  if (strcmp(path, ":memory:") == 0)
    return strdup(path);
  char *resolved = realpath(path, NULL);
  if (resolved != NULL)
    return resolved;
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(name - path));
  char *real_folder = folder == NULL ? NULL : realpath(folder, NULL);
  free(folder);
  if (real_folder == NULL)
    return strdup(path);
  size_t length = strlen(real_folder);
  resolved = realloc(real_folder, length + strlen(name) + 2);
  if (resolved == NULL) {
    free(real_folder);
    return NULL;
  }
  resolved[length] = '/';
  strcpy(resolved + length + 1, name);
  return resolved;
}

static database_t *database_new(const char *path, failure_t *failure) {
  size_t size = strlen(path) + 1;
  database_t *database = malloc(sizeof(database_t) + size);
  if (database == NULL) {
    failure_out_of_memory(failure);
    return NULL;
  }
  memcpy(database->path, path, size);
  database->connection = NULL;
  database->references = 0;
  int code = job_queue_start(&database->queue, 1);
  if (code != 0) {
    failure_set(failure, "errno", code, "no thread could be started for the database %s", path);
    free(database);
    return NULL;
  }
  return database;
}

/* Frees the databases whose threads have ended. Call with the lock held. */
static void free_ended(void) {
  for (database_t **at = &ending; *at != NULL;) {
    database_t *database = *at;
    if (job_queue_has_stopped(&database->queue)) {
      *at = database->next;
      free(database);
    } else {
      at = &database->next;
    }
  }
}

database_t *database_at(const char *given, failure_t *failure) {
  char *path = path_resolve(given);
  if (path == NULL) {
    failure_out_of_memory(failure);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  free_ended();
  database_t *database = databases;
  while (database != NULL && strcmp(database->path, path) != 0)
    database = database->next;
  if (database == NULL && (database = database_new(path, failure)) != NULL) {
    database->next = databases;
    databases = database;
  }
  if (database != NULL)
    database->references++;
  pthread_mutex_unlock(&lock);
  free(path);
  return database;
}

void database_release(database_t *database) {
  pthread_mutex_lock(&lock);
  if (--database->references == 0 && database->connection == NULL) {
    database_t **at = &databases;
    while (*at != database)
      at = &(*at)->next;
    *at = database->next;
    database->next = ending;
    ending = database;
    job_queue_close(&database->queue);
  }
  pthread_mutex_unlock(&lock);
}

void database_submit(database_t *database, job_t *job) {
  job_queue_submit(&database->queue, job);
}

static int stop_if_cancelled(void *job) {
  return job_is_cancelled(job);
}

static int wait_unless_cancelled(void *job, int times) {
  if (job_is_cancelled(job) || times >= BUSY_TIMES)
    return 0;
  sqlite3_sleep(BUSY_MILLISECONDS);
  return !job_is_cancelled(job);
}

sqlite3 *database_connection(database_t *database, bool create, job_t *job, failure_t *failure) {
  if (database->connection == NULL) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    sqlite3 *opened = NULL;
    int code = sqlite3_open_v2(database->path, &opened, flags, NULL);
    if (code != SQLITE_OK) {
      if (opened == NULL) {
        failure_out_of_memory(failure);
      } else {
        failure_set(failure, "sqlite", sqlite3_extended_errcode(opened), "%s: %s", database->path,
                    sqlite3_errmsg(opened));
      }
      sqlite3_close(opened);
      return NULL;
    }
    sqlite3_extended_result_codes(opened, 1);
    database->connection = opened;
  }
  sqlite3_progress_handler(database->connection, INSTRUCTIONS, stop_if_cancelled, job);
  sqlite3_busy_handler(database->connection, wait_unless_cancelled, job);
  return database->connection;
}

void database_disconnect(database_t *database) {
  if (database->connection == NULL)
    return;
  sqlite3_progress_handler(database->connection, 0, NULL, NULL);
  sqlite3_busy_handler(database->connection, NULL, NULL);
  sqlite3_close(database->connection);
  database->connection = NULL;
}

bool database_failure(sqlite3 *connection, failure_t *failure) {
  return failure_set(failure, "sqlite", sqlite3_extended_errcode(connection), "%s", sqlite3_errmsg(connection));
}

static void stop(database_t *list) {
  while (list != NULL) {
    database_t *database = list;
    list = database->next;
    job_queue_stop(&database->queue);
    database_disconnect(database);
    free(database);
  }
}

void databases_stop(void) {
  pthread_mutex_lock(&lock);
  database_t *started = databases, *closed = ending;
  databases = ending = NULL;
  /* The releases of the jobs that are left free nothing. */
  for (database_t *database = started; database != NULL; database = database->next)
    database->references++;
  pthread_mutex_unlock(&lock);
  stop(started);
  stop(closed);
}
