#define _GNU_SOURCE
#include "check_regions.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { PATTERN = 0xA5, STACK = 1 << 16, REGIONS = 1 << 14 };

static region_t regions[REGIONS];
static size_t region_count;
static int report_descriptor;
static const char *prepares;
static size_t page;

void plugin_check_end(int32_t status) {
  /* Not _exit(), which plugin-host reports. */
  for (;;)
    syscall(SYS_exit_group, status);
}

static const char *access_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return context->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
  (void)context;
  return "accesses";
#endif
}

/* The kind of a crash: an access, or the end of a process that finds a mistake itself. */
static const char *crash_of(int number, const ucontext_t *context) {
  switch (number) {
  case SIGSEGV:
  case SIGBUS:
    return access_of(context);
  case SIGABRT:
    return "aborts";
  default:
    return "traps";
  }
}

static const char *place_of(const region_t *region, const uint8_t *address) {
  if (!region->live && !region->is_kept)
    return "after the call";
  if (address < region->data)
    return "before";
  return address < region->data + region->size ? "though it is const" : "beyond";
}

static bool is_in(const region_t *region, const uint8_t *address) {
  return address >= region->start && address < region->start + (region->pages + 2) * page;
}

/* Runs on a stack of its own. Calls only async-signal-safe functions and snprintf(). */
static void on_fault(int number, siginfo_t *info, void *context) {
  const uint8_t *address = info->si_addr;
  char line[256];
  if (plugin_check_faulted())
    plugin_check_end(PLUGIN_CHECK_FAULT);
  int length = 0;
  for (size_t i = region_count; i-- > 0 && length == 0;) {
    const region_t *region = &regions[i];
    if (!is_in(region, address))
      continue;
    const char *function = region->argument.function;
    length = snprintf(line, sizeof line, "fault %s\t%s\t%s\t%s\n", access_of(context), place_of(region, address),
                      region->argument.name, function ? function : "");
  }
  if (length == 0)
    length = snprintf(line, sizeof line, "crash %s\t%p\t\t%s\n", crash_of(number, context), info->si_addr,
                      prepares ? prepares : "");
  (void)!write(report_descriptor, line, (size_t)length);
  plugin_check_end(PLUGIN_CHECK_FAULT);
}

void plugin_check_begin(int32_t report) {
  static uint8_t stack[STACK];
  report_descriptor = report;
  page = (size_t)sysconf(_SC_PAGESIZE);
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  int const numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaction(numbers[i], &action, NULL);
}

void plugin_check_prepare(const char *name) {
  prepares = name;
}

plugin_check_memory_t plugin_check_map(size_t size, bool aligned, const char *name) {
  size_t pages = (size + 15) / page + 1;
  if (region_count == REGIONS)
    return (plugin_check_memory_t){NULL, 0};
  uint8_t *start = mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return (plugin_check_memory_t){NULL, 0};
  uint8_t *first = start + page, *end = first + pages * page;
  if (mprotect(first, pages * page, PROT_READ | PROT_WRITE) != 0) {
    munmap(start, (pages + 2) * page);
    return (plugin_check_memory_t){NULL, 0};
  }
  memset(first, PATTERN, pages * page);
  uint8_t *data = end - size;
  if (aligned)
    data = (uint8_t *)((uintptr_t)data & ~(uintptr_t)15);
  memset(data, 0, size);
  regions[region_count++] = (region_t){start, data, pages, size, {name, prepares}, true, false, false};
  return (plugin_check_memory_t){data, size};
}

static region_t *region_of(plugin_check_memory_t memory) {
  for (size_t i = region_count; i-- > 0;)
    if (regions[i].data == memory.data && regions[i].live)
      return &regions[i];
  return NULL;
}

void plugin_check_protect(plugin_check_memory_t memory) {
  region_t *region = region_of(memory);
  if (region == NULL)
    return;
  mprotect(region->start + page, region->pages * page, PROT_READ);
  region->is_constant = true;
}

void plugin_check_keep(plugin_check_memory_t memory) {
  region_t *region = region_of(memory);
  if (region != NULL)
    region->is_kept = true;
}

void plugin_check_visit(void (*visit)(const region_t *region)) {
  for (size_t i = region_count; i-- > 0 && regions[i].live;)
    if (regions[i].argument.function == NULL)
      visit(&regions[i]);
}

static bool is_pattern(const uint8_t *from, const uint8_t *to) {
  while (from < to)
    if (*from++ != PATTERN)
      return false;
  return true;
}

bool plugin_check_is_argument(const void *address) {
  for (size_t i = 0; i < region_count; i++)
    if (is_in(&regions[i], address))
      return true;
  return false;
}

plugin_check_argument_t plugin_check_overwritten(void) {
  for (size_t i = region_count; i-- > 0 && regions[i].live;) {
    const region_t *region = &regions[i];
    const uint8_t *first = region->start + page;
    if (!is_pattern(first, region->data))
      return region->argument;
    if (!is_pattern(region->data + region->size, first + region->pages * page))
      return region->argument;
  }
  return (plugin_check_argument_t){NULL, NULL};
}

plugin_check_words_t plugin_check_callback(void) {
  return (plugin_check_words_t){{0, 0}};
}

void plugin_check_retire(void) {
  for (size_t i = region_count; i-- > 0 && regions[i].live;) {
    regions[i].live = false;
    if (regions[i].is_kept)
      continue;
    mprotect(regions[i].start + page, regions[i].pages * page, PROT_NONE);
    madvise(regions[i].start + page, regions[i].pages * page, MADV_DONTNEED);
  }
}
