// Lambdas as handlers, exceptions in both directions, cancellation, combinators, executors, threads.
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;
using namespace std::chrono_literals;

// An exception with a member besides its message.
struct refused : std::runtime_error {
  int number;
  counted count;
  explicit refused(int why) : runtime_error("refused"), number(why) {}
};

bool is_refused_7(const refused &e) {
  return e.number == 7;
}

void chains() {
  promise<std::int64_t> answer;
  const auto text = answer.then([](std::int64_t number) { return std::to_string(number * 2); });
  const auto nothing = text.then([count = counted()](const std::string &) {});
  const auto constant = nothing.then([] { return "done"; });
  const promise<std::string> view = constant.then([](const std::string &) { return std::string_view("view"); });
  CHECK(answer.resolve(21) && !answer.resolve(1));
  CHECK(counted::alive == 0);
  CHECK(text.get() == "42");
  nothing.get();
  CHECK(constant.get() == "done" && view.get() == "view");
}

void a_promise_from_a_handler_is_followed() {
  promise<> start;
  promise<int> inner;
  const promise<int> outer = start.then([&] { return inner.copy(); });
  start.resolve();
  CHECK(outer.state() == PROMISE_PENDING);
  inner.resolve(5);
  CHECK(outer.get() == 5);
  const promise<int> source, follower;
  CHECK(follower.follow(source) && source.resolve(6) && follower.get() == 6 && !follower.follow(source));
}

void contexts_end_once() {
  {
    promise<int> never;
    never.then([count = counted()](int) {});
    never.rescue([count = counted()](const promises::error &) { return 1; });
    never.finally([count = counted()] {});
    never.observe([count = counted()](int) {}, [count = counted()](const promises::error &) {});
    never.tap([](int) {}, [count = counted()](const promises::error &) {});
    never.on_cancel_request([count = counted()](const promises::value &) {});
    CHECK(counted::alive == 7);
  }
  CHECK(counted::alive == 0);
  promise<int>::resolved(1).rescue([count = counted()](const promises::error &) { return 1; });
  promises::executor::immediate().submit([count = counted()] {});
  CHECK(counted::alive == 0);
}

void an_exception_is_thrown_again() {
  const auto failed = promise<int>::resolved(7).then([](int why) -> int { throw refused(why); });
  CHECK(counted::alive == 1);
  CHECK(throws<refused>([&] { failed.get(); }, is_refused_7));
  // The exception propagates through chains, and through C.
  const auto passed_on = failed.then([](int n) { return n; }).finally([] {}).as<promises::value>();
  CHECK(throws<refused>([&] { passed_on.get(); }, is_refused_7));
  // A C caller sees an ERROR with the type and the message.
  promise_value_t reason;
  CHECK(promise_result(failed.raw(), &reason) == PROMISE_OK);
  const promises::error seen(promises::value::adopt(reason));
  CHECK(seen.domain().find("refused") != std::string::npos && seen.message() == "refused" && seen.code() == 0);
}

void exceptions_without_a_class() {
  const auto failed = promise<>::resolved().then([] { throw 5; });
  CHECK(throws<int>([&] { failed.get(); }, [](int n) { return n == 5; }));
  const auto shown = failed.rescue([](const promises::error &e) {
    CHECK(e.domain() == "c++" && e.message() == "an exception that is not a std::exception");
  });
  shown.get();
  const auto latin = promise<>::rejected(std::runtime_error("gr\xfc\xdf"));
  CHECK(latin.rescue([](const promises::error &e) { CHECK(e.message() == "gr??"); }).is_settled());
  CHECK(throws<std::runtime_error>([&] { latin.get(); }));
}

