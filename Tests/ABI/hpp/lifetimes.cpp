// Results of handlers that refer to their arguments; values that cannot be read; memory that is not copied.
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "check.hpp"

namespace {

using promises::error;
using promises::promise;
using promises::publisher;

// Longer than the buffer within a string: its destruction frees the text.
const std::string text = "a text that is longer than every buffer within a string";

// A type whose codec throws a std::range_error.
struct unreadable {};

} // namespace

template <> struct promises::codec<unreadable> {
  static value encode(unreadable) noexcept {
    return value();
  }
  static unreadable decode(const promise_value_t &) {
    throw std::range_error("unreadable");
  }
};

namespace {

void a_result_may_refer_to_the_value() {
  using pair = std::pair<std::string, int>;
  const auto said = promise<std::string>::resolved(text);
  CHECK(said.then([](const std::string &s) { return std::string_view(s); }).get() == text);
  CHECK(said.then([](const std::string &s) { return s.c_str(); }).get() == text);
  CHECK(said.then([](const std::string &s) -> const std::string & { return s; }).get() == text);
  CHECK(promise<pair>::resolved(pair(text, 1)).then(&pair::first).get() == text);
  const auto maybe = said.then([](const std::string &s) { return std::optional<std::string_view>(s); });
  CHECK(maybe.as<std::string>().get() == text);
}

void a_result_may_refer_to_the_reason() {
  const auto failed = promise<std::string>::rejected(std::runtime_error(text));
  const auto of_pointer = [](const std::exception_ptr &thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception &caught) {
      return std::string_view(caught.what());
    }
  };
  CHECK(failed.rescue([](const error &e) { return e.what(); }).get() == text);
  CHECK(failed.rescue([](const error &e) -> const std::string & { return e.message(); }).get() == text);
  CHECK(failed.rescue<std::runtime_error>([](const std::runtime_error &e) { return e.what(); }).get() == text);
  CHECK(failed.rescue<std::exception_ptr>(of_pointer).get() == text);
}

void an_event_may_refer_to_its_origin() {
  const publisher<std::string> words;
  std::string seen;
  const auto by = words.map([](const std::string &s) { return std::string_view(s); })
                      .map([](const std::string &s) -> const std::string & { return s; })
                      .rescue([](const error &e) { return e.what(); })
                      .subscribe([&](const std::string &s) { seen += s; }, [](const error &) {});
  words.publish(text);
  words.publish_error(std::runtime_error(text));
  CHECK(seen == text + text);
}

void an_observer_gets_the_exception_of_a_codec() {
  int reasons = 0;
  const auto bad = [&](const error &e) { reasons += e.message() == "unreadable" ? 1 : 100; };
  const auto good = [&](unreadable) { reasons += 100; };
  const auto odd = promise<unreadable>::resolved(unreadable());
  odd.observe(good, bad);
  odd.tap(good, bad);
  const publisher<unreadable> stream;
  const auto by = stream.subscribe(good, bad);
  stream.publish(unreadable());
  CHECK(reasons == 3);
}

// Gives memory back; its own copy for C cannot be allocated.
struct giving_back {
  int *times;
  void operator()() const {
    ++*times;
  }
  static void *operator new(std::size_t) {
    throw std::bad_alloc();
  }
  static void operator delete(void *) {}
};

void memory_is_given_back_when_there_is_none_for_the_value() {
  int times = 0;
  const promises::type of("test.lifetimes.foreign");
  CHECK(throws<std::bad_alloc>([&] { promises::foreign_bytes(text.data(), text.size(), giving_back{&times}); }));
  CHECK(times == 1);
  CHECK(throws<std::bad_alloc>([&] { promises::foreign_object(of, &times, giving_back{&times}); }));
  CHECK(times == 2);
}

} // namespace

int main() {
  return run(a_result_may_refer_to_the_value, a_result_may_refer_to_the_reason, an_event_may_refer_to_its_origin,
             an_observer_gets_the_exception_of_a_codec, memory_is_given_back_when_there_is_none_for_the_value);
}
