// Long chains of coroutines: requests to cancel, and executors that drop their jobs. Long loops on executors that run
// jobs at once. None of them recurses.
#include <coroutine>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;

constexpr int many = 50'000;

bool is_closed(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_ECLOSED && e.message().find("the coroutine cannot go on") == 0;
}

promise<int> add_one(promise<int> to) {
  const counted local;
  co_return co_await std::move(to) + 1;
}
promise<int> add_one_on(promise<int> to, promises::executor where) {
  const counted local;
  co_return co_await std::move(to).on(where) + 1;
}

promise<int> chain(promise<int> from) {
  for (int i = 0; i < many; ++i)
    from = add_one(std::move(from));
  return from;
}
promise<int> chain_on(promise<int> from, const promises::executor &where) {
  for (int i = 0; i < many; ++i)
    from = add_one_on(std::move(from), where.copy());
  return from;
}

void a_request_propagates_to_the_source() {
  promise<int> source;
  int requests = 0;
  promises::value why;
  source.on_cancel_request([&](const promises::value &reason) {
    ++requests;
    why = reason.copy();
    source.discard();
  });
  const auto last = chain(source.copy());
  const auto reason = promises::value::of(7);
  CHECK(last.request_cancel(reason) && requests == 1 && why == reason);
  CHECK(counted::alive == 0 && throws<promises::cancelled>([&] { last.get(); }));
}

// A chain may mix coroutines with handlers.
void a_request_propagates_through_handlers() {
  promise<int> source;
  auto last = source.copy();
  for (int i = 0; i < many / 2; ++i)
    last = add_one(last.then([](int n) { return n; }));
  CHECK(last.request_cancel() && source.cancel_requested());
  source.resolve(0);
  CHECK(last.get() == many / 2);
}

void an_executor_that_drops_ends_all() {
  const auto drops = promises::executor::of([](const promises::job &) {});
  promise<int> source, unwanted, dropped;
  const auto last = chain_on(source.copy(), drops);
  const auto asked = chain_on(unwanted.copy(), drops);
  const auto gone = chain_on(dropped.copy(), drops);
  CHECK(asked.request_cancel() && unwanted.cancel_requested());
  source.resolve(1);
  unwanted.resolve(1);
  dropped.reset();
  CHECK(counted::alive == 0);
  for (const auto *end : {&last, &asked, &gone})
    CHECK(throws<promises::error>([&] { end->get(); }, is_closed));
}

void a_closed_loop_ends_all() {
  promises::loop loop;
  promise<int> source;
  const auto last = chain_on(source.copy(), loop.on());
  source.resolve(1);
  CHECK(!last.is_settled());
  loop.reset();
  CHECK(counted::alive == 0 && throws<promises::error>([&] { last.get(); }, is_closed));
}

// The job of a settled promise may be dropped while the coroutine is about to suspend.
void another_thread_drops_the_jobs() {
  const auto pool = promises::executor::global();
  const auto drops = promises::executor::of([&](promises::job job) {
    auto held = std::make_shared<promises::job>(std::move(job));
    pool.submit([held] {});
  });
  for (int round = 0; round < 500; ++round) {
    const auto last = add_one_on(add_one_on(promise<int>::resolved(1), drops.copy()), drops.copy());
    CHECK(throws<promises::error>([&] { last.get(); }, is_closed));
  }
}

// A promise that another holder settled keeps its value.
void a_promise_settled_before_stays_so() {
  const auto drops = promises::executor::of([](const promises::job &) {});
  promise<int> source;
  const auto taken = add_one_on(source.copy(), drops.copy());
  CHECK(taken.resolve(5) && source.resolve(1));
  CHECK(taken.get() == 5 && counted::alive == 0);
}

// A request made in a handler is complete when its call returns, also if the handler was called for another request.
void a_request_within_a_request_is_complete() {
  promise<int> outer, inner, of_token, of_c;
  const promises::token token;
  const auto last = add_one(add_one(inner.copy()));
  const auto added = add_one(add_one(of_token.copy()));
  const auto raw = add_one(add_one(of_c.copy()));
  added.add_to(token);
  bool complete = false;
  outer.on_cancel_request([&](const promises::value &) {
    last.request_cancel();
    token.cancel();
    promise_request_cancel(raw.raw(), nullptr);
    complete = inner.cancel_requested() && of_token.cancel_requested() && of_c.cancel_requested();
  });
  const auto end = add_one(add_one(outer.copy()));
  CHECK(end.request_cancel() && complete);
  for (const auto *source : {&outer, &inner, &of_token, &of_c})
    source->resolve(1);
}

promise<> asks(promise<> begin, promise_t *what) {
  co_await std::move(begin);
  promise_request_cancel(what, nullptr);
}

// A request made within a handler of the C interface is complete too.
void a_request_within_a_c_handler_is_complete_too() {
  struct sources {
    promise<int> outer, inner, of_c;
    promise<> begin;
    promise<int> last = add_one(add_one(inner.copy())), raw = add_one(add_one(of_c.copy()));
    bool complete = false;
  } all;
  const auto asking = asks(all.begin.copy(), all.raw.raw());
  const auto handler = [](void *ctx, const promise_value_t *) {
    auto &here = *static_cast<sources *>(ctx);
    here.last.request_cancel();
    here.begin.resolve();
    here.complete = here.inner.cancel_requested() && here.of_c.cancel_requested();
  };
  CHECK(promise_on_cancel_request(all.outer.raw(), handler, &all, nullptr) == PROMISE_OK);
  const auto end = add_one(add_one(all.outer.copy()));
  CHECK(end.request_cancel() && all.complete && asking.is_settled());
  for (const auto *source : {&all.outer, &all.inner, &all.of_c})
    source->resolve(1);
}

