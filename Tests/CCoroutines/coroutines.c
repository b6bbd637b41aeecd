#include "coroutines.h"

#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_SIZE = 256 * 1024 };

struct coroutine {
  ucontext_t context;
  void (*entry)(void *argument);
  void *argument;
};

/* makecontext passes ints: a pointer takes two. */
static void start(unsigned high, unsigned low) {
  struct coroutine *coroutine = (struct coroutine *)((uintptr_t)high << 32 | low);
  coroutine->entry(coroutine->argument);
  abort();
}

struct coroutine *coroutine_here(void) {
  return calloc(1, sizeof(struct coroutine));
}

struct coroutine *coroutine_new(void (*entry)(void *argument), void *argument) {
  struct coroutine *coroutine = coroutine_here();
  void *stack = malloc(STACK_SIZE);
  if (coroutine == NULL || stack == NULL || getcontext(&coroutine->context) != 0) {
    free(stack);
    free(coroutine);
    return NULL;
  }
  coroutine->entry = entry;
  coroutine->argument = argument;
  coroutine->context.uc_stack.ss_sp = stack;
  coroutine->context.uc_stack.ss_size = STACK_SIZE;
  uintptr_t address = (uintptr_t)coroutine;
  makecontext(&coroutine->context, (void (*)(void))start, 2, (unsigned)(address >> 32), (unsigned)address);
  return coroutine;
}

void coroutine_switch(struct coroutine *from, struct coroutine *to) {
  swapcontext(&from->context, &to->context);
}
