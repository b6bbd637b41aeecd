// The library in its process: statistics, memory, threads; waits that a signal ends; objects that the party that made
// them frees.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

#include "check.hpp"

struct shared {
  counted count;
  int number = 0;
};
template <> struct promises::registered<shared> { static constexpr const char *name = "test.hpp.shared"; };

namespace {

using promises::promise;
using promises::value;
using promises::waited;
using namespace std::chrono_literals;

void objects_are_counted() {
  const promise_statistics_t before = promises::statistics();
  const std::vector<promise<int>> pending(3);
  const promise_statistics_t after = promises::statistics();
  CHECK(after.promises_pending == before.promises_pending + 3 && after.bytes_resident > 0);
}

void memory_returns_to_the_system() {
  { const std::vector<promise<int>> many(100000); }
  promises::trim();
  CHECK(promises::trim() == 0);
}

void threads_call_their_hooks() {
  struct end {
    gate *freed;
    explicit end(gate &of) : freed(&of) {}
    end(end &&other) noexcept : freed(std::exchange(other.freed, nullptr)) {}
    ~end() {
      if (freed != nullptr)
        freed->open();
    }
  };
  std::atomic<int> started{0}, stopped{0};
  gate freed;
  promises::set_thread_hooks([&, at_end = end(freed)] { ++started; }, [&] { ++stopped; });
  const int at_work = promises::run(promises::executor::global(), [&] { return started.load(); }).get();
  CHECK(at_work >= 1);
  promises::clear_thread_hooks();
  freed.wait(); // idle threads end, and call stop()
  CHECK(stopped == started);
}

void a_wait_ends_at_a_signal() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  const promise<int> never;
  std::atomic<bool> ended{false};
  waited end = waited::settled;
  std::thread waiter([&] {
    end = never.wait_interruptible();
    ended = true;
  });
  while (!ended) { // a signal before the thread sleeps does not end the wait
    pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  waiter.join();
  CHECK(end == waited::interrupted);
  CHECK(never.wait_interruptible_for(1ms) == waited::timed_out);
  CHECK(promise<int>::resolved(1).wait_interruptible() == waited::settled);
  promise<int> gone;
  gone.reset();
  CHECK(throws<promises::error>([&] { gone.wait_interruptible(); }));
}

void an_object_is_freed_by_its_maker() {
  // Another party has registered the type before, with a destructor that must not be called for this object.
  const promises::type known("test.hpp.shared", [](void *) { std::abort(); });
  {
    const auto held = promise<shared>::resolved(shared());
    CHECK(counted::alive == 1 && held.result().is(known));
  }
  CHECK(counted::alive == 0);
}

void a_foreign_object_says_how_it_is_freed() {
  int payload = 0, released = 0;
  const promises::type of("test.hpp.foreign");
  {
    const value object = promises::foreign_object(of, &payload, [&, count = counted()] { ++released; });
    const value same = object.copy();
    CHECK(object.kind() == PROMISE_KIND_OBJECT && object.is(of) && object.raw().as.ptr == &payload && released == 0);
  }
  CHECK(released == 1 && counted::alive == 0);
  CHECK(throws<promises::error>(
      [&] { promises::foreign_object(promises::type::named("i64"), &payload, [&] { ++released; }); },
      [](const promises::error &e) { return e.code() == PROMISE_ESTALE; }));
  CHECK(released == 2);
}

} // namespace

int main() {
  return run(objects_are_counted, memory_returns_to_the_system, threads_call_their_hooks, a_wait_ends_at_a_signal,
             an_object_is_freed_by_its_maker, a_foreign_object_says_how_it_is_freed);
}
