// check.hpp - a small assert library for the C++ programs of this folder, and their shared helpers.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <condition_variable>
#include <unistd.h>
#include <utility>

// Strict warnings of the program must not fail in promise.hpp.
#pragma GCC diagnostic error "-Wshadow"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wold-style-cast"

#include "promise.hpp"

inline std::atomic<int> passed{0};
inline std::atomic<int> failed{0};

inline void check_that(bool holds, const char *what, const char *file, int line) {
  ++(holds ? passed : failed);
  if (!holds)
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
}
#define CHECK(...) check_that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// Holds if `body` throws an `E` for which `fits` holds; any other exception fails the check too.
template <class E, class Body, class Fits> bool throws(Body body, Fits fits) {
  try {
    body();
  } catch (const E &caught) {
    return fits(caught);
  } catch (...) {
  }
  return false;
}
template <class E, class Body> bool throws(Body body) {
  return throws<E>(body, [](const E &) { return true; });
}

// Counts its live instances, moved and copied ones included.
struct counted {
  static inline std::atomic<int> alive{0};
  counted() {
    ++alive;
  }
  counted(const counted &) {
    ++alive;
  }
  counted(counted &&) noexcept {
    ++alive;
  }
  ~counted() {
    --alive;
  }
  counted &operator=(const counted &) = default;
};

// A gate that is opened once; waiters pass from then on.
class gate {
public:
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// Counts the library's live objects by kind. A promise keeps its kind when it settles.
inline std::array<std::uint64_t, 12> objects() {
  const promise_statistics_t now = promises::statistics();
  return {{now.promises_pending + now.promises_settled, now.callbacks, now.values, now.executors, now.jobs, now.tokens,
           now.gathers, now.loops, now.publishers, now.subscribers, now.queues, now.internals}};
}
inline bool leaves_objects(const std::array<std::uint64_t, 12> &before) {
  const auto after = objects();
  for (std::size_t kind = 0; kind < after.size(); ++kind) {
    if (after[kind] > before[kind])
      return true;
  }
  return false;
}

// Runs the tests. A test that hangs ends the program; a test that throws, or leaves objects, fails.
template <class... Test> int run(Test... test) {
  const auto one = [](void (*body)()) {
    alarm(1800);
    const auto before = objects();
    try {
      body();
    } catch (const std::exception &escaped) {
      ++failed;
      std::fprintf(stderr, "a test threw: %s\n", escaped.what());
    }
    CHECK(counted::alive == 0);
    // Threads of the library may still release some.
    for (int patience = 0; patience < 1000 && leaves_objects(before); ++patience)
      usleep(5000);
    CHECK(!leaves_objects(before));
  };
  (one(test), ...);
  std::printf("%d passed, %d failed\n", passed.load(), failed.load());
  return failed == 0 && passed > 0 ? 0 : 1;
}

#endif // CHECK_HPP
