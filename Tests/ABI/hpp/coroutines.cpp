// Promises that are awaited, and coroutines that return them.
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
  // An lvalue can be awaited again and again.
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
  // Where the coroutine's own reference was the last one.
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

void requests_climb() {
  promise<int> producer;
  bool asked = false;
  producer.on_cancel_request([&](const promises::value &) {
    asked = true;
    producer.discard();
  });
  const auto sum = add_one(producer.copy());
  CHECK(!asked && sum.request_cancel() && asked);
  CHECK(throws<promises::cancelled>([&] { sum.get(); }));
  // Asked before it awaits the second.
  promise<> first;
  promise<int> second;
  int requests = 0;
  second.on_cancel_request([&](const promises::value &) { ++requests; });
  const auto both = twice(first.copy(), second.copy());
  both.request_cancel();
  CHECK(requests == 0 && first.cancel_requested());
  first.resolve();
  CHECK(requests == 1);
  second.resolve(4);
  CHECK(both.get() == 4);
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

void threads_settle_what_is_awaited() {
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

} // namespace

int main() {
  return run(a_settled_promise_is_awaited, a_pending_promise_is_awaited, a_rejection_is_thrown, an_exception_rejects,
             a_coroutine_that_cannot_go_on_is_destroyed, a_coroutine_outlives_its_promise, requests_climb,
             a_place_is_where_it_goes_on, a_token_ends_it, threads_settle_what_is_awaited);
}
