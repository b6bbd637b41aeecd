// promise/cpp/reaction.hpp - function objects as handlers. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_REACTION_HPP
#define PROMISE_CPP_REACTION_HPP

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "convert.hpp"
#include "executor.hpp"

namespace promises {

namespace detail {

// The value type of the promise for a handler's result: T for promise<T>, which is adopted; std::string for text.
template <class R> struct result_of_handler { using type = std::decay_t<R>; };
template <> struct result_of_handler<const char *> { using type = std::string; };
template <> struct result_of_handler<char *> { using type = std::string; };
template <> struct result_of_handler<std::string_view> { using type = std::string; };
template <class T> struct result_of_handler<promise<T>> { using type = T; };
template <class R> using result_type = typename result_of_handler<std::decay_t<R>>::type;

template <class R> struct is_promise : std::false_type {};
template <class T> struct is_promise<promise<T>> : std::true_type {};

// The result type of a function object that is called with the value of a promise<T>, or without arguments for void.
template <class F, class T> struct called_with {
  static_assert(std::is_invocable_v<F &, decoded<T>>, "a handler is called with the promise's value: f(T)");
  using type = std::invoke_result_t<F &, decoded<T>>;
};
template <class F> struct called_with<F, void> {
  static_assert(std::is_invocable_v<F &>, "a handler of a promise<void> is called with nothing: f()");
  using type = std::invoke_result_t<F &>;
};
template <class F, class T> using called = typename called_with<F, T>::type;

// Calls `handler` with the results of `argument`, and stores its result in *out as the value of a promise<T>; without
// T, as a value of the result's own type. An exception is stored as the reason of a rejection, and is not rethrown.
//
// The result may refer to the arguments: these are destroyed at the end of the statement that encodes the result.
template <class T = void, class F, class... Make>
promise_verdict_t settle_with(promise_value_t *out, F &handler, const Make &...argument) noexcept {
  using result = std::decay_t<std::invoke_result_t<F &, decltype(argument())...>>;
  try {
    if constexpr (std::is_void_v<result>) {
      std::invoke(handler, argument()...);
      return PROMISE_FULFILL;
    } else if constexpr (is_promise<result>::value) {
      result adopted = std::invoke(handler, argument()...);
      if (!adopted)
        throw error("c++", PROMISE_EINVAL, "expected a promise from the handler, got one that was moved from");
      out->kind = PROMISE_KIND_PROMISE;
      out->as.ptr = adopted.release();
      return PROMISE_ADOPT;
    } else {
      using held = std::conditional_t<std::is_void_v<T>, result_type<result>, T>;
      *out = encode_as<held>(std::invoke(handler, argument()...)).release();
      return PROMISE_FULFILL;
    }
  } catch (...) {
    *out = reason_of_current();
    return PROMISE_REJECT;
  }
}

inline promise_verdict_t pass_on(promise_verdict_t verdict, const promise_value_t *in, promise_value_t *out) noexcept {
  if (promise_value_retain(in) != PROMISE_OK) // 2^26 references
    return PROMISE_REJECT;
  *out = *in;
  return verdict;
}

template <class T, class F> promise_verdict_t on_value(void *ctx, const promise_value_t *in, promise_value_t *out) {
  F &handler = *static_cast<F *>(ctx);
  if constexpr (std::is_void_v<T>)
    return settle_with(out, handler);
  else
    return settle_with(out, handler, [&]() -> decoded<T> { return codec<T>::decode(*in); });
}

// Handles a reason that was made from an `E`, or any reason as a std::exception_ptr. Other reasons pass through.
template <class T, class E, class F>
promise_verdict_t on_exception(void *ctx, const promise_value_t *in, promise_value_t *out) {
  F &handler = *static_cast<F *>(ctx);
  if constexpr (std::is_same_v<E, std::exception_ptr>) {
    return settle_with<T>(out, handler, [&]() { return exception_of(*in); });
  } else {
    try {
      std::rethrow_exception(exception_of(*in));
    } catch (const E &caught) {
      return settle_with<T>(out, handler, [&]() -> const E & { return caught; });
    } catch (...) {
      return pass_on(PROMISE_REJECT, in, out);
    }
  }
}

// Handles any reason, passed as an `error` even if it was made from another exception.
template <class T, class F> promise_verdict_t on_reason(void *ctx, const promise_value_t *in, promise_value_t *out) {
  F &handler = *static_cast<F *>(ctx);
  return settle_with<T>(out, handler, [&]() { return error(value::keep(*in)); });
}

// Two function objects that settle nothing, and must not throw. The second gets an error for a value that cannot be
// read as a `T`.
template <class T, class F, class G> class watcher {
public:
  watcher(F first, G second) : first_(std::move(first)), second_(std::move(second)) {}

  static void on_value(void *ctx, const promise_value_t *in) noexcept {
    auto &self = *static_cast<watcher *>(ctx);
    if constexpr (std::is_void_v<T>) {
      std::invoke(self.first_);
    } else {
      const auto call = [&](auto &&content) noexcept {
        std::invoke(self.first_, std::forward<decltype(content)>(content));
      };
      try {
        call(codec<T>::decode(*in));
      } catch (...) {
        std::invoke(self.second_, error(value::adopt(reason_of_current())));
      }
    }
  }
  static void on_reason(void *ctx, const promise_value_t *in) noexcept {
    std::invoke(static_cast<watcher *>(ctx)->second_, error(value::keep(*in)));
  }

private:
  F first_;
  G second_;
};

// Attaches handlers with `handler` as their context, and returns the promise that they settle.
template <class F>
promise_t *react(promise_t *to, const place &where, promise_handler_t on_fulfilled, promise_handler_t on_rejected,
                 const promise_type_t *of, F handler) {
  auto context = std::make_unique<F>(std::move(handler));
  promise_reaction_t reaction = promise_reaction_t();
  reaction.size = sizeof reaction;
  reaction.executor = where.raw_executor();
  reaction.token = where.raw_token();
  reaction.on_fulfilled = on_fulfilled;
  reaction.on_rejected = on_rejected;
  reaction.type = of;
  reaction.ctx = context.release();
  reaction.free_ctx = free_context<F>;
  return require(promise_react(to, &reaction), "promise_react");
}

} // namespace detail

} // namespace promises

#endif // PROMISE_CPP_REACTION_HPP
