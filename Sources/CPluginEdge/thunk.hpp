// Declarations shared by the sources of the thunks.
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

/// The place of a scalar argument at the entry of a thunk: a saved register, or the caller's stack.
struct plugin_scalar_place {
  bool is_on_stack;
  uint8_t index;
};

/// A pool of thunks. Never freed.
struct plugin_thunk_pool {
  ffi_cif *cif;
  const plugin_thunk_behaviour_t *behaviour;
  void *origin;
  int32_t context;
  std::atomic<plugin_thunk_kind_t> kind; // of new thunks
  plugin_scalar_place *places;           // of the arguments, for PLUGIN_THUNK_SCALARS

  pthread_mutex_t lock;
  plugin_thunk *first; // the resting thunks, the longest first
  plugin_thunk *last;
  size_t resting;
};

/// A thunk. Never freed, and never moved to another pool.
struct plugin_thunk {
  // A ffi_go_closure, for PLUGIN_THUNK_ANY: the trampoline jumps to `target` with this struct's address in a register.
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

/// Makes a thunk with a trampoline that leads to it; NULL when memory has run out, or the system forbids executable
/// pages.
plugin_thunk *trampoline_new() noexcept;

/// Runs the body of a thunk, or reports that the thunk is not live.
void enter(plugin_thunk *thunk, void *const *arguments, void *result) noexcept;

/// Returns the places of a function's scalar arguments; NULL if they are not all scalars, or memory has run out.
plugin_scalar_place *scalar_places(const ffi_cif *cif) noexcept;

} // namespace plugin

/// The target of the trampolines of scalar callbacks.
extern "C" void plugin_thunk_scalars(void);
/// Called by that target with the registers it saved. `result` is 16 bytes.
extern "C" void plugin_thunk_enter_scalars(plugin_thunk *thunk, uint64_t *registers, uint64_t *stack, void *result);

#endif // PLUGIN_THUNK_HPP