void errors_of_others() {
  promise<int> foreign;
  promise_value_t reason;
  CHECK(promise_value_error(&reason, "http", 404, "not found") == PROMISE_OK);
  CHECK(promise_reject(foreign.raw(), &reason) == PROMISE_OK);
  const auto is_404 = [](const promises::error &e) {
    return e.domain() == "http" && e.code() == 404 && std::string(e.what()) == "not found";
  };
  CHECK(throws<promises::error>([&] { foreign.get(); }, is_404));
  // A handler that rethrows the error passes the same reason on.
  const auto again = foreign.rescue([](const promises::error &e) -> int { throw e; });
  CHECK(throws<promises::error>([&] { again.get(); }, is_404));
  const auto number = promise<int>::rejected(promises::value::of(3));
  CHECK(throws<promises::error>([&] { number.get(); },
                                [](const promises::error &e) { return e.reason().as<int>() == 3; }));
}

void rescues_choose() {
  const auto failed = promise<int>::rejected(refused(7));
  CHECK(failed.rescue<std::runtime_error>([](const std::runtime_error &) { return 1; }).get() == 1);
  const auto passes = failed.rescue<std::logic_error>([](const std::logic_error &) { return 1; });
  CHECK(throws<refused>([&] { passes.get(); }, is_refused_7));
  CHECK(failed.rescue<std::exception_ptr>([](std::exception_ptr e) { return e ? 2 : 0; }).get() == 2);
  CHECK(failed.rescue(promises::type::named("error"), [](const promises::error &) { return 3; }).get() == 3);
  const auto other = failed.rescue(promises::type::named("discarded"), [](const promises::error &) { return 3; });
  CHECK(other.state() == PROMISE_REJECTED);
  CHECK(failed.rescue([](const promises::error &) { return promise<int>::resolved(4); }).get() == 4);
  // For a promise of any value, nothing is a VOID.
  CHECK(failed.as<promises::value>().rescue([](const promises::error &) {}).get().kind() == PROMISE_KIND_VOID);
}

void finally_passes_on_or_throws() {
  int runs = 0;
  CHECK(promise<int>::resolved(1).finally([&] { ++runs; }).get() == 1);
  CHECK(throws<refused>([&] { promise<int>::rejected(refused(7)).finally([&] { ++runs; }).get(); }, is_refused_7));
  CHECK(throws<refused>([&] { promise<int>::resolved(1).finally([] { throw refused(7); }).get(); }, is_refused_7));
  CHECK(runs == 2);
}

void observers_see_values_of_other_types() {
  int fulfilled = 0;
  int rejected = 0;
  const auto good = [&](int n) { fulfilled += n; };
  const auto bad = [&](const promises::error &) { ++rejected; };
  promise<int>::resolved(5).observe(good, bad);
  promise<int>::resolved(5).tap(good, bad);
  promise<int>::rejected(refused(1)).observe(good, bad);
  promise<std::string>::resolved("five").as<int>().observe(good, bad);
  CHECK(fulfilled == 10 && rejected == 2);
}

void cancelling() {
  promise<int> work;
  std::string why;
  work.on_cancel_request([&, own = work.copy()](const promises::value &reason) {
    why = reason.as<std::string>();
    own.discard();
  });
  CHECK(!work.cancel_requested());
  CHECK(work.request_cancel(promises::value::of("enough")) && why == "enough");
  CHECK(work.cancel_requested() && !work.request_cancel());
  CHECK(throws<promises::cancelled>([&] { work.get(); }));
  const auto thrown = promise<>::resolved().then([] { throw promises::cancelled(); });
  CHECK(throws<promises::cancelled>([&] { thrown.get(); }) && thrown.cancel_requested());
  const promise<int> because;
  CHECK(because.discard(promises::error("x", 9, "y")) && !because.discard(promises::value::of(1)));
  CHECK(throws<promises::cancelled>(
      [&] { because.get(); }, [](const auto &e) { return e.cause().template as<promises::error>().code() == 9; }));
  // References keep a promise from being cancelled through the promises derived from it, until it is sealed.
  const promise<int> root, kept = root.then([](int n) { return n; }), other = kept.copy();
  const auto derived = kept.then([](int n) { return n; });
  CHECK(derived.request_cancel() && !kept.cancel_requested());
  kept.seal();
  CHECK(kept.cancel_requested() && root.cancel_requested());
}

