// promise/cpp/combine.hpp - many promises made into one, and time. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_COMBINE_HPP
#define PROMISE_CPP_COMBINE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "promise.hpp"

namespace promises {

// The fate of the inputs that are still pending after the outcome is decided.
enum class others : std::uint32_t { go_on = 0, are_cancelled = PROMISE_COMBINE_CANCEL_OTHERS };

// The outcome of one of many promises, for all_settled().
class outcome {
public:
  outcome(promise_state_t state, value content) noexcept : state_(state), content_(std::move(content)) {}
  bool is_fulfilled() const noexcept {
    return state_ == PROMISE_FULFILLED;
  }
  // The value or the reason.
  const value &content() const noexcept {
    return content_;
  }
  // Returns the value as a `T`; throws as promise<T>::get() does.
  template <class T> T get() const {
    if (!is_fulfilled())
      std::rethrow_exception(detail::exception_of(content_.raw()));
    return detail::taken<T>(content_.raw());
  }

private:
  promise_state_t state_;
  value content_;
};

template <> struct codec<outcome> {
  static outcome decode(const promise_value_t &from) {
    const promise_value_t *state = promise_value_find(&from, "state", 5);
    if (state == nullptr)
      detail::mismatch("a MAP with \"state\"", from);
    const auto ended = codec<promise_state_t>::decode(*state);
    const bool fulfilled = ended == PROMISE_FULFILLED;
    const promise_value_t *content = promise_value_find(&from, fulfilled ? "value" : "reason", fulfilled ? 5 : 6);
    if (content == nullptr)
      detail::mismatch("a MAP with \"value\" or \"reason\"", from);
    return outcome(ended, value::keep(*content));
  }
};

namespace detail {

template <class T> struct many { using type = std::vector<T>; };
template <> struct many<void> { using type = void; };

template <class T> std::vector<promise_t *> all_raw(const std::vector<promise<T>> &inputs) {
  std::vector<promise_t *> raw;
  raw.reserve(inputs.size());
  for (const promise<T> &input : inputs)
    raw.push_back(input.raw());
  return raw;
}

template <class T>
std::optional<std::size_t> wait_any(const std::vector<promise<T>> &inputs, std::int64_t nanoseconds) {
  const std::vector<promise_t *> raw = all_raw(inputs);
  std::size_t index = 0;
  const promise_status_t status = promise_wait_any(raw.data(), raw.size(), nanoseconds, &index);
  if (status == PROMISE_ETIMEDOUT)
    return std::nullopt;
  require(status, "promise_wait_any");
  return index;
}

template <class U, class T, class Combine>
promise<U> combine(Combine how, const char *what, const std::vector<promise<T>> &inputs, others rest) {
  const std::vector<promise_t *> raw = all_raw(inputs);
  return promise<U>::adopt(require(how(raw.data(), raw.size(), static_cast<std::uint32_t>(rest)), what));
}

} // namespace detail

// Returns a promise of all values in order; it is rejected with the first rejection. For inputs of type promise<void>
// it is a promise<void>.
template <class T>
promise<typename detail::many<T>::type> all(const std::vector<promise<T>> &inputs, others rest = others::go_on) {
  return detail::combine<typename detail::many<T>::type>(promise_all, "promise_all", inputs, rest);
}
// Combines promises of several types, none of them void, as all() does.
template <class... T> promise<std::tuple<T...>> all(const promise<T> &...inputs) {
  static_assert(sizeof...(T) > 0 && !(std::is_void_v<T> || ...),
                "a tuple holds no void: use then() to make it a value");
  promise_t *const raw[] = {inputs.raw()...};
  return promise<std::tuple<T...>>::adopt(detail::require(promise_all(raw, sizeof...(T), 0), "promise_all"));
}
// Returns a promise of the outcomes of all inputs, in order.
template <class T> promise<std::vector<outcome>> all_settled(const std::vector<promise<T>> &inputs) {
  return detail::combine<std::vector<outcome>>(promise_all_settled, "promise_all_settled", inputs, others::go_on);
}
// Returns a promise of the first value. If no input is fulfilled, it is rejected with an ARRAY of the reasons.
template <class T> promise<T> any(const std::vector<promise<T>> &inputs, others rest = others::go_on) {
  return detail::combine<T>(promise_any, "promise_any", inputs, rest);
}
// Returns a promise with the outcome of the input that is settled first.
template <class T> promise<T> race(const std::vector<promise<T>> &inputs, others rest = others::go_on) {
  return detail::combine<T>(promise_race, "promise_race", inputs, rest);
}

// Blocks until one input is settled, and returns its index; see promise_wait_any().
template <class T> std::size_t wait_any(const std::vector<promise<T>> &inputs) {
  return *detail::wait_any(inputs, -1);
}
// Blocks as wait_any() does, with a time limit. The result is empty if the time runs out first.
template <class T, class Rep, class Period>
std::optional<std::size_t> wait_any_for(const std::vector<promise<T>> &inputs,
                                        std::chrono::duration<Rep, Period> time) {
  return detail::wait_any(inputs, detail::nanoseconds(time));
}

// Returns a promise that is fulfilled after the time; timer.h says on which thread.
template <class Rep, class Period> promise<void> sleep(std::chrono::duration<Rep, Period> time) {
  return promise<void>::adopt(detail::require(promise_sleep(detail::nanoseconds(time)), "promise_sleep"));
}
template <class Rep, class Period> promise<void> sleep(const executor &on, std::chrono::duration<Rep, Period> time) {
  return promise<void>::adopt(
      detail::require(promise_sleep_on(detail::there(on.raw()), detail::nanoseconds(time)), "promise_sleep_on"));
}
// Returns a promise that ends as `of` does, after the time has passed since; with an executor, on it.
template <class T, class Rep, class Period>
promise<T> delay(const promise<T> &of, std::chrono::duration<Rep, Period> time) {
  return promise<T>::adopt(detail::require(promise_delay(of.raw(), detail::nanoseconds(time)), "promise_delay"));
}
template <class T, class Rep, class Period>
promise<T> delay(const executor &on, const promise<T> &of, std::chrono::duration<Rep, Period> time) {
  return promise<T>::adopt(detail::require(
      promise_delay_on(detail::there(on.raw()), of.raw(), detail::nanoseconds(time)), "promise_delay_on"));
}
// Returns a promise that ends as `of` does, or is rejected with code PROMISE_ETIMEDOUT after the time; with an
// executor, on it.
template <class T, class Rep, class Period>
promise<T> timeout(const promise<T> &of, std::chrono::duration<Rep, Period> time) {
  return promise<T>::adopt(detail::require(promise_timeout(of.raw(), detail::nanoseconds(time)), "promise_timeout"));
}
template <class T, class Rep, class Period>
promise<T> timeout(const executor &on, const promise<T> &of, std::chrono::duration<Rep, Period> time) {
  return promise<T>::adopt(detail::require(
      promise_timeout_on(detail::there(on.raw()), of.raw(), detail::nanoseconds(time)), "promise_timeout_on"));
}

} // namespace promises

#endif // PROMISE_CPP_COMBINE_HPP
