// promise/cpp/runtime.hpp - objects, memory and threads of the library; see runtime.h. Part of promise.hpp: read that
// first.
#ifndef PROMISE_CPP_RUNTIME_HPP
#define PROMISE_CPP_RUNTIME_HPP

#include <cstdint>
#include <memory>
#include <utility>

#include "executor.hpp"

namespace promises {

// Counts the live objects by kind, and their memory; see promise_statistics() for the cost.
inline promise_statistics_t statistics() {
  promise_statistics_t counted = promise_statistics_t();
  counted.size = sizeof counted;
  detail::require(promise_statistics(&counted), "promise_statistics");
  return counted;
}

// Returns memory of free objects to the system. The result is the number of bytes.
inline std::int64_t trim() noexcept {
  return promise_trim();
}

namespace detail {
template <class F, class G> struct thread_hooks {
  F start;
  G stop;
};
} // namespace detail

// Makes the library's threads call start() before their first handler, and stop() before they end. Replaces the
// previous hooks; see promise_set_thread_hooks(). Neither may throw.
template <class F, class G> void set_thread_hooks(F start, G stop) {
  using both = detail::thread_hooks<F, G>;
  std::unique_ptr<both> context(new both{std::move(start), std::move(stop)});
  detail::require(promise_set_thread_hooks([](void *ctx) noexcept { static_cast<both *>(ctx)->start(); },
                                           [](void *ctx) noexcept { static_cast<both *>(ctx)->stop(); },
                                           context.release(), detail::free_context<both>),
                  "promise_set_thread_hooks");
}
// Removes the hooks; threads that called start() still call stop().
inline void clear_thread_hooks() {
  detail::require(promise_set_thread_hooks(nullptr, nullptr, nullptr, nullptr), "promise_set_thread_hooks");
}

} // namespace promises

#endif // PROMISE_CPP_RUNTIME_HPP
