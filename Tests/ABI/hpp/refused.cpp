// Mistakes that promise.hpp refuses at compile time: not a program. The compiler's error for each begins with the text
// above it, which scripts/test-hpp.sh looks for.
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "promise.hpp"

struct unknown {};
struct page {
  page(page &&) = default;
};
template <> struct promises::registered<page> { static constexpr const char *name = "test.refused.page"; };

#define REFUSED(text) static_cast<void>(0)

namespace {

using promises::promise;
using promises::publisher;

void promises_hold(const promise<page> &pages, const promise<std::tuple<int, int>> &row, const promise<bool> &flag) {
  REFUSED("a promise holds a value that all who have it share");
  promise<const int>();
  REFUSED("a promise holds a value that all who have it share");
  promise<int &>();
  REFUSED("no promise can hold this type");
  promises::value::of(unknown());
  REFUSED("an object that cannot be copied is read where it lies");
  pages.get();
  REFUSED("an object that cannot be copied would be destroyed");
  pages.result().as<page>();
  REFUSED("the elements do not convert to those of the promise");
  row.resolve(std::make_pair("a", "b"));
  REFUSED("a pointer is not a bool");
  flag.resolve("text");
}

void settling(const promise<> &nothing, const promise<int> &number, promises::value &reason) {
  REFUSED("a promise<void> is resolved with nothing");
  nothing.resolve(1);
  REFUSED("only a promise<void> is resolved with nothing");
  number.resolve();
  REFUSED("a value is passed by move");
  number.reject(reason);
}

void reactions(const promise<> &nothing, const promise<int> &number) {
  REFUSED("a handler is called with the promise's value");
  number.then([](std::string) {});
  REFUSED("a handler of a promise<void> is called with nothing");
  nothing.then([](int) {});
  REFUSED("the function of finally is called without arguments");
  number.finally([](int) {});
  REFUSED("finally() does not wait for a promise");
  number.finally([] { return promise<>(); });
}

void rescues(const promise<int> &number) {
  REFUSED("a rescuing handler is called with the reason");
  number.rescue([](int) { return 1; });
  REFUSED("a rescuing handler returns a value of the promise's type, and");
  number.rescue([](const promises::error &) {});
  REFUSED("a rescuing handler returns a promise of a value of this promise's type");
  number.rescue([](const promises::error &) { return promise<bool>(); });
  REFUSED("a rescuing handler returns a value of the promise's type");
  number.rescue([](const promises::error &) { return "1"; });
}

void combinations(const promise<> &nothing, const promise<int> &number, const publisher<> &ticks) {
  REFUSED("a tuple holds no void: use then()");
  promises::all(number, nothing);
  REFUSED("a tuple holds no void: use map()");
  promises::zip(ticks, ticks);
  REFUSED("a tuple holds no void: use map()");
  promises::combine_latest(ticks, ticks);
}

void streams(const publisher<> &ticks, const publisher<int> &numbers, const promises::subscriber<> &by) {
  REFUSED("a publisher<void> publishes nothing");
  ticks.publish(1);
  REFUSED("only a publisher<void> publishes nothing");
  numbers.publish();
  REFUSED("a publisher<void> has no values");
  by.next_or_end();
  REFUSED("an operator does not wait");
  numbers.map([](int) { return promise<int>(); });
  REFUSED("a rescuing function is called with the reason");
  numbers.rescue([] { return 1; });
}

void references(promise<int> &number, promises::value &content, const promises::token &silent) {
  REFUSED("ignoring return value of");
  number.release();
  REFUSED("ignoring return value of");
  content.release();
  REFUSED("ignoring return value of");
  number.copy();
  REFUSED("ignoring return value of");
  promise<int>::adopt(number.raw());
  REFUSED("ignoring return value of");
  content.copy();
  REFUSED("ignoring return value of");
  promises::value::adopt(content.raw());
  REFUSED("ignoring return value of");
  silent.copy();
}

// Without its result, a subscriber is cancelled in the statement that made it.
void subscribers(const publisher<int> &numbers) {
  REFUSED("ignoring return value of");
  numbers.subscribe();
  REFUSED("ignoring return value of");
  numbers.subscribe([](int) {}, [](const promises::error &) {});
  REFUSED("ignoring return value of");
  numbers.forward(publisher<int>());
}

} // namespace
