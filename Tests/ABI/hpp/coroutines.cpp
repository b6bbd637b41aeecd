// Awaited promises, and coroutines that return promises.
#include <utility>
#include <coroutine>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;

promise<int> add_one(promise<int> to) {
  const counted local;
  co_return co_await std::move(to) + 1;
}

promise<> append(const promise<std::string> &text, std::string &to) {
  const counted local;
  to += co_await text;
  to += ".";
}

void a_settled_promise_is_awaited() {
  CHECK(add_one(promise<int>::resolved(1)).get() == 2);
  std::string text;
  append(promise<std::string>::resolved("hi"), text).get();
  CHECK(text == "hi.");
}

void a_pending_promise_is_awaited() {
  promise<int> source;
  const auto sum = add_one(add_one(source.copy()));
  CHECK(!sum.is_settled() && counted::alive == 2);
  source.resolve(1);
  CHECK(sum.get() == 3 && counted::alive == 0);
  // An lvalue can be awaited repeatedly.
  promise<std::string> name;
  std::string text;
  const auto first = append(name, text);
  const auto second = append(name, text);
  name.resolve("x");
  first.get();
  second.get();
  CHECK(text == "x.x.");
}

promise<std::string> rescued(promise<int> source) {
  try {
    co_return std::to_string(co_await std::move(source));
  } catch (const std::out_of_range &e) {
    co_return std::string("rescued ") + e.what();
  }
}

void a_rejection_is_thrown() {
  CHECK(rescued(promise<int>::rejected(std::out_of_range("far"))).get() == "rescued far");
  promise<int> source;
  const auto text = rescued(source.copy());
  source.reject(std::out_of_range("late"));
  CHECK(text.get() == "rescued late");
  const auto other = rescued(promise<int>::rejected(std::domain_error("odd")));
  CHECK(throws<std::domain_error>([&] { other.get(); }));
  CHECK(throws<promises::error>([] { rescued(promise<std::string>::resolved("no number").as<int>()).get(); }));
}

promise<int> value_of(const promise<int> &source) {
  co_return co_await source;
}

void an_lvalue_keeps_its_reference() {
  promise<int> source;
  promise_t *const raw = source.raw();
  const auto last = value_of(source);
  source.reset();
  CHECK(promise_state(raw) == PROMISE_PENDING && promise_retain(raw) == PROMISE_OK);
  promise<int>::adopt(raw).resolve(3);
  CHECK(last.get() == 3);
}

promise<int> throws_at_once() {
  throw std::runtime_error("at once");
  co_return 1;
}

void an_exception_rejects() {
  CHECK(throws<std::runtime_error>([] { throws_at_once().get(); }));
  const auto chained = throws_at_once().rescue<std::runtime_error>([](const std::runtime_error &) { return 2; });
  CHECK(chained.get() == 2);
}

void a_coroutine_that_cannot_go_on_is_destroyed() {
  const auto closed = [](const promises::error &e) { return e.domain() == "promise" && e.code() == PROMISE_ECLOSED; };
  promise<int> source;
  const auto never = add_one(source.copy());
  const auto after = add_one(never.copy());
  CHECK(counted::alive == 2);
  source.reset();
  CHECK(counted::alive == 0 && never.is_settled());
  CHECK(throws<promises::error>([&] { never.get(); }, closed));
  CHECK(throws<promises::error>([&] { after.get(); }, closed));
  // The only reference to the source was the coroutine's.
  const auto nobody = add_one(promise<int>());
  CHECK(counted::alive == 0);
  CHECK(throws<promises::error>([&] { nobody.get(); }, closed));
}

void a_coroutine_outlives_its_promise() {
  promise<std::string> source;
  std::string text;
  append(source, text).reset();
  CHECK(counted::alive == 1);
  source.resolve("still");
  CHECK(text == "still." && counted::alive == 0);
}

promise<int> twice(promise<> first, promise<int> second) {
  co_await std::move(first);
  co_return co_await std::move(second);
}

void requests_propagate_upstream() {
  promise<int> producer;
  bool asked = false;
  producer.on_cancel_request([&](const promises::value &) {
    asked = true;
    producer.discard();
  });
  const auto sum = add_one(producer.copy());
  CHECK(!asked && sum.request_cancel() && asked);
  CHECK(throws<promises::cancelled>([&] { sum.get(); }));
  // A coroutine is asked to cancel before it awaits the second promise.
  promise<> first;
  promise<int> second;
  int requests = 0;
  promises::value why;
  second.on_cancel_request([&](const promises::value &received) {
    ++requests;
    why = received.copy();
  });
  const auto both = twice(first.copy(), second.copy());
  const promises::value reason = promises::error::make("test", 7, "why", promises::value());
  both.request_cancel(reason);
  CHECK(requests == 0 && first.cancel_requested());
  first.resolve();
  CHECK(requests == 1 && why == reason);
  second.resolve(4);
  CHECK(both.get() == 4);
}

