// promise/cpp/event.hpp - the events of a stream, distinguished from its end. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_EVENT_HPP
#define PROMISE_CPP_EVENT_HPP

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "reaction.hpp"

namespace promises {

// The result of next_or_end(): the value of an event, or nothing at the end of the stream. The value may be VOID, and
// of an optional type without a value.
template <class T> class event : public std::optional<T> {
public:
  using std::optional<T>::optional;
  event(std::optional<T> content) : std::optional<T>(std::move(content)) {}
};

// The promise of an event holds an ARRAY of the value, so that no value is taken for the end, which is VOID.
template <class T> struct codec<event<T>> {
  static value encode(event<T> content) {
    std::vector<value> one;
    if (!content.has_value())
      return value();
    one.push_back(codec<T>::encode(std::move(*content)));
    return detail::array_of(std::move(one));
  }
  static event<T> decode(const promise_value_t &from) {
    if (from.kind == PROMISE_KIND_VOID)
      return event<T>();
    const promise_value_t *content = promise_value_at(&from, 0);
    if (content == nullptr)
      detail::mismatch("an ARRAY of an event", from);
    return event<T>(std::in_place, codec<T>::decode(*content));
  }
};

namespace detail {

// Handlers that make the result of next_or_end() of that of next().
struct event_or_end {
  static promise_verdict_t on_value(void *, const promise_value_t *in, promise_value_t *out) noexcept {
    const bool made = promise_value_retain(in) == PROMISE_OK && promise_value_array(out, in, 1) == PROMISE_OK;
    return made ? PROMISE_FULFILL : PROMISE_REJECT;
  }
  static promise_verdict_t on_reason(void *, const promise_value_t *in, promise_value_t *out) noexcept {
    const char *domain = promise_value_domain(in);
    const bool is_end =
        domain != nullptr && std::string_view(domain) == "promise" && promise_value_code(in) == PROMISE_EFINISHED;
    return is_end ? PROMISE_FULFILL : pass_on(PROMISE_REJECT, in, out);
  }
};

} // namespace detail

} // namespace promises

#endif // PROMISE_CPP_EVENT_HPP
