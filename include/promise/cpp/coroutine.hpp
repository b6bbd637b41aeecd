// promise/cpp/coroutine.hpp - co_await for promises, and coroutines that return them. Part of promise.hpp: read that
// first. Empty where the compiler has no coroutines.
//
//     promises::promise<std::string> greet(promises::promise<std::string> name) {
//       co_return "hello " + co_await std::move(name);
//     }
//
// A coroutine begins at once, in the call. It keeps itself alive: dropping the promise that it returned does not end
// it. If the awaited promise is dropped while pending, or the coroutine's place drops or silences it, it can never
// resume. It is then destroyed at its suspension point, and its promise is rejected with an error of domain "promise"
// and code PROMISE_ECLOSED. A request to cancel its promise propagates, with its reason, to the awaited promise and to
// those that it awaits later. Discarding its promise requests no cancellation: the coroutine continues, and its result
// is dropped. Its promise is settled after its locals were destroyed.
//
// A coroutine of another kind may await promises too. It is never destroyed here: it resumes with that error instead.
// Its owner may destroy it while it is suspended, on the thread that would resume it or while no other thread does.
//
// Settling a promise resumes the coroutines that await it within that call, or at the place given to on(). Chains of
// waiting coroutines take no stack, and neither do loops that await on an executor that runs jobs at once.
//
// A handler that is a coroutine takes its arguments by value. A lambda as a coroutine must not capture, because the
// lambda is destroyed at the first suspension: pass the data as arguments of a function that is the coroutine.
#ifndef PROMISE_CPP_COROUTINE_HPP
#define PROMISE_CPP_COROUTINE_HPP

#include "promise.hpp"
#include "waiting.hpp"

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <memory>
#include <mutex>
#include <utility>

namespace promises {
namespace detail {

// The promise that a coroutine awaits at present, for requests to cancel it.
class awaited {
public:
  awaited() = default;
  awaited(const awaited &) = delete;
  awaited &operator=(const awaited &) = delete;
  ~awaited() {
    replace(nullptr);
  }
  // Replaces the awaited promise; NULL: none. Takes over the reference, and propagates an earlier request.
  void replace(promise_t *now) noexcept {
    bool asks;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::swap(now_, now);
      asks = asked_ && now_ != nullptr;
    }
    if (now != nullptr)
      promise_release(now);
    if (asks)
      ask();
  }
  // Call at most once: a promise is asked once.
  static void request_cancel(const std::shared_ptr<awaited> &self, const promise_value_t *reason) noexcept {
    self->accept(reason);
    if (propagation *const enclosing = propagation::current) {
      (enclosing->last != nullptr ? enclosing->last->next_ : enclosing->first) = self;
      enclosing->last = self.get();
      return;
    }
    propagation work;
    propagation::current = &work;
    self->ask();
    while (const std::shared_ptr<awaited> next = std::move(work.first)) {
      work.first = std::move(next->next_);
      if (work.first == nullptr)
        work.last = nullptr;
      next->ask();
    }
    propagation::current = nullptr;
  }
  // Returns a new reference to the awaited promise; NULL if there is none now.
  promise_t *copy() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_ != nullptr && promise_retain(now_) == PROMISE_OK ? now_ : nullptr;
  }

private:
  void accept(const promise_value_t *reason) noexcept {
    const bool kept = promise_value_retain(reason) == PROMISE_OK;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept)
      reason_ = value::adopt(*reason);
    asked_ = true;
  }
  // Call after the reason was set.
  void ask() noexcept {
    if (promise_t *asked = copy()) {
      promise_request_cancel(asked, &reason_.raw());
      promise_release(asked);
    }
  }

  std::mutex mutex_{};
  promise_t *now_ = nullptr;
  bool asked_ = false;
  value reason_{};
  std::shared_ptr<awaited> next_{}; // the next in the work list of a request
};