void a_discard_asks_nothing() {
  promise<> first;
  promise<int> second;
  const auto both = twice(first.copy(), second.copy());
  both.discard();
  CHECK(!first.cancel_requested());
  first.resolve();
  CHECK(!second.cancel_requested());
  second.resolve(4);
  CHECK(throws<promises::cancelled>([&] { both.get(); }));
}

promise<bool> goes_on(promise<int> source, const promises::executor &to) {
  const counted local;
  co_await std::move(source).on(to);
  co_return to.is_current();
}

void a_place_is_where_it_goes_on() {
  const auto pool = promises::executor::global();
  const auto serial = promises::executor::serial(pool);
  for (int i = 0; i < 200; ++i)
    CHECK(goes_on(promise<int>::resolved(1), i % 2 == 0 ? pool : serial).get());
  CHECK(goes_on(promise<int>::resolved(1), promises::executor::immediate()).is_settled());
  std::vector<promise_job_t *> jobs;
  const auto own = promises::executor::of([&](promise_job_t *job) { jobs.push_back(job); });
  const auto ran = goes_on(promise<int>::resolved(1), own);
  const auto dropped = goes_on(promise<int>::resolved(1), own);
  CHECK(jobs.size() == 2 && counted::alive == 2);
  promise_job_run(jobs[0]);
  promise_job_drop(jobs[1]);
  CHECK(counted::alive == 0 && ran.get());
  CHECK(throws<promises::error>([&] { dropped.get(); }));
}

promise<int> unless(const promises::token &token, promise<int> source) {
  const counted local;
  co_return co_await std::move(source).on(token);
}

void a_token_ends_it() {
  const promises::token token;
  promise<int> source;
  const auto silenced = unless(token, source.copy());
  token.invalidate();
  const auto later = unless(token, source.copy());
  source.resolve(1);
  CHECK(counted::alive == 0 && later.get() == 1);
  CHECK(throws<promises::error>([&] { silenced.get(); },
                                [](const promises::error &e) { return e.code() == PROMISE_ECLOSED; }));
}

promise<int> sum_of(const std::vector<promise<int>> &inputs) {
  const counted local;
  int sum = 0;
  for (const auto &input : inputs)
    sum += co_await input;
  co_return sum;
}

void threads_settle_awaited_promises() {
  for (int round = 0; round < 20; ++round) {
    const std::vector<promise<int>> inputs(20);
    gate begin;
    std::thread settler([&] {
      begin.wait();
      for (const auto &input : inputs)
        input.resolve(1);
    });
    begin.open();
    const auto one = sum_of(inputs);
    const auto other = sum_of(inputs);
    CHECK(one.get() == 20 && other.get() == 20);
    settler.join();
  }
}

