/* Open files as arguments and results. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static promise_bytes_t content(int file) {
  size_t capacity = 1 << 16;
  uint8_t *bytes = malloc(capacity);
  size_t length = 0;
  ssize_t count = 0;
  while (length < capacity && (count = read(file, bytes + length, capacity - length)) > 0)
    length += (size_t)count;
  return (promise_bytes_t){bytes, length};
}

static int32_t write_text(int file, promise_str_t text) {
  return write(file, text.data, text.length) == (ssize_t)text.length ? 0 : errno;
}

static int open_file(const char *path) {
  return open(path, O_RDONLY | O_NOCTTY);
}

static int pipe_with(promise_str_t text) {
  int ends[2];
  if (pipe(ends) != 0 || write_text(ends[1], text) != 0)
    return -1;
  close(ends[1]);
  return ends[0];
}

static uint64_t inode(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* The number of the pipe that ends() made last. */
static uint64_t made;

static uint64_t last_pipe(void) {
  return made;
}

static int32_t count_pipes(uint64_t number) {
  int32_t count = 0;
  for (int file = 0; file < 4096; file++)
    count += inode(file) == number;
  return count;
}

/* Stores both ends before it fails. */
static int32_t ends(bool fails, int *reader, int *writer) {
  int ends[2];
  if (pipe(ends) != 0)
    return errno;
  made = inode(ends[0]);
  *reader = ends[0];
  *writer = ends[1];
  return fails ? 7 : 0;
}

static promise_status_t checked(promise_str_t text, int *result, promise_value_t *error) {
  (void)error;
  if (text.length > 0)
    *result = pipe_with(text);
  return PROMISE_OK;
}

static int socket_end(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || write(ends[1], "x", 1) != 1)
    return -1;
  close(ends[1]);
  return ends[0];
}

static int same(int file) {
  return file;
}

/* A duplicate, as a plugin that keeps a file, or returns it, has to make. */
static int duplicate(int file) {
  return dup(file);
}

static int minus(int32_t number) {
  return number;
}

static int32_t reopen(int file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  int opened = open(path, O_RDWR);
  if (opened < 0)
    return errno;
  close(opened);
  return 0;
}

static bool is_closed_by_exec(int file) {
  return (fcntl(file, F_GETFD) & FD_CLOEXEC) != 0;
}

static int32_t count_descriptors(void) {
  return entries_of("/proc/self/fd");
}

static promise_t *hold(int file) {
  (void)file;
  return pending_promise();
}

static void die(int file) {
  (void)file;
  raise(SIGKILL);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("content(file: fd) -> own(free) bytes", content),
    FUNCTION("write_text(file: fd, text: str) -> i32", write_text),
    FUNCTION("open_file(path: cstr) -> fd ! errno", open_file),
    FUNCTION("pipe_with(text: str) -> fd", pipe_with),
    FUNCTION("ends(fails: bool, reader: out fd, writer: out fd) -> i32 ! nonzero", ends),
    FUNCTION("last_pipe() -> u64", last_pipe),
    FUNCTION("count_pipes(number: u64) -> i32", count_pipes),
    FUNCTION("checked(text: str) -> fd !", checked),
    FUNCTION("socket_end() -> fd", socket_end),
    FUNCTION("same(file: fd) -> fd", same),
    FUNCTION("duplicate(file: fd) -> fd", duplicate),
    FUNCTION("number(number: i32) -> fd", minus),
    FUNCTION("minus(number: i32) -> fd ! negative", minus),
    FUNCTION("reopen(file: fd) -> i32", reopen),
    FUNCTION("is_closed_by_exec(file: fd) -> bool", is_closed_by_exec),
    FUNCTION("count_descriptors() -> i32", count_descriptors),
    FUNCTION("hold(file: fd) -> promise<void>", hold),
    FUNCTION("die(file: fd)", die),
};

PLUGIN("org.example.files")
