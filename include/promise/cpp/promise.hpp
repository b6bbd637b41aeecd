// promise/cpp/promise.hpp - typed promises. Part of ../../promise.hpp: read that first.
#ifndef PROMISE_CPP_PROMISE_HPP
#define PROMISE_CPP_PROMISE_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "handle.hpp"
#include "propagation.hpp"
#include "reaction.hpp"

namespace promises {

#if defined(__cpp_impl_coroutine)
namespace detail {
template <class T> struct coroutine; // coroutine.hpp
template <class T> class awaiter;
} // namespace detail
#endif

// The result of an interruptible wait.
enum class waited { settled, timed_out, interrupted };

// A reference to a promise whose value is a `T`: any type with a codec, void, or value for every kind. The library does
// not know `T`: a value from another language is checked when it is read, and a mismatch is an error of domain "c++".
//
// A `const promise` can be settled and waited for: only the reference is const.
template <class T> class promise : public handle<promise_t, promise_release> {
  static_assert(!std::is_reference_v<T> && !std::is_const_v<T>,
                "a promise holds a value that all who have it share: promise<T> with a plain T");

public:
  using value_type = T;
#if defined(__cpp_impl_coroutine)
  using promise_type = detail::coroutine<T>; // the name that the language asks for
#endif

  // Makes a pending promise.
  promise() : handle(detail::require(promise_new(), "promise_new")) {}
  // Takes over a reference that the C functions returned, or that another handle released.
  [[nodiscard]] static promise adopt(promise_t *owned) {
    return promise(detail::require(owned, "promise"));
  }
  // Makes a pending promise that calls f() when discard() ends it, on that thread. f should cancel the work, and must
  // not throw.
  template <class F> static promise discardable(F f) {
    auto context = std::make_unique<F>(std::move(f));
    const auto call = [](void *ctx) noexcept { (*static_cast<F *>(ctx))(); };
    return promise(detail::require(promise_new_discardable(call, context.release(), detail::free_context<F>),
                                   "promise_new_discardable"));
  }
  template <class U = T> static promise resolved(U &&content) {
    promise made;
    made.resolve(std::forward<U>(content));
    return made;
  }
  template <class U = T> static promise resolved() {
    promise made;
    made.template resolve<U>();
    return made;
  }
  template <class E> static promise rejected(E &&why) {
    promise made;
    made.reject(std::forward<E>(why));
    return made;
  }
  // Adds a reference.
  [[nodiscard]] promise copy() const {
    detail::require(promise_retain(raw()), "promise_retain");
    return promise(raw());
  }
  // Returns this promise with its value read as another type.
  template <class U> promise<U> as() const {
    return promise<U>::adopt(copy().release());
  }

  // ---- Settling. Callbacks run before these return. False if it was settled before. ----

  // Fulfils the promise: resolve(content), or resolve() for void. Throws an error of domain "c++" for a number that
  // does not fit, and for a null pointer as text.
  template <class U = T> bool resolve(U &&content) const {
    static_assert(!std::is_void_v<T>, "a promise<void> is resolved with nothing");
    if constexpr (std::is_void_v<T>)
      return false;
    else
      return settle(promise_resolve, "promise_resolve", detail::encode_as<T>(std::forward<U>(content)));
  }
  template <class U = T> bool resolve() const {
    static_assert(std::is_void_v<U>, "only a promise<void> is resolved with nothing: give the value");
    return settle(promise_resolve, "promise_resolve", value());
  }
  // Rejects with a value, an exception, or a std::exception_ptr. get() throws that same object again; other languages
  // see an ERROR with its type as domain and its text as message. An exception caught as its base is not sliced.
  template <class E> bool reject(E &&why) const {
    return settle(promise_reject, "promise_reject", detail::reason_from(std::forward<E>(why)));
  }
  // Cancels the promise at once; see promise_discard().
  bool discard() const {
    return accepted(promise_discard(raw()), "promise_discard");
  }
  // Cancels the promise with an exception or a value as the cause; see promise_discard_with().
  template <class E> bool discard(E &&because) const {
    return settle(promise_discard_with, "promise_discard_with", detail::reason_from(std::forward<E>(because)));
  }
  // Makes this promise end as `source` does; see promise_follow().
  bool follow(const promise &source) const {
    return accepted(promise_follow(raw(), source.raw()), "promise_follow");
  }

  // ---- Reading and waiting ----

  promise_state_t state() const {
    const promise_state_t now = promise_state(raw());
    if (now < 0)
      detail::fail(now, "promise_state");
    return now;
  }
  // The id in hooks and traces; no other promise ever has the same.
  std::uint64_t id() const noexcept {
    return reinterpret_cast<std::uintptr_t>(raw());
  }
  bool is_settled() const {
    return state() != PROMISE_PENDING;
  }
  // Blocks until the promise is settled; see promise_wait() for the places where that is refused.
  void wait() const {
    detail::require(promise_wait(raw(), -1), "promise_wait");
  }
  // Waits as wait() does, with a time limit; false if the time runs out first, at once if it is in the past.
  template <class Rep, class Period> bool wait_for(std::chrono::duration<Rep, Period> time) const {
    const promise_status_t status = promise_wait(raw(), detail::nanoseconds(time));
    if (status != PROMISE_ETIMEDOUT)
      detail::require(status, "promise_wait");
    return status == PROMISE_OK;
  }
  template <class Clock, class Duration> bool wait_until(std::chrono::time_point<Clock, Duration> when) const {
    while (true) {
      const std::int64_t left = detail::nanoseconds_until(when);
      if (wait_for(std::chrono::nanoseconds(left)))
        return true;
      if (left == 0)
        return false;
    }
  }
  // Waits as wait() does, but returns also when a signal handler has run on this thread; see
  // promise_wait_interruptible(). Call it again after that.
  waited wait_interruptible() const {
    return interruptible(-1);
  }
  template <class Rep, class Period> waited wait_interruptible_for(std::chrono::duration<Rep, Period> time) const {
    return interruptible(detail::nanoseconds(time));
  }
  // Waits, and returns the value. If the promise was rejected, throws the exception that it was rejected with, `error`
  // for other reasons, and `cancelled` if it was cancelled.
  T get() const {
    wait();
    return detail::taken<T>(result().raw());
  }
  // Waits as get() does, with a time limit; throws `error` with code PROMISE_ETIMEDOUT if the time runs out first.
  template <class Rep, class Period> T get_for(std::chrono::duration<Rep, Period> time) const {
    detail::require(promise_wait(raw(), detail::nanoseconds(time)), "promise_wait");
    return detail::taken<T>(result().raw());
  }
  // Returns the value of a settled promise, not converted. Throws as get() does, and `error` with code PROMISE_EPENDING
  // if the promise is pending.
  value result() const {
    promise_value_t ended;
    detail::require(promise_result(raw(), &ended), "promise_result");
    value content = value::adopt(ended);
    if (state() == PROMISE_REJECTED)
      std::rethrow_exception(detail::exception_of(content.raw()));
    return content;
  }

  // ---- Reactions. A function object is destroyed once, after it ran or when it never will. An exception of it rejects
  // the returned promise; a promise that it returns is followed. ----

  // Calls f(value), or f() for void, and returns a promise of the result.
  template <class F> auto then(F f) const {
    return then(place(), std::move(f));
  }
  template <class F> auto then(const place &where, F f) const {
    using to = promise<detail::result_type<detail::called<F, T>>>;
    return to::adopt(detail::react(raw(), where, detail::on_value<T, F>, nullptr, nullptr, std::move(f)));
  }
  // Calls f(const error &) for any reason. f returns a value in place of the promise's value, or a promise of it.
  template <class F> promise rescue(F f) const {
    return rescue(place(), std::move(f));
  }
  template <class F> promise rescue(const place &where, F f) const {
    check_rescue<F, const error &>();
    return promise(detail::react(raw(), where, nullptr, detail::on_reason<T, F>, nullptr, std::move(f)));
  }
  // Calls f(const error &) for a reason of the type `of`; other reasons pass through.
  template <class F> promise rescue(const type &of, F f) const {
    return rescue(place(), of, std::move(f));
  }
  template <class F> promise rescue(const place &where, const type &of, F f) const {
    check_rescue<F, const error &>();
    return promise(detail::react(raw(), where, nullptr, detail::on_reason<T, F>, of.raw(), std::move(f)));
  }
  // Calls f(const E &) for the exception that get() would throw, if that is an E; f(std::exception_ptr) for
  // rescue<std::exception_ptr>().
  template <class E, class F> promise rescue(F f) const {
    return rescue<E>(place(), std::move(f));
  }
  template <class E, class F> promise rescue(const place &where, F f) const {
    check_rescue<F, const E &>();
    return promise(detail::react(raw(), where, nullptr, detail::on_exception<T, E, F>, nullptr, std::move(f)));
  }
  // Calls f() after either outcome; the returned promise has the same outcome, unless f throws.
  template <class F> promise finally(F f) const {
    return finally(place(), std::move(f));
  }
  template <class F> promise finally(const place &where, F f) const {
    static_assert(std::is_invocable_v<F &>, "the function of finally is called without arguments: f()");
    static_assert(!detail::is_promise<std::decay_t<std::invoke_result_t<F &>>>::value,
                  "finally() does not wait for a promise: return it from then() and rescue()");
    return promise(
        detail::react(raw(), where, after<F, PROMISE_FULFILL>, after<F, PROMISE_REJECT>, nullptr, std::move(f)));
  }
  // Calls on_fulfilled(value) or on_rejected(const error &), the latter also for a value that cannot be read as a `T`.
  // Neither may throw: there is no promise that could be rejected, so it ends the process, as on a thread. So does a
  // lack of memory for the error.
  template <class F, class G> void observe(F on_fulfilled, G on_rejected) const {
    watch(promise_observe, std::move(on_fulfilled), std::move(on_rejected));
  }
  // Observes without interest in the promise; see promise_tap().
  template <class F, class G> void tap(F on_fulfilled, G on_rejected) const {
    watch(promise_tap, std::move(on_fulfilled), std::move(on_rejected));
  }

  // ---- Cancelling is advice; see cancel.h ----

  // Requests cancellation; false if the promise is settled.
  bool request_cancel(const value &reason = value()) const {
    const detail::own_requests whole;
    return accepted(promise_request_cancel(raw(), &reason.raw()), "promise_request_cancel");
  }
  bool cancel_requested() const {
    const std::int32_t asked = promise_cancel_requested(raw());
    if (asked < 0)
      detail::fail(asked, "promise_cancel_requested");
    return asked != 0;
  }
  // Calls f(const value &reason) when cancellation is requested. It must not throw.
  template <class F> void on_cancel_request(F f) const {
    auto context = std::make_unique<F>(std::move(f));
    const auto call = [](void *ctx, const promise_value_t *reason) noexcept {
      const detail::own_requests whole;
      (*static_cast<F *>(ctx))(static_cast<const value &>(value::keep(*reason)));
    };
    detail::require(promise_on_cancel_request(raw(), call, context.release(), detail::free_context<F>),
                    "promise_on_cancel_request");
  }
  // Adds the promise to a token: it is asked to cancel when the token is cancelled or invalidated.
  void add_to(const token &with) const {
    detail::require(promise_token_add(with.raw(), raw()), "promise_token_add");
  }
  void seal() const {
    detail::require(promise_seal(raw()), "promise_seal");
  }

#if defined(__cpp_impl_coroutine)
  // co_await: returns or throws as get() does, without blocking. The coroutine resumes on the settling thread. An
  // rvalue releases its reference while it waits, so that a request to cancel the coroutine reaches the promise.
  detail::awaiter<T> operator co_await() const &;
  detail::awaiter<T> operator co_await() &&;
  // Makes co_await resume at a place. If the executor drops it, or the token was invalidated, the coroutine is
  // destroyed.
  detail::awaiter<T> on(const place &where) const &;
  detail::awaiter<T> on(const place &where) &&;
#endif

private:
  explicit promise(promise_t *owned) noexcept : handle(owned) {}

  static bool accepted(promise_status_t status, const char *what) {
    if (status != PROMISE_ESETTLED)
      detail::require(status, what);
    return status == PROMISE_OK;
  }
  bool settle(promise_status_t (*how)(promise_t *, const promise_value_t *), const char *what, value &&content) const {
    const promise_value_t owned = content.release();
    return accepted(how(raw(), &owned), what);
  }
  waited interruptible(std::int64_t time) const {
    const promise_status_t status = promise_wait_interruptible(raw(), time);
    if (status == PROMISE_EINTR)
      return waited::interrupted;
    if (status == PROMISE_ETIMEDOUT)
      return waited::timed_out;
    detail::require(status, "promise_wait_interruptible");
    return waited::settled;
  }
  template <class F, class Reason> static constexpr void check_rescue() {
    static_assert(std::is_invocable_v<F &, Reason>, "a rescuing handler is called with the reason: f(const error &)");
    using given = std::invoke_result_t<F &, Reason>;
    using result = detail::result_type<given>;
    constexpr bool any = std::is_same_v<T, value>;
    static_assert(
        std::is_void_v<result> == std::is_void_v<T> || any,
        "a rescuing handler returns a value of the promise's type, and nothing for void; if it always throws, "
        "declare its result: [](const promises::error &) -> T { ... }");
    if constexpr (detail::is_promise<std::decay_t<given>>::value)
      static_assert(std::is_same_v<result, T> || std::is_same_v<result, value> || any,
                    "a rescuing handler returns a promise of a value of this promise's type");
    else if constexpr (!std::is_void_v<result>)
      static_assert(std::is_constructible_v<T, given> || any,
                    "a rescuing handler returns a value of the promise's type");
  }
  template <class F, promise_verdict_t verdict>
  static promise_verdict_t after(void *ctx, const promise_value_t *in, promise_value_t *out) {
    const auto call = [&]() { (*static_cast<F *>(ctx))(); };
    const promise_verdict_t own = detail::settle_with(out, call);
    return own == PROMISE_REJECT ? own : detail::pass_on(verdict, in, out);
  }

  using watching = void (*)(void *, const promise_value_t *);
  template <class F, class G>
  void watch(promise_status_t (*how)(promise_t *, watching, watching, void *, promise_free_t), F &&on_fulfilled,
             G &&on_rejected) const {
    using both = detail::watcher<T, F, G>;
    auto context = std::make_unique<both>(std::move(on_fulfilled), std::move(on_rejected));
    detail::require(how(raw(), both::on_value, both::on_reason, context.release(), detail::free_context<both>),
                    "promise_observe");
  }
};

// Runs f() at a place, and returns a promise of its result or exception. A place may have a token, unlike
// promise_run().
template <class F> auto run(const place &where, F f) {
  return promise<>::resolved().then(where, std::move(f));
}

// Whether this is the main thread.
inline bool is_main_thread() noexcept {
  return promise_is_main_thread();
}

// A promise as a value: it is kept, not followed.
template <class T> struct codec<promise<T>> {
  static value encode(promise<T> content) {
    if (!content)
      throw error("c++", PROMISE_EINVAL, "expected a promise as a value, got one that was moved from");
    promise_value_t raw = detail::plain(PROMISE_KIND_PROMISE);
    raw.as.ptr = content.release();
    return value::adopt(raw);
  }
  static promise<T> decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_PROMISE)
      detail::mismatch("a PROMISE", from);
    return promise<T>::adopt(static_cast<promise_t *>(value::keep(from).release().as.ptr));
  }
};

} // namespace promises

#endif // PROMISE_CPP_PROMISE_HPP
