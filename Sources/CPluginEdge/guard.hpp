// The catch-all around foreign code, shared by all edges.
#ifndef PLUGIN_GUARD_HPP
#define PLUGIN_GUARD_HPP

#include <cxxabi.h>
#include <pthread.h>

#include "float_mode.hpp"
#include "plugin_edge.h"

#ifdef __GLIBC__
// The functions behind pthread_cleanup_push() and pthread_cleanup_pop() in C: they push a buffer on the thread's list,
// and pop it.
extern "C" void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
extern "C" void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);
#endif

namespace plugin {

/// Fills `fault` from the exception that is being handled.
void describe_exception(plugin_fault_t *fault) noexcept;

/// The unwinding state of this thread in the C and C++ runtimes. It is restored where foreign code is left in a way
/// that those runtimes do not expect.
class unwinding_state {
public:
  unwinding_state() noexcept : globals(of_thread()) {
    // The caller may be handling an exception, and only a thread that handles none can catch an exception foreign to
    // C++.
    outer = globals->caught;
    globals->caught = nullptr;
#ifdef __GLIBC__
    // The buffer records the previous head of the list.
    __pthread_register_cancel(&cleanup);
    __pthread_unregister_cancel(&cleanup);
#endif
  }

  unwinding_state(const unwinding_state &) = delete;

  /// Drops the exception being handled without ending it: ending it would make its thrower kill the process (glibc on
  /// the unwinding of pthread_exit(), Rust on a panic).
  void forget() noexcept {
    globals->caught = nullptr;
#ifdef __GLIBC__
    // Pops the buffers of frames that were unwound.
    __pthread_unregister_cancel(&cleanup);
#endif
  }

  void restore() noexcept {
    globals->caught = outer;
  }

private:
  /// The beginning of the per-thread globals of the C++ ABI.
  struct exception_globals {
    void *caught;
    unsigned int uncaught;
  };

  /// The globals of this thread, which never move. Kept here, because the runtime's function looks its own library's
  /// thread-local memory up at each call, which a short call of a plugin would feel.
  static exception_globals *of_thread() noexcept {
    static thread_local exception_globals *found = nullptr;
    if (found == nullptr)
      found = reinterpret_cast<exception_globals *>(abi::__cxa_get_globals());
    return found;
  }

  exception_globals *globals;
  void *outer;
#ifdef __GLIBC__
  __pthread_unwind_buf_t cleanup;
#endif
};

/// Runs foreign code. Returns how the code was left.
template <typename Body> plugin_fault_kind_t guard(plugin_fault_t *fault, Body body) noexcept {
  unwinding_state state;
  float_mode mode;
  plugin_fault_kind_t kind = PLUGIN_FAULT_NONE;
  try {
    body();
  } catch (abi::__forced_unwind &) {
    *fault = {PLUGIN_FAULT_THREAD_EXIT, nullptr, nullptr};
    kind = fault->kind;
    state.forget();
  } catch (...) {
    describe_exception(fault);
    kind = fault->kind;
    if (kind == PLUGIN_FAULT_FOREIGN_EXCEPTION)
      state.forget();
  }
  state.restore();
  mode.restore();
  return kind;
}

} // namespace plugin

#endif // PLUGIN_GUARD_HPP
