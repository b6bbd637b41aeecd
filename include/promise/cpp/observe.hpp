// promise/cpp/observe.hpp - hooks for lost errors, dumps, traces; see observe.h. Part of promise.hpp: read
// that first.
#ifndef PROMISE_CPP_OBSERVE_HPP
#define PROMISE_CPP_OBSERVE_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "promise.hpp"

namespace promises {

// Functions that report lost errors, on the thread where they happen, with promise<T>::id() of the promise. Each may be
// empty, but not all of them. An exception from one ends the process.
struct hooks {
  std::function<void(std::uint64_t id, const error &why)> unhandled_rejection{};
  std::function<void(std::uint64_t id, promise_state_t state, const value &content)> settled_again{};
  std::function<void(std::uint64_t id, std::uint64_t callbacks)> dropped_pending{};
};

// Replaces the hooks of this process, also those of another library or language.
inline void set_hooks(hooks calls) {
  auto context = std::make_unique<hooks>(std::move(calls));
  promise_hooks_t set = promise_hooks_t();
  set.size = sizeof set;
  if (context->unhandled_rejection)
    set.unhandled_rejection = [](void *ctx, std::uint64_t id, const promise_value_t *reason) noexcept {
      static_cast<const hooks *>(ctx)->unhandled_rejection(id, error(value::keep(*reason)));
    };
  if (context->settled_again)
    set.settled_again = [](void *ctx, std::uint64_t id, promise_state_t state,
                           const promise_value_t *content) noexcept {
      static_cast<const hooks *>(ctx)->settled_again(id, state, value::keep(*content));
    };
  if (context->dropped_pending)
    set.dropped_pending = [](void *ctx, std::uint64_t id, std::uint64_t callbacks) noexcept {
      static_cast<const hooks *>(ctx)->dropped_pending(id, callbacks);
    };
  set.ctx = context.release();
  set.free_ctx = detail::free_context<hooks>;
  detail::require(promise_set_hooks(&set), "promise_set_hooks");
}
// Removes the hooks.
inline void clear_hooks() {
  detail::require(promise_set_hooks(nullptr), "promise_set_hooks");
}

// Lists the pending promises and their settlers, a line each, and their number, for people to read.
inline std::string dump() {
  struct lines {
    std::string text{};
    bool complete = true;
  } all;
  const auto line = [](void *ctx, const char *text, std::size_t length) noexcept {
    auto &to = *static_cast<lines *>(ctx);
    try {
      to.text.append(text, length).push_back('\n');
    } catch (const std::bad_alloc &) {
      to.complete = false;
    }
  };
  detail::require(promise_dump_lines(line, &all), "promise_dump_lines");
  if (!all.complete)
    throw std::bad_alloc();
  return all.text;
}

// Starts a trace, in place of the one before, that records the newest events for write_trace().
inline void start_trace(std::uint64_t capacity) {
  promise_trace_t trace = promise_trace_t();
  trace.size = sizeof trace;
  trace.capacity = capacity;
  detail::require(promise_trace_start(&trace), "promise_trace_start");
}
// Starts a trace that calls f(const promise_trace_event_t &) for each event, on its thread. It must not throw.
template <class F, class = std::enable_if_t<std::is_invocable_v<F &, const promise_trace_event_t &>>>
void start_trace(F f, std::uint64_t capacity = 0) {
  auto context = std::make_unique<F>(std::move(f));
  promise_trace_t trace = promise_trace_t();
  trace.size = sizeof trace;
  trace.capacity = capacity;
  trace.event = [](void *ctx, const promise_trace_event_t *event) noexcept { (*static_cast<F *>(ctx))(*event); };
  trace.ctx = context.release();
  trace.free_ctx = detail::free_context<F>;
  detail::require(promise_trace_start(&trace), "promise_trace_start");
}
inline void stop_trace() {
  detail::require(promise_trace_stop(), "promise_trace_stop");
}
// Writes the recorded events to a file descriptor, as PROMISE_TRACE_FORMAT_PERFETTO or PROMISE_TRACE_FORMAT_GRAPHVIZ.
inline void write_trace(int descriptor, promise_trace_format_t format) {
  detail::require(promise_trace_write(descriptor, format), "promise_trace_write");
}

} // namespace promises

#endif // PROMISE_CPP_OBSERVE_HPP
