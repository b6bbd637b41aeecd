// promise/cpp/timing.hpp - the operators of publishers on the times of events; see timing.h. Part of promise.hpp: read
// that first.
#ifndef PROMISE_CPP_TIMING_HPP
#define PROMISE_CPP_TIMING_HPP

#include <chrono>

#include "combine.hpp"

namespace promises {
namespace detail {

// A base class of publisher<T>. Without an executor the timer runs on a thread for timers.
template <class Publisher> class timed_operators {
public:
  // Publishes an event when no other one has followed it for the interval.
  template <class Rep, class Period> Publisher debounce(std::chrono::duration<Rep, Period> interval) const {
    return made("promise_publisher_debounce", promise_publisher_debounce, nullptr, interval);
  }
  template <class Rep, class Period>
  Publisher debounce(const executor &on, std::chrono::duration<Rep, Period> interval) const {
    return made("promise_publisher_debounce", promise_publisher_debounce, there(on.raw()), interval);
  }
  // Publishes one event in an interval: the first one, and with `latest` the latest one at its end.
  template <class Rep, class Period>
  Publisher throttle(std::chrono::duration<Rep, Period> interval, bool latest = true) const {
    return made("promise_publisher_throttle", promise_publisher_throttle, nullptr, interval, throttling(latest));
  }
  template <class Rep, class Period>
  Publisher throttle(const executor &on, std::chrono::duration<Rep, Period> interval, bool latest = true) const {
    return made("promise_publisher_throttle", promise_publisher_throttle, there(on.raw()), interval,
                throttling(latest));
  }
  // Publishes the same events, and fails with PROMISE_ETIMEDOUT when none has arrived for the interval.
  template <class Rep, class Period> Publisher timeout(std::chrono::duration<Rep, Period> interval) const {
    return made("promise_publisher_timeout", promise_publisher_timeout, nullptr, interval);
  }
  template <class Rep, class Period>
  Publisher timeout(const executor &on, std::chrono::duration<Rep, Period> interval) const {
    return made("promise_publisher_timeout", promise_publisher_timeout, there(on.raw()), interval);
  }

private:
  static std::uint32_t throttling(bool latest) noexcept {
    return latest ? 0 : PROMISE_THROTTLE_FIRST;
  }
  template <class Function, class Interval, class... Flags>
  Publisher made(const char *name, Function *function, promise_executor_t *on, Interval interval,
                 Flags... flags) const {
    promise_publisher_t *source = static_cast<const Publisher &>(*this).raw();
    return Publisher::adopt(require(function(on, source, nanoseconds(interval), flags...), name));
  }
};

} // namespace detail
} // namespace promises

#endif // PROMISE_CPP_TIMING_HPP