// A coroutine type as in other libraries: its owner destroys the coroutine.
struct task {
  struct promise_type {
    task get_return_object() {
      return task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept {
      return {};
    }
    std::suspend_always final_suspend() noexcept {
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {
      thrown = std::current_exception();
    }
    std::exception_ptr thrown;
  };
  std::coroutine_handle<promise_type> frame;

  explicit task(std::coroutine_handle<promise_type> made) : frame(made) {}
  /* Needed by clang before 17, which moves the result of get_return_object(). */
  task(task &&other) noexcept : frame(std::exchange(other.frame, nullptr)) {}
  task &operator=(task &&) = delete;
  ~task() {
    if (frame)
      frame.destroy();
  }
  bool was_closed() const {
    return frame.done() && throws<promises::error>([&] { std::rethrow_exception(frame.promise().thrown); },
                                                   [](const auto &e) { return e.code() == PROMISE_ECLOSED; });
  }
};

task hears(promise<int> of, int &to) {
  const counted local;
  to = co_await std::move(of);
}
task hears_on(promise<int> of, const promises::place &where) {
  const counted local;
  co_await std::move(of).on(where);
}

void a_coroutine_of_another_kind_is_its_owners() {
  int heard = 0;
  promise<int> source;
  {
    const task waits = hears(source.copy(), heard);
    CHECK(!waits.frame.done() && counted::alive == 1);
  }
  CHECK(counted::alive == 0); // the frame was destroyed: a later settlement does not resume it
  const task waits = hears(source.copy(), heard);
  source.resolve(7);
  CHECK(heard == 7 && waits.frame.done());
}

void a_coroutine_of_another_kind_is_notified_that_it_cannot_go_on() {
  int heard = 0;
  promise<int> source;
  const task waits = hears(source.copy(), heard);
  const promises::token token;
  const task silenced = hears_on(source.copy(), token);
  source.reset();
  CHECK(waits.was_closed() && silenced.was_closed());
  const task never = hears(promise<int>(), heard);
  CHECK(never.was_closed() && heard == 0);
  std::vector<promise_job_t *> jobs;
  const auto own = promises::executor::of([&](promise_job_t *job) { jobs.push_back(job); });
  const task dropped = hears_on(promise<int>::resolved(1), own);
  CHECK(jobs.size() == 1 && !dropped.frame.done());
  promise_job_drop(jobs[0]);
  CHECK(dropped.was_closed());
  {
    const task destroyed = hears_on(promise<int>::resolved(1), own);
    CHECK(jobs.size() == 2);
  }
  CHECK(promise_job_run(jobs[1]) == PROMISE_OK);
  // An executor that runs the job of a settled promise within the coroutine gets a second job, to resume it.
  int left = 1;
  const auto runs_one = promises::executor::of([&](promises::job job) {
    if (left-- > 0)
      job.run();
  });
  const task late = hears_on(promise<int>::resolved(1), runs_one);
  CHECK(left == -1 && late.was_closed());
}

void many_that_wait_for_one_another_take_no_stack() {
  constexpr int many = 50'000;
  promise<int> source, failing, dropped;
  promise<int> sum = source.copy(), failed = failing.copy(), gone = dropped.copy();
  for (int i = 0; i < many; ++i) {
    sum = add_one(std::move(sum));
    failed = add_one(std::move(failed));
    gone = add_one(std::move(gone));
  }
  int last = 0;
  sum.observe([&](int n) { last = n; }, [](const promises::error &) {});
  source.resolve(0);
  CHECK(last == many && sum.get() == many);
  failing.reject(std::out_of_range("far"));
  CHECK(throws<std::out_of_range>([&] { failed.get(); }));
  dropped.reset();
  CHECK(throws<promises::error>([&] { gone.get(); }));
}

promise<int> goes_through(promise<int> first, promise<int> second, promise<int> third) {
  const counted local;
  const int one = co_await std::move(first);
  const int two = co_await second;
  // A settlement inside the coroutine is complete when its call returns: `outer` is settled.
  promise<int> inner;
  const auto outer = add_one(inner.copy());
  inner.resolve(one + two);
  co_return outer.get() + co_await std::move(third);
}

void the_last_wait_settles_the_coroutine() {
  promise<int> first, second, third;
  const auto all = goes_through(first.copy(), second.copy(), third.copy());
  const auto settled = goes_through(first.copy(), promise<int>::resolved(2), promise<int>::resolved(3));
  const auto after = add_one(all.copy());
  first.resolve(1);
  CHECK(settled.get() == 7 && !all.is_settled());
  second.resolve(2);
  third.resolve(3);
  CHECK(all.get() == 7 && after.get() == 8);
  // Another holder settles the coroutine's promise before the coroutine returns.
  promise<int> source;
  const auto taken = add_one(source.copy());
  CHECK(taken.resolve(5) && source.resolve(1) && taken.get() == 5);
}

promise<int> sum_of_events(const promises::publisher<int> &numbers) {
  const counted local;
  const auto by = numbers.subscribe();
  int sum = 0;
  while (const auto number = co_await by.next_or_end())
    sum += *number;
  co_return sum;
}

void streams_are_awaited() {
  const promises::publisher<int> numbers, fails;
  const auto sum = sum_of_events(numbers);
  const auto failed = sum_of_events(fails);
  numbers.publish(1);
  numbers.publish(2);
  numbers.finish();
  CHECK(sum.get() == 3);
  fails.fail(std::out_of_range("far"));
  CHECK(throws<std::out_of_range>([&] { failed.get(); }));
  // A request to cancel propagates to the awaited event.
  const promises::publisher<int> other;
  const auto cancelled = sum_of_events(other);
  cancelled.request_cancel();
  CHECK(throws<promises::cancelled>([&] { cancelled.get(); }) && other.subscribers() == 0);
}

} // namespace

int main() {
  return run(a_settled_promise_is_awaited, a_pending_promise_is_awaited, an_lvalue_keeps_its_reference,
             a_rejection_is_thrown, an_exception_rejects, a_coroutine_that_cannot_go_on_is_destroyed,
             a_coroutine_outlives_its_promise, requests_propagate_upstream, a_discard_asks_nothing,
             a_place_is_where_it_goes_on, a_token_ends_it, threads_settle_awaited_promises,
             a_coroutine_of_another_kind_is_its_owners, a_coroutine_of_another_kind_is_notified_that_it_cannot_go_on,
             many_that_wait_for_one_another_take_no_stack, the_last_wait_settles_the_coroutine, streams_are_awaited);
}