promise<int> count_of(promise<std::vector<int>> all) {
  const std::vector<int> list = co_await std::move(all);
  co_return static_cast<int>(list.size());
}

void a_request_reaches_inputs_in_order() {
  const std::vector<promise<int>> sources(3);
  std::vector<promise<int>> inputs;
  std::string order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i].on_cancel_request([&order, i](const promises::value &) { order += std::to_string(i); });
    inputs.push_back(add_one(sources[i].copy()));
  }
  auto all = promises::all(inputs);
  inputs.clear();
  const auto count = count_of(std::move(all));
  CHECK(count.request_cancel() && order == "012");
  for (const auto &source : sources)
    source.resolve(1);
  CHECK(count.get() == 3);
}

// Coroutines propagate a request once the call that made it has reached the other inputs, also after a handler's own.
void a_request_within_a_request_leaves_the_order() {
  const std::vector<promise<int>> sources(3);
  const promise<int> other;
  std::string order;
  sources[0].on_cancel_request([&](const promises::value &) {
    order += "0";
    add_one(other.copy()).request_cancel();
  });
  for (const std::size_t i : {1U, 2U})
    sources[i].on_cancel_request([&order, i](const promises::value &) { order += std::to_string(i); });
  std::vector<promise<int>> inputs;
  inputs.push_back(sources[0].copy());
  inputs.push_back(add_one(sources[1].copy()));
  inputs.push_back(sources[2].copy());
  auto all = promises::all(inputs);
  inputs.clear();
  const auto count = count_of(std::move(all));
  CHECK(count.request_cancel() && other.cancel_requested() && order == "021");
  for (const auto &source : sources)
    source.resolve(1);
  other.resolve(1);
}

// Executors that run jobs at once.
std::vector<promises::executor> inline_executors() {
  std::vector<promises::executor> all;
  all.push_back(promises::executor::immediate());
  all.push_back(promises::executor::of([](promises::job job) { job.run(); }));
  all.push_back(promises::executor::serial(promises::executor::immediate()));
  return all;
}

// Returns how often the coroutine continued on the executor.
promise<int> loop_on(const promises::executor &where) {
  const counted local;
  const auto ready = promise<int>::resolved(1);
  int count = 0;
  for (int i = 0; i < many; ++i) {
    const int one = co_await ready.on(where);
    if (where.is_current())
      count += one;
  }
  co_return count;
}

void a_loop_on_an_executor_that_runs_at_once_takes_no_stack() {
  for (const auto &where : inline_executors()) {
    CHECK(loop_on(where).get() == many);
    CHECK(where.copy()); // it has the reference that it had
  }
  CHECK(loop_on(promises::executor::global()).get() == many);
}

promise<int> sum_on(const promises::subscriber<int> &of, const promises::executor &where) {
  int sum = 0;
  while (const auto number = co_await of.next_or_end().on(where))
    sum += *number;
  co_return sum;
}

void a_loop_over_pending_events_takes_no_stack() {
  for (const auto &where : inline_executors()) {
    const promises::publisher<int> numbers;
    const auto by = numbers.subscribe();
    for (int i = 0; i < many; ++i)
      numbers.publish(1);
    numbers.finish();
    CHECK(sum_on(by, where).get() == many);
  }
}

// A coroutine of another kind, which destroys itself.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept {
      return {};
    }
    std::suspend_never initial_suspend() noexcept {
      return {};
    }
    std::suspend_never final_suspend() noexcept {
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
  };
};
detached count_on(const promises::executor &where, int &count) {
  const counted local;
  const auto ready = promise<int>::resolved(1);
  while (count < many)
    count += co_await ready.on(where);
}

void a_loop_of_another_kind_takes_no_stack() {
  for (const auto &where : inline_executors()) {
    int count = 0;
    count_on(where, count);
    CHECK(count == many && counted::alive == 0);
  }
}

promise<int> wait_on(const promises::executor &where) {
  co_return co_await promise<int>::resolved(1).on(where);
}
// Starts other coroutines between its waits: each has ended when its call returns.
promise<int> start_between(const promises::executor &where) {
  int ended = 0;
  for (int i = 0; i < 3; ++i) {
    co_await promise<int>::resolved(1).on(where);
    const auto first = wait_on(where), second = wait_on(where);
    ended += first.is_settled() + second.is_settled();
  }
  co_return ended;
}

void a_coroutine_within_another_is_not_delayed() {
  CHECK(start_between(promises::executor::immediate()).get() == 6);
  CHECK(start_between(promises::executor::of([](promises::job job) { job.run(); })).get() == 6);
}

void a_loop_ends_with_its_executor() {
  int left = 1000;
  const auto runs_some = promises::executor::of([&](promises::job job) {
    if (--left > 0)
      job.run();
  });
  const auto ended = loop_on(runs_some);
  CHECK(counted::alive == 0 && throws<promises::error>([&] { ended.get(); }, is_closed));
}

} // namespace

int main() {
  return run(a_request_propagates_to_the_source, a_request_propagates_through_handlers, an_executor_that_drops_ends_all,
             a_closed_loop_ends_all, another_thread_drops_the_jobs, a_promise_settled_before_stays_so,
             a_request_within_a_request_is_complete, a_request_within_a_c_handler_is_complete_too,
             a_request_reaches_inputs_in_order, a_request_within_a_request_leaves_the_order,
             a_loop_on_an_executor_that_runs_at_once_takes_no_stack, a_loop_over_pending_events_takes_no_stack,
             a_loop_of_another_kind_takes_no_stack, a_coroutine_within_another_is_not_delayed,
             a_loop_ends_with_its_executor);
}