void tokens_silence() {
  const promises::token token;
  promise<int> source;
  int runs = 0;
  const auto silenced = source.then(token, [&](int n) { return runs += n; });
  promise<int> asked;
  asked.add_to(token);
  token.invalidate();
  CHECK(token.generation() == 1 && asked.cancel_requested());
  const auto later = source.then(token, [&](int n) { return runs += n; });
  source.resolve(1);
  CHECK(runs == 1 && later.get() == 1);
  CHECK(throws<promises::cancelled>([&] { silenced.get(); }));
  // cancel() asks too, and silences nothing.
  const promise<int> other;
  const auto heard = other.then(token, [&](int n) { return runs += n; });
  other.add_to(token);
  token.cancel();
  CHECK(token.is_cancelled() && token.generation() == 1 && other.cancel_requested());
  other.resolve(1);
  CHECK(heard.get() == 2);
}

void tokens_are_chained() {
  const promises::token parent, both, one;
  both.chain(parent);
  one.chain(parent, false);
  parent.cancel();
  CHECK(both.is_cancelled() && !one.is_cancelled() && both.generation() == 0);
  parent.invalidate();
  CHECK(both.generation() == 1 && one.generation() == 1);
  // A token may invalidate at its end.
  const promise<int> asked, silent;
  {
    const promises::token quiet, last(true);
    asked.add_to(last);
    silent.add_to(quiet);
  }
  CHECK(asked.cancel_requested() && !silent.cancel_requested());
  const auto stale = promises::token::adopt(promises::token().raw());
  CHECK(throws<promises::error>([&] { stale.deadline(); },
                                [](const promises::error &e) { return e.code() == PROMISE_ESTALE; }));
}

void combining() {
  std::vector<promise<int>> two;
  two.push_back(promise<int>::resolved(1));
  two.emplace_back();
  const auto both = promises::all(two);
  const auto first = promises::race(two);
  const auto ends = promises::all_settled(two);
  const auto mixed = promises::all(two[1], promise<std::string>::resolved("x"));
  CHECK(first.get() == 1 && promises::any(two).get() == 1 && !both.is_settled());
  two[1].reject(refused(7));
  CHECK(throws<refused>([&] { both.get(); }, is_refused_7));
  CHECK(throws<refused>([&] { mixed.get(); }, is_refused_7));
  const auto seen = ends.get();
  CHECK(seen.size() == 2 && seen[0].get<int>() == 1 && !seen[1].is_fulfilled());
  CHECK(throws<refused>([&] { seen[1].get<int>(); }, is_refused_7));
  const auto pair = promises::all(promise<int>::resolved(1), promise<std::string>::resolved("x")).get();
  CHECK(pair == std::tuple<int, std::string>(1, "x"));
  std::vector<promise<>> none;
  promises::all(none).get();
}

void others_are_asked() {
  using promises::others;
  const auto asks = [](auto combine, others rest, bool fails) {
    std::vector<promise<int>> two(2);
    const auto end = combine(two, rest);
    fails ? two[0].reject(refused(7)) : two[0].resolve(1);
    const bool asked = two[1].cancel_requested();
    two[1].resolve(2);
    return asked;
  };
  const auto all = [](const auto &inputs, others rest) { return promises::all(inputs, rest); };
  const auto any = [](const auto &inputs, others rest) { return promises::any(inputs, rest); };
  const auto race = [](const auto &inputs, others rest) { return promises::race(inputs, rest); };
  CHECK(asks(all, others::are_cancelled, true) && !asks(all, others::go_on, true));
  CHECK(asks(any, others::are_cancelled, false) && !asks(any, others::go_on, false));
  CHECK(asks(race, others::are_cancelled, false) && !asks(race, others::go_on, false));
}

