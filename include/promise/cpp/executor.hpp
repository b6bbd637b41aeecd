// promise/cpp/executor.hpp - executors, tokens and loops, owned. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_EXECUTOR_HPP
#define PROMISE_CPP_EXECUTOR_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "error.hpp"
#include "handle.hpp"

namespace promises {

template <class T = void> class promise;

namespace detail {

// Checks that a handle is not empty, for C functions that give NULL a meaning of its own.
template <class Raw> Raw *there(Raw *raw) {
  if (raw == nullptr)
    fail(PROMISE_EINVAL, "an executor or token");
  return raw;
}

// Converts a time for the C functions, where a negative one means forever: times in the past become 0, times out of
// range the longest one.
template <class Rep, class Period> std::int64_t nanoseconds(std::chrono::duration<Rep, Period> time) noexcept {
  using seconds = std::chrono::duration<double>;
  if (!(time > time.zero())) // NaN is not in the future either
    return 0;
  if (std::chrono::duration_cast<seconds>(time).count() > 9.2e9)
    return INT64_MAX;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

// Returns the time left until `when`, as nanoseconds() does. Subtracts only times that are near, because the difference
// of others may overflow.
template <class Clock, class Duration>
std::int64_t nanoseconds_until(std::chrono::time_point<Clock, Duration> when) noexcept {
  using seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const double end = std::chrono::duration_cast<seconds>(when.time_since_epoch()).count();
  const double left = end - std::chrono::duration_cast<seconds>(now.time_since_epoch()).count();
  if (!(left > -1))
    return 0;
  if (left > 9.2e9 || end > 9.2e9)
    return INT64_MAX;
  return nanoseconds(when - now);
}

// Frees a function object that is the context of C callbacks. The library calls this once.
template <class F> void free_context(void *ctx) {
  delete static_cast<F *>(ctx);
}

} // namespace detail

// A job of an executor of yours. Run it once. The destructor drops a job that was not run, which rejects its promise.
class job : public handle<promise_job_t, promise_job_drop> {
public:
  job() noexcept = default;
  [[nodiscard]] static job adopt(promise_job_t *owned) noexcept {
    return job(owned);
  }
  // Runs the job. Call it on the thread where the handler should run; the job is empty afterwards.
  void run() {
    detail::require(promise_job_run(release()), "promise_job_run");
  }

private:
  explicit job(promise_job_t *owned) noexcept : handle(owned) {}
};

// An executor: runs handlers on its threads.
class executor : public handle<promise_executor_t, promise_executor_release> {
public:
  executor() noexcept = default;
  // Takes over a reference that the C functions returned.
  [[nodiscard]] static executor adopt(promise_executor_t *owned) noexcept {
    return executor(owned);
  }
  static executor immediate() {
    return lasting(promise_executor_immediate());
  }
  // Returns the executor of the library's own threads; see promise_executor_global().
  static executor global(promise_priority_t priority = PROMISE_PRIORITY_DEFAULT) {
    return lasting(promise_executor_global(priority));
  }
  static executor main() {
    return lasting(promise_executor_main());
  }
  // Makes the jobs of main() run on `where`, or in the main loop again. [any thread: it becomes the main one]
  static void set_main(const executor &where) {
    detail::require(promise_executor_set_main(detail::there(where.raw())), "promise_executor_set_main");
  }
  static void reset_main() {
    detail::require(promise_executor_set_main(nullptr), "promise_executor_set_main");
  }
  // Makes an executor that runs one job at a time, in order, on the pool or on another executor.
  static executor serial() {
    return executor(detail::require(promise_executor_serial(nullptr), "promise_executor_serial"));
  }
  static executor serial(const executor &target) {
    return executor(detail::require(promise_executor_serial(detail::there(target.raw())), "promise_executor_serial"));
  }
  // Makes an executor that calls `submit` for each job, on any thread. `submit` takes a `job`, or a promise_job_t *
  // that it must pass to promise_job_run() or promise_job_drop(). It must not throw.
  template <class F> static executor of(F submit) {
    auto context = std::make_unique<F>(std::move(submit));
    const auto call = [](void *ctx, promise_job_t *raw) noexcept {
      if constexpr (std::is_invocable_v<F &, job>)
        (*static_cast<F *>(ctx))(job::adopt(raw));
      else
        (*static_cast<F *>(ctx))(raw);
    };
    return executor(detail::require(promise_executor_new(call, context.release(), detail::free_context<F>),
                                    "promise_executor_new"));
  }

