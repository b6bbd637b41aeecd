// Handles that are empty, after reset() or as the source of a move: each function that uses one throws, and calls
// nothing.
#include <chrono>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;
using promises::value;
using namespace std::chrono_literals;

const auto never = [](const promises::error &) { CHECK(false); };

// Whether a call throws the error for an argument that is wrong.
template <class Body> bool refuses(Body body) {
  return throws<promises::error>(
      body, [](const promises::error &e) { return e.domain() == "promise" && e.code() == PROMISE_EINVAL; });
}
// Checks a call on a handle.
#define REFUSES(...) CHECK(refuses([&] { static_cast<void>(__VA_ARGS__); }))

template <class Handle> Handle emptied(Handle handle) {
  handle.reset();
  CHECK(!handle && handle.raw() == nullptr && handle.release() == nullptr);
  return handle;
}

void a_promise_is_settled_or_read() {
  const auto gone = emptied(promise<int>());
  const promise<int> there;
  REFUSES(gone.copy());
  REFUSES(gone.as<std::string>());
  REFUSES(gone.resolve(1));
  REFUSES(gone.reject(promises::cancelled()));
  REFUSES(gone.discard());
  REFUSES(gone.discard(promises::cancelled()));
  REFUSES(gone.follow(there));
  REFUSES(there.follow(gone));
  REFUSES(gone.state());
  REFUSES(gone.is_settled());
  REFUSES(gone.wait());
  REFUSES(gone.wait_for(1ms));
  REFUSES(gone.wait_until(std::chrono::steady_clock::now()));
  REFUSES(gone.wait_interruptible());
  REFUSES(gone.wait_interruptible_for(1ms));
  REFUSES(gone.get());
  REFUSES(gone.get_for(1ms));
  REFUSES(gone.result());
  CHECK(gone.id() == 0 && !there.is_settled());
}

void a_promise_is_reacted_to_or_asked() {
  const auto gone = emptied(promise<int>());
  REFUSES(gone.then([count = counted()](int) {}));
  REFUSES(gone.rescue([count = counted()](const promises::error &) { return 1; }));
  REFUSES(gone.rescue(promises::type::named("error"), [count = counted()](const promises::error &) { return 1; }));
  REFUSES(gone.rescue<std::exception>([count = counted()](const std::exception &) { return 1; }));
  REFUSES(gone.finally([count = counted()] {}));
  REFUSES(gone.observe([count = counted()](int) {}, never));
  REFUSES(gone.tap([count = counted()](int) {}, never));
  REFUSES(gone.request_cancel());
  REFUSES(gone.cancel_requested());
  REFUSES(gone.on_cancel_request([count = counted()](const value &) {}));
  REFUSES(gone.add_to(promises::token()));
  REFUSES(promise<int>().add_to(emptied(promises::token())));
  REFUSES(gone.seal());
}

void promises_are_combined() {
  std::vector<promise<int>> two(2);
  two[1].reset();
  REFUSES(promises::all(two));
  REFUSES(promises::all(two[0], two[1]));
  REFUSES(promises::all_settled(two));
  REFUSES(promises::any(two));
  REFUSES(promises::race(two));
  REFUSES(promises::wait_any(two));
  REFUSES(promises::wait_any_for(two, 1ms));
  REFUSES(promises::delay(two[1], 1ms));
  REFUSES(promises::timeout(two[1], 1ms));
  REFUSES(promises::publisher<int>::of(two[1]));
  const promises::loop loop;
  REFUSES(loop.wait(two[1]));
  REFUSES(loop.wait_for(two[1], 1ms));
}

void executors_and_loops() {
  const auto gone = emptied(promises::executor::global());
  REFUSES(gone.copy());
  REFUSES(gone.submit([count = counted()] {}));
  CHECK(!gone.is_current());
  const auto loop = emptied(promises::loop());
  REFUSES(loop.copy());
  REFUSES(loop.fd());
  REFUSES(loop.on());
  REFUSES(loop.run_once());
  REFUSES(loop.run());
  REFUSES(loop.run_for(1ms));
  REFUSES(loop.wait(promise<int>()));
  REFUSES(loop.wait_for(promise<int>(), 1ms));
  REFUSES(loop.stop());
  CHECK(!loop.is_current());
  auto job = promises::job();
  REFUSES(job.run());
}

