// promise/cpp/waiting.hpp - the wait of one co_await for its reaction, which resumes the coroutine or destroys it. Part
// of promise.hpp: read that first. Empty where the compiler has no coroutines.
#ifndef PROMISE_CPP_WAITING_HPP
#define PROMISE_CPP_WAITING_HPP

#include "executor.hpp"
#include "promise.hpp"

#if defined(__cpp_impl_coroutine)

#include <atomic>
#include <coroutine>
#include <memory>
#include <utility>

namespace promises {
namespace detail {

// State shared between one co_await and its reaction, which may outlive the coroutine.
class waiting {
public:
  // The stage of the race between the attaching thread and the reaction.
  enum stage { attaching, suspended, settled, dropped };

  // Makes the state of a wait. `owned`: the coroutine belongs to a promise, and nothing else destroys it.
  waiting(std::coroutine_handle<> coroutine, bool owned) noexcept : coroutine_(coroutine), owned_(owned) {}
  // Resumes or destroys the coroutine, because the reaction has run, or never will.
  void end(stage how) noexcept;
  // Call after the reaction was attached. Returns whether the coroutine stays suspended. If the reaction has run
  // meanwhile, the coroutine continues on `where`, or, if that is NULL, here.
  static bool attached(const std::shared_ptr<waiting> &wait, promise_executor_t *where);
  // Detaches the coroutine: the reaction must not touch it any more.
  void give_up() noexcept {
    stage_.store(settled);
  }

  promise_state_t state = PROMISE_PENDING; // still pending on resumption: the reaction was dropped
  value content{};

private:
  std::coroutine_handle<> coroutine_;
  bool owned_;
  std::atomic<stage> stage_{attaching};
};

// Exists while a reaction resumes a coroutine, on the reaction's thread. If the coroutine ends there, its promise
// follows the promise that the reaction settles, so that chains of waiting coroutines take no stack.
struct carrier {
  const waiting *by;
  promise_verdict_t verdict = 0; // 0: the coroutine has not ended
  promise_value_t result = promise_value_t();
  carrier *around;
  own_requests whole{};
  static inline thread_local carrier *current = nullptr;

  explicit carrier(const waiting *wait) noexcept : by(wait), around(current) {
    current = this;
  }
  carrier(const carrier &) = delete;
  carrier &operator=(const carrier &) = delete;
  ~carrier() {
    current = around;
  }
};

// The context of the reaction. Destroying it without a run shows that the reaction will never run.
struct wake {
  std::shared_ptr<waiting> wait;

  explicit wake(std::shared_ptr<waiting> with) noexcept : wait(std::move(with)) {}
  wake(wake &&) noexcept = default;
  wake(const wake &) = delete;
  ~wake() {
    if (wait != nullptr)
      wait->end(waiting::dropped);
  }

  template <promise_state_t state>
  static promise_verdict_t run(void *ctx, const promise_value_t *in, promise_value_t *out) noexcept {
    const std::shared_ptr<waiting> ready = std::move(static_cast<wake *>(ctx)->wait);
    ready->state = state;
    if (promise_value_retain(in) == PROMISE_OK)
      ready->content = value::adopt(*in);
    carrier here(ready.get());
    ready->end(waiting::settled);
    if (here.verdict == 0)
      return PROMISE_FULFILL;
    *out = here.result;
    return here.verdict;
  }
};

// Scope in which a thread resumes a coroutine. If the next promise that the coroutine awaits on an executor is settled,
// the job that resumes it again is submitted here, after the coroutine has suspended. An executor that runs jobs inline
// would run the job within the coroutine, and a loop of such waits would overflow the stack.
class resuming {
public:
  // Resumes the coroutine, and submits its jobs.
  static void run(std::coroutine_handle<> coroutine) noexcept {
    if (resuming *const outer = of(coroutine)) { // this is a job of the loop below
      coroutine.resume();
      if (outer->job_ == nullptr)
        outer->coroutine_ = nullptr; // a new coroutine may get the memory of one that has ended
      return;
    }
    resuming here(coroutine);
    coroutine.resume();
    while (here.job_ != nullptr) {
      const executor where = std::move(here.where_);
      submit(std::move(here.job_), where.raw());
    }
  }
  // Submits the job that resumes a suspended coroutine; later, if this thread is resuming that coroutine.
  static void submit(std::coroutine_handle<> coroutine, std::unique_ptr<wake> job, promise_executor_t *where) noexcept {
    resuming *const outer = of(coroutine);
    if (outer == nullptr || outer->job_ != nullptr || promise_executor_retain(where) != PROMISE_OK) {
      submit(std::move(job), where);
      return;
    }
    outer->job_ = std::move(job);
    outer->where_ = executor::adopt(where);
  }
  resuming(const resuming &) = delete;
  resuming &operator=(const resuming &) = delete;

private:
  explicit resuming(std::coroutine_handle<> coroutine) noexcept : coroutine_(coroutine), around_(current) {
    current = this;
  }
  ~resuming() {
    current = around_;
  }
  static resuming *of(std::coroutine_handle<> coroutine) noexcept {
    return current != nullptr && current->coroutine_ == coroutine ? current : nullptr;
  }
  static void submit(std::unique_ptr<wake> job, promise_executor_t *where) noexcept {
    const auto resume = [](void *ctx) noexcept {
      const std::shared_ptr<waiting> ready = std::move(static_cast<wake *>(ctx)->wait);
      ready->end(waiting::settled);
    };
    // On failure the destructor of the context ends the wait as dropped.
    promise_executor_submit(where, resume, job.release(), free_context<wake>);
  }

  std::coroutine_handle<> coroutine_;
  std::unique_ptr<wake> job_{};
  executor where_{};
  resuming *around_;
  static inline thread_local resuming *current = nullptr;
};

inline void waiting::end(stage how) noexcept {
  if (stage_.exchange(how) != suspended)
    return;
  if (how == dropped) {
    if (owned_) {
      coroutine_.destroy();
      return;
    }
    state = PROMISE_PENDING;
  }
  resuming::run(coroutine_);
}

inline bool waiting::attached(const std::shared_ptr<waiting> &wait, promise_executor_t *where) {
  stage expected = attaching;
  if (wait->stage_.compare_exchange_strong(expected, suspended))
    return true;
  if (expected == dropped && wait->owned_) {
    wait->coroutine_.destroy();
    return true;
  }
  if (expected == dropped || where == nullptr)
    return false;
  auto again = std::make_unique<wake>(wait);
  wait->stage_.store(suspended);
  resuming::submit(wait->coroutine_, std::move(again), where);
  return true;
}

} // namespace detail
} // namespace promises

#endif // __cpp_impl_coroutine

#endif // PROMISE_CPP_WAITING_HPP
