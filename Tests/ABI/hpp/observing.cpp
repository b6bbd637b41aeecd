// Hooks, dumps, traces; JSON, builders, foreign bytes; comparison and description of objects.
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "check.hpp"

struct money {
  int cents;
  bool operator==(const money &other) const {
    if (cents < 0)
      throw std::out_of_range("debts");
    return cents == other.cents;
  }
};
template <> struct promises::registered<money> {
  static constexpr const char *name = "test.hpp.money";
  static std::string describe(const money &of) {
    return std::string(static_cast<std::size_t>(of.cents), '$') + "\xc3\xbc";
  }
};

struct number {
  int value;
  bool operator==(const number &other) const {
    return value == other.value;
  }
};
template <> struct promises::registered<number> { static constexpr const char *name = "test.hpp.number"; };
struct word {
  int length;
};
template <> struct promises::registered<word> {
  static constexpr const char *name = "test.hpp.word";
  static std::string describe(const word &) {
    return "a word";
  }
};

namespace {

using promises::promise;
using promises::value;

bool is_invalid(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_EINVAL;
}

void hooks_are_called() {
  std::vector<std::string> told;
  promises::hooks calls;
  calls.unhandled_rejection = [&, count = counted()](std::uint64_t id, const promises::error &why) {
    told.push_back("unhandled " + why.message() + (id != 0 ? "" : "?"));
  };
  calls.dropped_pending = [&](std::uint64_t, std::uint64_t callbacks) {
    told.push_back("dropped " + std::to_string(callbacks));
  };
  promises::set_hooks(std::move(calls));
  promise<int>::rejected(std::runtime_error("lost"));
  CHECK(throws<std::runtime_error>([] { promise<int>::rejected(std::runtime_error("heard")).get(); }));
  promise<int>().observe([](int) {}, [](const promises::error &) {});
  CHECK(told == std::vector<std::string>({"unhandled lost", "dropped 1"}) && counted::alive > 0);
  promises::hooks others;
  std::uint64_t again = 0;
  others.settled_again = [&](std::uint64_t id, promise_state_t state, const value &content) {
    again = state == PROMISE_FULFILLED && content.as<int>() == 2 ? id : 0;
  };
  promises::set_hooks(std::move(others));
  const auto settled = promise<int>::resolved(1);
  CHECK(counted::alive == 0 && !settled.resolve(2) && again == settled.id());
  promises::clear_hooks();
  CHECK(throws<promises::error>([] { promises::set_hooks(promises::hooks()); }, is_invalid));
}

void pending_promises_are_listed() {
  const promise<int> waits;
  const std::string lines = promises::dump();
  CHECK(lines.find("pending") != std::string::npos && lines.back() == '\n');
}

void traces_are_delivered_and_written() {
  int created = 0;
  promises::start_trace(
      [&, count = counted()](const promise_trace_event_t &event) { created += event.kind == PROMISE_TRACE_CREATED; },
      16);
  promise<int>::resolved(1).then([](int n) { return n; }).get();
  promises::stop_trace();
  CHECK(created == 2 && counted::alive == 0);
  int ends[2];
  CHECK(pipe(ends) == 0);
  promises::write_trace(ends[1], PROMISE_TRACE_FORMAT_PERFETTO);
  close(ends[1]);
  char first = 0;
  CHECK(read(ends[0], &first, 1) == 1 && (first == '{' || first == '['));
  close(ends[0]);
  promises::start_trace(4);
  promises::stop_trace();
  CHECK(throws<promises::error>([] { promises::write_trace(-1, PROMISE_TRACE_FORMAT_GRAPHVIZ); }, is_invalid));
}

void json_is_read_and_written() {
  const value read = promises::from_json(R"({"id": 9007199254740993, "names": ["a", null]})");
  CHECK(read.find("id").as<std::int64_t>() == 9007199254740993 && read.find("names").count() == 2);
  CHECK(promises::to_json(read) == R"({"id":9007199254740993,"names":["a",null]})");
  promises::json_options indented;
  indented.indent = 2;
  CHECK(promises::to_json(value::of(std::vector<int>{1}), indented) == "[\n  1\n]");
  const auto refused = [](const promises::error &e) { return e.domain() == "promise.json"; };
  CHECK(throws<promises::error>([] { promises::from_json("[1,"); },
                                [](const promises::error &e) {
                                  return e.code() == PROMISE_JSON_ESYNTAX &&
                                         e.cause().find("offset").kind() == PROMISE_KIND_U64;
                                }));
  CHECK(throws<promises::error>([] { promises::to_json(value::of(money{1})); }, refused));
  const auto is_json = [](std::int64_t code) {
    return [code](const promises::error &e) { return e.domain() == "promise.json" && e.code() == code; };
  };
  promises::json_options flat, brief, lenient;
  flat.max_depth = 1;
  brief.max_length = 4;
  lenient.flags = PROMISE_JSON_LAST_WINS;
  CHECK(throws<promises::error>([&] { promises::from_json("[[1]]", flat); }, is_json(PROMISE_JSON_EDEPTH)));
  CHECK(throws<promises::error>([&] { promises::from_json("[1,2]", brief); }, is_json(PROMISE_JSON_ELENGTH)));
  CHECK(promises::from_json(R"({"a":1,"a":2})", lenient).find("a").as<int>() == 2);
  promises::json_options wrong;
  wrong.indent = 99;
  CHECK(throws<promises::error>([&] { promises::to_json(value(), wrong); }, is_invalid));
}

void values_are_built() {
  promises::builder list(PROMISE_KIND_ARRAY, 2);
  CHECK(list.add(1).add("two").add(value::of(3.0)).count() == 3);
  const value array = list.finish();
  CHECK(!list && array.at(1).as<std::string>() == "two");
  promises::builder more(array);
  CHECK(more.add(true).finish().count() == 4 && array.count() == 3);
  CHECK(promises::builder(PROMISE_KIND_MAP).set("a", 1).set("a", 2).finish().find("a").as<int>() == 2);
  promises::builder text(PROMISE_KIND_STRING);
  *static_cast<char *>(text.append("ab").room(8)) = 'c';
  text.advance(1);
  CHECK(throws<promises::error>([&] { text.advance(1u << 20); }, is_invalid)); // beyond the room
  const value abc = text.finish();
  promises::builder large(PROMISE_KIND_BYTES);
  std::memset(large.room(1000), 'x', 1000);
  large.advance(1000);
  CHECK(large.count() == 1000);
  const value thousand = large.finish();
  CHECK(thousand.bytes() == std::string(1000, 'x'));
  CHECK(abc.bytes() == "abc" && value::of(1).raw().kind == PROMISE_KIND_I64);
  CHECK(throws<promises::error>([&] { text.append("d"); }, is_invalid));
  promises::builder(PROMISE_KIND_ARRAY).add(value::of(money{1}));
  CHECK(throws<promises::error>([] { const promises::builder none{PROMISE_KIND_BOOL}; }, is_invalid));
}

void foreign_bytes_are_not_copied() {
  int released = 0;
  const char memory[] = "memory";
  {
    const value bytes = promises::foreign_bytes(memory, 6, [&, count = counted()] { ++released; });
    const value shared = bytes.copy();
    CHECK(shared.bytes().data() == memory && shared.as<std::vector<std::byte>>().size() == 6 && released == 0);
  }
  CHECK(released == 1 && counted::alive == 0);
  CHECK(throws<promises::error>([&] { promises::foreign_bytes(nullptr, 6, [&] { ++released; }); }, is_invalid));
  CHECK(released == 2);
}

void objects_compare_and_describe_themselves() {
  CHECK(value::of(money{3}) == value::of(money{3}) && value::of(money{3}) != value::of(money{4}));
  CHECK(value::of(money{-1}) != value::of(money{-2}));
  CHECK(value::of(money{2}).describe().find("$$\xc3\xbc") != std::string::npos);
  for (int cents = 480; cents < 520; ++cents)
    CHECK(value::of(money{cents}).describe().find("$$$") != std::string::npos);
  // A class may have one of the two.
  CHECK(value::of(number{3}) == value::of(number{3}) && value::of(number{3}) != value::of(number{4}));
  CHECK(value::of(word{1}).describe().find("a word") != std::string::npos && value::of(word{1}) != value::of(word{1}));
}

} // namespace

int main() {
  return run(hooks_are_called, pending_promises_are_listed, traces_are_delivered_and_written, json_is_read_and_written,
             values_are_built, foreign_bytes_are_not_copied, objects_compare_and_describe_themselves);
}