// Ends a coroutine that cannot continue, as the context of a handler of the reaction that should have resumed it. If
// the reaction is settled, such as by the executor that dropped it, the coroutine's promise follows the handler's
// promise, so that a chain takes no recursion. If the reaction is never settled, the destruction of the context rejects
// the coroutine's promise.
class closing {
public:
  closing(promise<value> &&own, value &&reason) noexcept : own_(std::move(own)), reason_(std::move(reason)) {}
  closing(closing &&) noexcept = default;
  closing(const closing &) = delete;
  ~closing() {
    if (!own_)
      return;
    const promise_value_t reason = reason_.release();
    promise_reject(own_.raw(), &reason);
  }

  static promise_verdict_t run(void *ctx, const promise_value_t *, promise_value_t *out) noexcept {
    auto &self = *static_cast<closing *>(ctx);
    self.own_.reset();
    *out = self.reason_.release();
    return PROMISE_REJECT;
  }

private:
  promise<value> own_{};
  value reason_{};
};

// The base of the promise types of coroutines. Settles `own_` with the returned value or the exception when the
// coroutine is destroyed.
class settling {
public:
  settling() = default;
  settling(const settling &) = delete;
  settling &operator=(const settling &) = delete;
  ~settling() {
    if (!verdict_) {
      promise_value_t reason;
      const char *why = "the coroutine cannot go on: the promise that it awaits was dropped pending, or its executor "
                        "or token gave it up";
      if (promise_value_error(&reason, "promise", PROMISE_ECLOSED, why) == PROMISE_OK)
        result_ = value::adopt(reason);
    }
    if (carried() || closed())
      return;
    const promise_value_t result = result_.release();
    (verdict_ == PROMISE_FULFILL ? promise_resolve : promise_reject)(own_.raw(), &result);
  }

  std::suspend_never initial_suspend() const noexcept {
    return {};
  }
  std::suspend_never final_suspend() const noexcept {
    return {};
  }
  void unhandled_exception() noexcept {
    result_ = value::adopt(reason_of_current());
    verdict_ = PROMISE_REJECT;
  }

  // Sets the awaited promise, and the wait that resumes the coroutine.
  void awaits(promise<value> now, const waiting *by) {
    by_ = by;
    if (awaited_ == nullptr) {
      awaited_ = std::make_shared<awaited>();
      awaited_->replace(now.release());
      using context = std::shared_ptr<awaited>;
      const auto ask = [](void *ctx, const promise_value_t *reason) noexcept {
        awaited::request_cancel(*static_cast<context *>(ctx), reason);
      };
      require(promise_on_cancel_request(own_.raw(), ask, new context(awaited_), free_context<context>),
              "promise_on_cancel_request");
    } else {
      awaited_->replace(now.release());
    }
  }

protected:
  void end(value result) noexcept {
    result_ = std::move(result);
    verdict_ = PROMISE_FULFILL;
  }
  promise<value> own_{};

private:
  // Settles the promise by the reaction that resumed the coroutine last, if the reaction's handler is still running:
  // the promise follows the reaction. False if the caller has to settle it.
  bool carried() noexcept {
    carrier *const here = carrier::current;
    if (here == nullptr || by_ == nullptr || here->by != by_ || verdict_ == 0)
      return false;
    promise_t *const reaction = awaited_->copy();
    const bool follows = reaction != nullptr && promise_follow(own_.raw(), reaction) == PROMISE_OK;
    promise_release(reaction);
    if (follows) {
      here->verdict = verdict_;
      here->result = result_.release();
    }
    return follows;
  }
  // Lets the reaction that should have resumed the coroutine reject the coroutine's promise. False if the caller has
  // to.
  bool closed() noexcept {
    if (verdict_ != 0 || awaited_ == nullptr || promise_state(own_.raw()) != PROMISE_PENDING)
      return false;
    promise_t *const reaction = awaited_->copy();
    if (reaction == nullptr)
      return false;
    // Avoids a reference cycle: the handler holds the promise, whose handler for cancel requests would hold the
    // reaction.
    awaited_->replace(nullptr);
    bool follows = false;
    try {
      const auto end = promise<value>::adopt(
          react(reaction, place(), closing::run, closing::run, nullptr, closing(own_.copy(), result_.copy())));
      follows = promise_follow(own_.raw(), end.raw()) == PROMISE_OK;
    } catch (...) { // memory has run out
    }
    promise_release(reaction);
    return follows || promise_state(own_.raw()) != PROMISE_PENDING;
  }