void tokens_and_places() {
  const auto gone = emptied(promises::token());
  const auto nowhere = emptied(promises::executor::global());
  const promises::token there;
  REFUSES(gone.copy());
  REFUSES(gone.invalidate());
  REFUSES(gone.cancel());
  REFUSES(gone.chain(there));
  REFUSES(there.chain(gone));
  REFUSES(gone.is_cancelled());
  REFUSES(gone.set_deadline(std::chrono::steady_clock::now()));
  REFUSES(gone.set_deadline(std::chrono::steady_clock::now(), promises::executor::global()));
  REFUSES(gone.deadline());
  REFUSES(gone.generation());
  REFUSES(promises::place(nowhere));
  REFUSES(promises::place(gone));
  REFUSES(promises::place(nowhere, there));
  REFUSES(promises::place(promises::executor::global(), gone));
}

void publishers() {
  const auto gone = emptied(promises::publisher<int>());
  const promises::publisher<int> there;
  REFUSES(gone.copy());
  REFUSES(gone.as<std::string>());
  REFUSES(gone.publish(1));
  REFUSES(gone.publish_error(promises::cancelled()));
  REFUSES(gone.finish());
  REFUSES(gone.fail(promises::cancelled()));
  REFUSES(gone.cancel());
  REFUSES(gone.ready());
  REFUSES(gone.state());
  REFUSES(gone.subscribers());
  REFUSES(gone.latest());
  REFUSES(gone.subscribe());
  REFUSES(gone.subscribe([count = counted()](int) {}, never));
  REFUSES(gone.forward(there));
  REFUSES(there.forward(gone));
}

void operators() {
  const auto gone = emptied(promises::publisher<int>());
  const promises::publisher<int> there;
  REFUSES(gone.map([count = counted()](int n) { return n; }));
  REFUSES(gone.filter([count = counted()](int) { return true; }));
  REFUSES(gone.take_while([count = counted()](int) { return true; }));
  REFUSES(gone.rescue([count = counted()](const promises::error &) { return 1; }));
  REFUSES(gone.scan(1, [count = counted()](int a, int b) { return a + b; }));
  REFUSES(gone.reduce(1, [count = counted()](int a, int b) { return a + b; }));
  REFUSES(gone.take(1));
  REFUSES(gone.window(1));
  REFUSES(gone.buffer(1));
  REFUSES(gone.distinct());
  REFUSES(gone.stateful());
  REFUSES(gone.replay(1));
  REFUSES(gone.start_with(1));
  REFUSES(gone.debounce(1h));
  REFUSES(gone.throttle(1h));
  REFUSES(gone.timeout(1h));
  std::vector<promises::publisher<int>> two(2);
  two[1].reset();
  REFUSES(promises::merge(two));
  REFUSES(promises::zip(two));
  REFUSES(promises::zip(there, gone));
  REFUSES(promises::combine_latest(two));
  REFUSES(promises::combine_latest(there, gone));
}

void operators_on_an_executor() {
  const auto nowhere = emptied(promises::executor::global());
  const promises::publisher<int> there;
  REFUSES(there.debounce(nowhere, 1h));
  REFUSES(there.throttle(nowhere, 1h));
  REFUSES(there.timeout(nowhere, 1h));
  REFUSES(promises::every(nowhere, 1h));
}

void subscribers_and_builders() {
  const promises::subscriber<int> gone;
  REFUSES(gone.copy());
  REFUSES(gone.request());
  REFUSES(gone.cancel());
  REFUSES(gone.next());
  REFUSES(gone.next_or_end());
  REFUSES(gone.end());
  REFUSES(gone.dropped());
  auto text = emptied(promises::builder(PROMISE_KIND_STRING));
  REFUSES(text.add(value::of("x")));
  REFUSES(text.set("x", value::of("y")));
  REFUSES(text.append("x"));
  REFUSES(text.room(1));
  REFUSES(text.advance(0));
  REFUSES(text.count());
  REFUSES(text.finish());
}

} // namespace

int main() {
  return run(a_promise_is_settled_or_read, a_promise_is_reacted_to_or_asked, promises_are_combined, executors_and_loops,
             tokens_and_places, publishers, operators, operators_on_an_executor, subscribers_and_builders);
}