void time_runs_out() {
  promise<int> never;
  CHECK(throws<promises::error>([&] { never.result(); },
                                [](const promises::error &e) { return e.code() == PROMISE_EPENDING; }));
  const auto late = [](const promises::error &e) { return e.domain() == "promise" && e.code() == PROMISE_ETIMEDOUT; };
  CHECK(!never.wait_for(1ms) && !never.wait_for(-1h));
  CHECK(!never.wait_until(std::chrono::steady_clock::now() + 1ms));
  CHECK(!never.wait_until(std::chrono::steady_clock::time_point::min()));
  CHECK(!never.wait_until(std::chrono::system_clock::time_point::min()));
  using hours = std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>;
  CHECK(!never.wait_until(hours::min()) && promises::sleep(1ms).wait_until(hours::max()));
  // A time point in the year 2301: within 292 years of now, but not of 1970.
  CHECK(promises::sleep(1ms).wait_until(hours(std::chrono::hours(2'910'000))));
  CHECK(throws<promises::error>([&] { never.get_for(1ms); }, late));
  CHECK(throws<promises::error>([&] { promises::timeout(never, 1ms).get(); }, late));
  promises::sleep(1ms).get();
  CHECK(promises::delay(promise<int>::resolved(2), 1ms).get() == 2);
  CHECK(promise<int>::resolved(1).wait_for(std::chrono::hours::max()));
  const std::chrono::duration<double> none(std::nan(""));
  CHECK(!never.wait_for(none));
}

void loops_and_executors() {
  const promises::loop loop;
  const auto thread = std::this_thread::get_id();
  std::thread::id ran;
  const auto there = promise<int>::resolved(1).then(loop.on(), [&](int) { ran = std::this_thread::get_id(); });
  CHECK(!there.is_settled() && loop.run_once() == 1 && ran == thread && there.is_settled());
  CHECK(!loop.run_for(1ms) && loop.fd() >= 0);
  const auto stops = promises::run(loop.on(), [&] { loop.stop(); });
  CHECK(loop.run_for(1h) && stops.is_settled());
  std::vector<promise_job_t *> jobs;
  const auto own = promises::executor::of([&jobs](promise_job_t *job) { jobs.push_back(job); });
  const auto dropped = promise<int>::resolved(1).then(own, [count = counted()](int) {});
  CHECK(jobs.size() == 1 && promise_job_drop(jobs[0]) == PROMISE_OK && counted::alive == 0);
  CHECK(throws<promises::error>([&] { dropped.get(); },
                                [](const promises::error &e) { return e.code() == PROMISE_ECLOSED; }));
}

void threads() {
  gate begin;
  std::atomic<int> sum{0};
  std::vector<promise<int>> promises_(50);
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      begin.wait();
      for (auto &promise : promises_) {
        promise.observe([&, count = counted()](int n) { sum += n; }, [](const promises::error &) {});
        promise.resolve(1);
      }
    });
  }
  begin.open();
  for (auto &worker : workers)
    worker.join();
  CHECK(sum == 200);
  const auto pool = promises::executor::global();
  const auto serial = promises::executor::serial(pool);
  auto chain = promise<int>::resolved(0);
  for (int i = 0; i < 100; ++i)
    chain = chain.then(i % 2 == 0 ? pool : serial, [count = counted()](int n) { return n + 1; });
  CHECK(chain.get() == 100);
  gate freed; // a handler's captures may be destroyed slightly after its promise has settled
  serial.submit([&] { freed.open(); });
  freed.wait();
}

} // namespace

int main() {
  return run(chains, a_promise_from_a_handler_is_followed, contexts_end_once, an_exception_is_thrown_again,
             exceptions_without_a_class, errors_of_others, rescues_choose, finally_passes_on_or_throws,
             observers_see_values_of_other_types, cancelling, tokens_silence, tokens_are_chained, combining,
             others_are_asked, time_runs_out, loops_and_executors, threads);
}
