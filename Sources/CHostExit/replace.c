#define _GNU_SOURCE
#include "host_exit.h"

#include <dlfcn.h>
#include <plugin_activity.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's functions. Found at the start: dlsym() may wait for a lock in a child of fork(). */
static int (*next_execvpe)(const char *, char *const[], char *const[]);
static int (*next_fexecve)(int, char *const[], char *const[]);
static int (*next_daemon)(int, int);

__attribute__((constructor)) static void find(void) {
  next_execvpe = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
  next_fexecve = (int (*)(int, char *const[], char *const[]))dlsym(RTLD_NEXT, "fexecve");
  next_daemon = (int (*)(int, int))dlsym(RTLD_NEXT, "daemon");
}

static int run(const char *path, char *const argv[], char *const envp[]) {
  return (int)syscall(SYS_execve, path, argv, envp);
}

int execve(const char *path, char *const argv[], char *const envp[]) {
  plugin_activity_replaces("execve");
  return run(path, argv, envp);
}

int execv(const char *path, char *const argv[]) {
  plugin_activity_replaces("execv");
  return run(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[]) {
  plugin_activity_replaces("execvpe");
  return next_execvpe(file, argv, envp);
}

int execvp(const char *file, char *const argv[]) {
  plugin_activity_replaces("execvp");
  return next_execvpe(file, argv, environ);
}

int fexecve(int file, char *const argv[], char *const envp[]) {
  plugin_activity_replaces("fexecve");
  return next_fexecve(file, argv, envp);
}

int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags) {
  plugin_activity_replaces("execveat");
  return (int)syscall(SYS_execveat, folder, path, argv, envp, flags);
}

/* The parent ends with the status 0, by a call that only the C library sees. */
int daemon(int keeps_folder, int keeps_streams) {
  plugin_activity_replaces("daemon");
  return next_daemon(keeps_folder, keeps_streams);
}

/* The count of the arguments before NULL. */
static size_t count(const char *first, va_list rest) {
  size_t count = first != NULL;
  while (first != NULL && va_arg(rest, char *) != NULL)
    count++;
  return count;
}

/* Stores the arguments and NULL. */
static void collect(char **argv, size_t count, const char *first, va_list *rest) {
  argv[0] = (char *)first;
  for (size_t i = 1; i <= count; i++)
    argv[i] = va_arg(*rest, char *);
}

#define ARGUMENTS(argv, first, rest)                                                                                   \
  va_list rest;                                                                                                        \
  va_start(rest, first);                                                                                               \
  size_t length = count(first, rest);                                                                                  \
  va_end(rest);                                                                                                        \
  char *argv[length + 1];                                                                                              \
  va_start(rest, first);                                                                                               \
  collect(argv, length, first, &rest)

int execl(const char *path, const char *first, ...) {
  plugin_activity_replaces("execl");
  ARGUMENTS(argv, first, rest);
  va_end(rest);
  return run(path, argv, environ);
}

int execlp(const char *file, const char *first, ...) {
  plugin_activity_replaces("execlp");
  ARGUMENTS(argv, first, rest);
  va_end(rest);
  return next_execvpe(file, argv, environ);
}

int execle(const char *path, const char *first, ...) {
  plugin_activity_replaces("execle");
  ARGUMENTS(argv, first, rest);
  char *const *envp = va_arg(rest, char *const *);
  va_end(rest);
  return run(path, argv, envp);
}
