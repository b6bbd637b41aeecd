// The catch-all that every edge shares.
#ifndef PLUGIN_GUARD_HPP
#define PLUGIN_GUARD_HPP

#include <cxxabi.h>
#include <pthread.h>

#include "plugin_edge.h"

#ifdef __GLIBC__
// What pthread_cleanup_push() and pthread_cleanup_pop() are in C: they put a buffer at the head of the thread's list, and
// take it away.
extern "C" void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
extern "C" void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);
#endif

namespace plugin {

/// Fills `fault` from the exception that is being handled.
void describe_exception(plugin_fault_t *fault) noexcept;

/// What the runtimes of C and C++ know of this thread's unwinding, which is put back where code of strangers is left in
/// another way than those runtimes expect.
class unwinding_state {
public:
  unwinding_state() noexcept : globals(reinterpret_cast<exception_globals *>(abi::__cxa_get_globals())) {
    // Whoever calls us may be handling an exception, and only a thread that handles none can catch what is not of C++.
    outer = globals->caught;
    globals->caught = nullptr;
#ifdef __GLIBC__
    // The buffer remembers what was the head before.
    __pthread_register_cancel(&cleanup);
    __pthread_unregister_cancel(&cleanup);
#endif
  }

  unwinding_state(const unwinding_state &) = delete;

  /// Forgets the exception that is being handled rather than to end it, for which whoever threw it would have the process
  /// die: glibc if it unwinds for pthread_exit(), Rust if it panics.
  void forget() noexcept {
    globals->caught = nullptr;
#ifdef __GLIBC__
    // The buffers of the frames that are no more.
    __pthread_unregister_cancel(&cleanup);
#endif
  }

  void restore() noexcept {
    globals->caught = outer;
  }

private:
  /// The beginning of what the C++ ABI keeps for each thread.
  struct exception_globals {
    void *caught;
    unsigned int uncaught;
  };

  exception_globals *globals;
  void *outer;
#ifdef __GLIBC__
  __pthread_unwind_buf_t cleanup;
#endif
};

/// Runs code of strangers. Says how it was left.
template <typename Body> plugin_fault_kind_t guard(plugin_fault_t *fault, Body body) noexcept {
  unwinding_state state;
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
  return kind;
}

} // namespace plugin

#endif // PLUGIN_GUARD_HPP