  value result_{};
  promise_verdict_t verdict_ = 0;
  std::shared_ptr<awaited> awaited_{};
  const waiting *by_ = nullptr; // compared only: may be destroyed
};

template <class T> struct coroutine : settling {
  promise<T> get_return_object() const {
    return own_.template as<T>();
  }
  template <class U = T> void return_value(U &&content) {
    end(encode_as<T>(std::forward<U>(content)));
  }
};
template <> struct coroutine<void> : settling {
  promise<void> get_return_object() const {
    return own_.as<void>();
  }
  void return_void() noexcept {
    end(value());
  }
};

// One co_await, in any kind of coroutine.
template <class T> class awaiter {
public:
  awaiter(promise<T> of, const place &where, bool gives_up) : of_(std::move(of)), where_(where), gives_up_(gives_up) {}

  // False if there is a place: the coroutine always suspends, so that it continues there.
  bool await_ready() const {
    return where_.raw_executor() == nullptr && where_.raw_token() == nullptr && of_.is_settled();
  }
  // After the reaction is attached, another thread may resume or destroy the coroutine. From there on only locals of
  // this stack frame are used.
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine) {
    constexpr bool owned = std::is_base_of_v<settling, Promise>;
    const auto wait = std::make_shared<waiting>(coroutine, owned);
    wait_ = wait;
    promise<value> reaction = promise<value>::adopt(
        react(of_.raw(), where_, wake::run<PROMISE_FULFILLED>, wake::run<PROMISE_REJECTED>, nullptr, wake(wait)));
    if (gives_up_)
      of_.reset();
    if constexpr (owned)
      coroutine.promise().awaits(std::move(reaction), wait.get());
    return waiting::attached(wait, where_.raw_executor());
  }
  T await_resume() {
    if (wait_ == nullptr)
      return taken<T>(of_.result().raw());
    if (wait_->state == PROMISE_FULFILLED)
      return taken<T>(wait_->content.raw());
    if (wait_->state == PROMISE_REJECTED)
      std::rethrow_exception(exception_of(wait_->content.raw()));
    throw error("promise", PROMISE_ECLOSED, "the awaited promise was dropped pending, or its place gave it up");
  }
  // Runs also if the coroutine was not resumed: its owner destroys it, or awaiting failed.
  ~awaiter() {
    if (wait_ != nullptr)
      wait_->give_up();
  }
  awaiter(const awaiter &) = delete;
  awaiter &operator=(const awaiter &) = delete;

private:
  promise<T> of_;
  place where_;
  bool gives_up_;
  std::shared_ptr<waiting> wait_{};
};

} // namespace detail

template <class T> detail::awaiter<T> promise<T>::operator co_await() const & {
  return detail::awaiter<T>(copy(), place(), false);
}
template <class T> detail::awaiter<T> promise<T>::operator co_await() && {
  return detail::awaiter<T>(std::move(*this), place(), true);
}
template <class T> detail::awaiter<T> promise<T>::on(const place &where) const & {
  return detail::awaiter<T>(copy(), where, false);
}
template <class T> detail::awaiter<T> promise<T>::on(const place &where) && {
  return detail::awaiter<T>(std::move(*this), where, true);
}

} // namespace promises

#endif // __cpp_impl_coroutine

#endif // PROMISE_CPP_COROUTINE_HPP
