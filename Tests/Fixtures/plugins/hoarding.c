/* Uses memory in many ways. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int32_t echo(int32_t value) {
  return value;
}

static void *wait_forever(void *context) {
  for (;;)
    pause();
  return context;
}

/* Starts threads that stay. Returns how many the system has allowed, at most `count`. */
static uint32_t start_threads(uint32_t count) {
  pthread_t thread;
  for (uint32_t index = 0; index < count; index++)
    if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
      return index;
  return count;
}

static int32_t make_writable(uint64_t size) {
  void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? -1 : error_of(mprotect(memory, size, PROT_READ | PROT_WRITE));
}

/* Makes two mappings writable at once. */
static int32_t make_both_writable(uint64_t size) {
  void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, size / 2, PROT_READ) != 0)
    return -1;
  return error_of(mprotect(memory, size, PROT_READ | PROT_WRITE));
}

/* Maps memory of a size that no allocator requests. */
static int32_t map_memory(uint64_t size) {
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}

/* Maps memory that grows downwards several times, and writes to all of it. */
static int32_t map_stacks(uint64_t size, uint32_t count) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN;
  for (uint32_t index = 0; index < count; index++) {
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
      return errno;
    memset(memory, 1, size);
  }
  return 0;
}

/* The size to which this process may extend the stack of its main thread. */
static uint64_t limit_of_stack(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_max : 0;
}

/* Gives half of a mapping back. */
static int32_t shrink(uint64_t size) {
  void *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED || mremap(memory, size, size / 2, 0) == MAP_FAILED ? errno : 0;
}

/* Makes a shared mapping writable, which takes no memory of the process. */
static int32_t protect_shared(const char *path) {
  int descriptor = open(path, O_RDWR);
  void *memory = mmap(NULL, 1 << 30, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return memory == MAP_FAILED ? errno : error_of(mprotect(memory, 1 << 30, PROT_READ | PROT_WRITE));
}

static int32_t extend_heap(uint64_t size) {
  return sbrk((intptr_t)size) == (void *)-1 ? errno : 0;
}

/* Allocates `count` blocks, and keeps them. */
static int32_t hoard(uint64_t size, uint32_t count) {
  for (uint32_t index = 0; index < count; index++)
    if (malloc(size) == NULL)
      return ENOMEM;
  return 0;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("echo(value: i32) -> i32", echo),
    FUNCTION("start_threads(count: u32) -> u32", start_threads),
    FUNCTION("make_writable(size: u64) -> i32", make_writable),
    FUNCTION("make_both_writable(size: u64) -> i32", make_both_writable),
    FUNCTION("map_memory(size: u64) -> i32", map_memory),
    FUNCTION("map_stacks(size: u64, count: u32) -> i32", map_stacks),
    FUNCTION("limit_of_stack() -> u64", limit_of_stack),
    FUNCTION("shrink(size: u64) -> i32", shrink),
    FUNCTION("protect_shared(path: cstr) -> i32", protect_shared),
    FUNCTION("extend_heap(size: u64) -> i32", extend_heap),
    FUNCTION("hoard(size: u64, count: u32) -> i32", hoard),
};

PLUGIN("test.hoarding")
