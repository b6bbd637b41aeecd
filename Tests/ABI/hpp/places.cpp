// Executors: jobs, loops that wait, the main executor, timers on executors. Empty handles are rejected.
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;
using namespace std::chrono_literals;

bool is_invalid(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_EINVAL;
}
bool is_closed(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_ECLOSED;
}

void nothing_empty_is_a_place() {
  promises::executor moved = promises::executor::global();
  const promises::executor kept = std::move(moved);
  const promise<int> source;
  const promises::token token;
  const auto later = std::chrono::steady_clock::now() + 1h;
  CHECK(throws<promises::error>([&] { promises::executor::serial(moved); }, is_invalid));
  CHECK(throws<promises::error>([&] { promises::executor::set_main(moved); }, is_invalid));
  CHECK(throws<promises::error>([&] { promises::sleep(moved, 1ms); }, is_invalid));
  CHECK(throws<promises::error>([&] { promises::delay(moved, source, 1ms); }, is_invalid));
  CHECK(throws<promises::error>([&] { promises::timeout(moved, source, 1ms); }, is_invalid));
  CHECK(throws<promises::error>([&] { token.set_deadline(later, moved); }, is_invalid));
  CHECK(throws<promises::error>([&] { source.then(moved, [](int) {}); }, is_invalid));
  CHECK(token.deadline() == std::chrono::steady_clock::time_point::max() && kept);
}

void a_job_is_run_or_dropped() {
  std::vector<promises::job> jobs;
  const auto own = promises::executor::of([&](promises::job job) { jobs.push_back(std::move(job)); });
  const auto ran = promises::run(own, [count = counted()] { return 7; });
  const auto dropped = promises::run(own, [count = counted()] { return 7; });
  CHECK(jobs.size() == 2 && counted::alive == 2);
  jobs[0].run();
  CHECK(!jobs[0] && ran.get() == 7 && counted::alive == 1);
  CHECK(throws<promises::error>([&] { jobs[0].run(); }, is_invalid));
  jobs.clear();
  CHECK(counted::alive == 0 && throws<promises::error>([&] { dropped.get(); }, is_closed));
}

void a_loop_waits() {
  promises::loop made;
  const promises::loop loop = made.copy();
  made.reset();
  CHECK(!loop.is_current());
  const auto first = promises::run(loop.on(), [&] { return loop.is_current() ? 1 : 0; });
  CHECK(loop.wait(first) && first.get() == 1);
  const promise<int> never;
  CHECK(!loop.wait_for(never, 1ms) && !never.is_settled());
  const auto stops = promises::run(loop.on(), [&] { loop.stop(); });
  CHECK(!loop.wait(never) && stops.is_settled());
  // It runs, and waits, for as long as it takes.
  promises::sleep(loop.on(), 1ms).observe([&] { loop.stop(); }, [](const promises::error &) {});
  loop.run();
  CHECK(loop.wait_for(promises::sleep(loop.on(), 100ms), 60s));
  CHECK(loop.wait(promises::sleep(loop.on(), 1ms)));
  CHECK(loop.wait(promises::delay(loop.on(), first, 1ms)));
  const auto late = promises::timeout(loop.on(), never, 1ms);
  CHECK(loop.wait(late) && throws<promises::error>([&] { late.get(); }));
  promise<int> gone;
  gone.reset();
  CHECK(throws<promises::error>([&] { loop.wait(gone); }, is_invalid));
}

void the_main_executor_can_be_replaced() {
  CHECK(promises::is_main_thread());
  bool other = true;
  std::thread([&] { other = promises::is_main_thread(); }).join();
  CHECK(!other);
  const promises::loop loop;
  promises::executor::set_main(loop.on());
  const auto ran = promises::run(promises::executor::main(), [] { return promises::is_main_thread(); });
  CHECK(!ran.is_settled() && loop.run_once() == 1 && ran.get());
  promises::executor::reset_main();
  const auto in_main = promises::run(promises::executor::main(), [] { return promises::is_main_thread(); });
  CHECK(!in_main.is_settled() && promises::loop::main().run_once() == 1 && in_main.get());
}

void any_can_be_waited_for() {
  std::vector<promise<int>> two(2);
  CHECK(!promises::wait_any_for(two, 1ms));
  two[1].resolve(1);
  CHECK(promises::wait_any(two) == 1 && promises::wait_any_for(two, 0ms) == 1);
  two[0].reset();
  CHECK(throws<promises::error>([&] { promises::wait_any(two); }, is_invalid));
}

void discarding_is_reported() {
  int heard = 0;
  const auto work = promise<int>::discardable([&, count = counted()] { ++heard; });
  CHECK(work.discard() && heard == 1 && counted::alive == 0 && !work.discard());
  promise<int>::discardable([&, count = counted()] { ++heard; }).resolve(1);
  CHECK(heard == 1);
}

void a_rescue_has_type_and_place() {
  const promises::loop loop;
  const auto failed = promise<int>::rejected(std::runtime_error("x"));
  const auto rescued =
      failed.rescue(loop.on(), promises::type::named("error"), [](const promises::error &) { return 3; });
  CHECK(!rescued.is_settled() && loop.wait(rescued) && rescued.get() == 3);
}

} // namespace

int main() {
  return run(nothing_empty_is_a_place, a_job_is_run_or_dropped, a_loop_waits, the_main_executor_can_be_replaced,
             any_can_be_waited_for, discarding_is_reported, a_rescue_has_type_and_place);
}
