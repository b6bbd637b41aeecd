// What the parts of the thunks share.
#ifndef PLUGIN_THUNK_HPP
#define PLUGIN_THUNK_HPP

#include <atomic>
#include <cstddef>
#include <ffi.h>
#include <pthread.h>

#include "plugin_thunk.h"

#if defined(__x86_64__) && defined(__linux__) && FFI_GO_CLOSURES
#define PLUGIN_THUNK_HAS_TRAMPOLINES 1
#else
#define PLUGIN_THUNK_HAS_TRAMPOLINES 0
#endif

/// Where a scalar argument is when a thunk is entered: in a register that was saved, or on the caller's stack.
struct plugin_scalar_place {
  bool is_on_stack;
  uint8_t index;
};

/// Never freed.
struct plugin_thunk_pool {
  ffi_cif *cif;
  const plugin_thunk_behaviour_t *behaviour;
  void *origin;
  int32_t context;
  std::atomic<plugin_thunk_kind_t> kind; // of the thunks that it makes
  plugin_scalar_place *places;           // of the arguments, for PLUGIN_THUNK_SCALARS

  pthread_mutex_t lock;
  plugin_thunk *first; // resting, the longest first
  plugin_thunk *last;
  size_t resting;
};

/// Never freed, never another pool's.
struct plugin_thunk {
  // A ffi_go_closure, for PLUGIN_THUNK_ANY: the trampoline jumps to `target` with our address in a register.
  void *target;
  ffi_cif *cif;
  void (*run)(ffi_cif *, void *, void **, void *);

  plugin_thunk_pool *pool;
  plugin_thunk_kind_t kind;
  promise_function_t function;
  std::atomic<uint64_t> state;
  void *body;
  const void *context;
  plugin_thunk *next;
};

namespace plugin {

/// A thunk with the trampoline that leads to it; NULL: no memory, or the system lets nobody make executable pages.
plugin_thunk *trampoline_new() noexcept;

/// Runs what a thunk is for, or reports that it is not live.
void enter(plugin_thunk *thunk, void *const *arguments, void *result) noexcept;

/// How a function's scalar arguments are passed; NULL if they are not all scalars, or for want of memory.
plugin_scalar_place *scalar_places(const ffi_cif *cif) noexcept;

} // namespace plugin

/// Where trampolines of scalar callbacks jump to.
extern "C" void plugin_thunk_scalars(void);
/// Where that calls, with what it saved. `result` is 16 bytes.
extern "C" void plugin_thunk_enter_scalars(plugin_thunk *thunk, uint64_t *registers, uint64_t *stack, void *result);

#endif // PLUGIN_THUNK_HPP