  [[nodiscard]] executor copy() const {
    detail::require(promise_executor_retain(raw()), "promise_executor_retain");
    return executor(raw());
  }
  // Calls `body()` once on the executor, or destroys it uncalled if the executor drops it. `body` must not throw:
  // nobody could catch the exception.
  template <class F> void submit(F body) const {
    auto context = std::make_unique<F>(std::move(body));
    const auto call = [](void *ctx) noexcept { (*static_cast<F *>(ctx))(); };
    detail::require(promise_executor_submit(raw(), call, context.release(), detail::free_context<F>),
                    "promise_executor_submit");
  }
  bool is_current() const noexcept {
    return promise_executor_is_current(raw()) == 1;
  }

private:
  explicit executor(promise_executor_t *owned) noexcept : handle(owned) {}
  static executor lasting(promise_executor_t *lent) {
    detail::require(lent, "promise_executor");
    detail::require(promise_executor_retain(lent), "promise_executor_retain");
    return executor(lent);
  }
};

// Asks many promises to cancel at once, and silences handlers; see cancel.h.
class token : public handle<promise_token_t, promise_token_release> {
public:
  // Makes a token; `invalidates_at_end`: the release of its last reference invalidates it.
  explicit token(bool invalidates_at_end = false)
      : handle(detail::require(
            promise_token_new(invalidates_at_end ? std::uint32_t{PROMISE_TOKEN_INVALIDATE_ON_RELEASE} : 0u),
            "promise_token_new")) {}
  [[nodiscard]] static token adopt(promise_token_t *owned) noexcept {
    return token(owned);
  }
  [[nodiscard]] token copy() const {
    detail::require(promise_token_retain(raw()), "promise_token_retain");
    return token(raw());
  }
  // Silences the handlers attached with the token so far, and asks its promises to cancel.
  void invalidate(const value &reason = value()) const {
    detail::require(promise_token_invalidate(raw(), &reason.raw()), "promise_token_invalidate");
  }
  // Asks its promises to cancel; their handlers run.
  void cancel(const value &reason = value()) const {
    detail::require(promise_token_cancel(raw(), &reason.raw()), "promise_token_cancel");
  }
  // Cancels or invalidates this token whenever `parent` is.
  void chain(const token &parent, bool including_cancel = true) const {
    detail::require(
        promise_token_chain(raw(), parent.raw(), including_cancel ? std::uint32_t{PROMISE_CHAIN_CANCEL} : 0u),
        "promise_token_chain");
  }
  // Whether the token was cancelled or invalidated, or its deadline has passed, at least once.
  bool is_cancelled() const {
    const std::int32_t answer = promise_token_is_cancelled(raw());
    if (answer < 0)
      detail::fail(answer, "promise_token_is_cancelled");
    return answer == 1;
  }
  // Cancels the token, and the tokens chained to it, at that time; an earlier deadline stays. The handlers of the
  // requests run on a thread for timers, or on `where`.
  void set_deadline(std::chrono::steady_clock::time_point time) const {
    set_deadline(time, nullptr);
  }
  void set_deadline(std::chrono::steady_clock::time_point time, const executor &where) const {
    set_deadline(time, detail::there(where.raw()));
  }
  // Returns the deadline; time_point::max() if there is none.
  std::chrono::steady_clock::time_point deadline() const {
    const std::int64_t time = promise_token_deadline(raw());
    if (time < 0)
      detail::fail(static_cast<promise_status_t>(time), "promise_token_deadline");
    using clock = std::chrono::steady_clock;
    return time == INT64_MAX
               ? clock::time_point::max()
               : clock::time_point(std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(time)));
  }
  // The number of invalidations.
  std::int64_t generation() const {
    const std::int64_t number = promise_token_generation(raw());
    if (number < 0)
      detail::fail(static_cast<promise_status_t>(number), "promise_token_generation");
    return number;
  }

private:
  explicit token(promise_token_t *owned) noexcept : handle(owned) {}
  void set_deadline(std::chrono::steady_clock::time_point time, promise_executor_t *where) const {
    // steady_clock counts from the same time as the clock of the C functions.
    const std::int64_t at = detail::nanoseconds(time.time_since_epoch());
    detail::require(promise_token_set_deadline(raw(), where, at), "promise_token_set_deadline");
  }
};

// A loop that a thread of yours runs; see loop.h. Releasing the last reference closes it, and drops its
// pending jobs.
class loop : public handle<promise_loop_t, promise_loop_release> {
public:
  loop() : handle(detail::require(promise_loop_new(), "promise_loop_new")) {}
  // Returns the main loop, which is never closed.
  static loop main() {
    return loop(detail::require(promise_loop_main(), "promise_loop_main"));
  }
  [[nodiscard]] loop copy() const {
    detail::require(promise_loop_retain(raw()), "promise_loop_retain");
    return loop(raw());
  }
  // Whether the calling thread runs the loop.
  bool is_current() const noexcept {
    return promise_loop_is_current(raw()) == 1;
  }
  int fd() const {
    const std::int32_t descriptor = promise_loop_fd(raw());
    if (descriptor < 0)
      detail::fail(descriptor, "promise_loop_fd");
    return descriptor;
  }
  executor on() const {
    return executor::adopt(detail::require(promise_loop_executor(raw()), "promise_loop_executor"));
  }
  // Runs the pending jobs and timers, and returns their number.
  std::int64_t run_once() const {
    const std::int64_t ran = promise_loop_run_once(raw());
    if (ran < 0)
      detail::fail(static_cast<promise_status_t>(ran), "promise_loop_run_once");
    return ran;
  }
  // Runs until stop().
  void run() const {
    detail::require(promise_loop_run(raw(), -1), "promise_loop_run");
  }
  // Runs as run() does, with a time limit; false if the time ran out.
  template <class Rep, class Period> bool run_for(std::chrono::duration<Rep, Period> time) const {
    const promise_status_t status = promise_loop_run(raw(), detail::nanoseconds(time));
    if (status != PROMISE_ETIMEDOUT)
      detail::require(status, "promise_loop_run");
    return status == PROMISE_OK;
  }
  // Runs jobs and timers until the promise is settled: promise<T>::wait() for the thread of the loop. False if the loop
  // was stopped before.
  template <class T> bool wait(const promise<T> &of) const {
    return wait(of.raw(), -1);
  }
  // Waits as wait() does, with a time limit; false also if the time ran out.
  template <class T, class Rep, class Period>
  bool wait_for(const promise<T> &of, std::chrono::duration<Rep, Period> time) const {
    return wait(of.raw(), detail::nanoseconds(time));
  }
  void stop() const {
    detail::require(promise_loop_stop(raw()), "promise_loop_stop");
  }

private:
  explicit loop(promise_loop_t *owned) noexcept : handle(owned) {}
  bool wait(promise_t *of, std::int64_t time) const {
    const promise_status_t status = promise_loop_wait(raw(), of, time);
    if (status != PROMISE_ETIMEDOUT && status != PROMISE_EPENDING)
      detail::require(status, "promise_loop_wait");
    return status == PROMISE_OK;
  }
};

// An executor for a handler, a token that silences the handler, or both. Borrowed: used during the call only.
class place {
public:
  place() noexcept = default;
  place(const executor &where) : executor_(detail::there(where.raw())) {}
  place(const token &unless) : token_(detail::there(unless.raw())) {}
  place(const executor &where, const token &unless)
      : executor_(detail::there(where.raw())), token_(detail::there(unless.raw())) {}
  promise_executor_t *raw_executor() const noexcept {
    return executor_;
  }
  promise_token_t *raw_token() const noexcept {
    return token_;
  }

private:
  promise_executor_t *executor_ = nullptr;
  promise_token_t *token_ = nullptr;
};

} // namespace promises

#endif // PROMISE_CPP_EXECUTOR_HPP
