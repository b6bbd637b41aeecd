// The state of a thread that calls functions of plugins.

#include "plugin_activity.h"

#include <clocale>
#include <csignal>
#include <cstdint>
#include <pthread.h>
#include <sys/mman.h>

namespace {

constexpr size_t stack_size = 64 * 1024;

/// Frees the signal stack of a thread that ends.
void free_stack(void *memory) {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, stack_size);
}

/// The key of the thread's signal stack; none if the system has no more keys.
struct stack_key {
  pthread_key_t key;
  bool exists = pthread_key_create(&key, free_stack) == 0;
};

const stack_key &key_of_stacks() {
  static stack_key key;
  return key;
}

bool use_stack(void *memory) {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = stack_size;
  return sigaltstack(&stack, nullptr) == 0;
}

} // namespace

void plugin_activity_prepare_thread() {
  stack_t current;
  if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0)
    return;
  void *memory = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  const stack_key &key = key_of_stacks();
  if (!key.exists || pthread_setspecific(key.key, memory) != 0 || !use_stack(memory))
    free_stack(memory);
}

plugin_thread_state_t plugin_thread_state(void) {
  plugin_thread_state_t state;
  pthread_sigmask(SIG_SETMASK, nullptr, &state.blocked);
  return state;
}

void plugin_thread_restore(const plugin_thread_state_t *state) {
  pthread_sigmask(SIG_SETMASK, &state->blocked, nullptr);
  uselocale(LC_GLOBAL_LOCALE);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
  const stack_key &key = key_of_stacks();
  void *memory = key.exists ? pthread_getspecific(key.key) : nullptr;
  if (memory != nullptr)
    use_stack(memory);
}
