// Streams: publishers, subscribers with handlers and without, demand, operators, ends.
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using promises::promise;
using promises::publication;
using promises::publisher;

struct odd_number : std::runtime_error {
  odd_number() : runtime_error("odd") {}
};
bool has_finished(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_EFINISHED;
}

// Records the events of a stream, errors as their texts in brackets.
template <class T> struct heard {
  std::vector<std::string> events;
  promises::subscriber<T> by;

  explicit heard(const publisher<T> &from, const promises::subscription &how = promises::subscription())
      : by(from.subscribe([this](const auto &event) { this->add(event); },
                          [this](const promises::error &e) { events.push_back("[" + e.message() + "]"); }, how)) {}
  heard(const heard &) = delete;
  heard &operator=(const heard &) = delete;
  void add(int number) {
    events.push_back(std::to_string(number));
  }
  void add(const std::string &text) {
    events.push_back(text);
  }
  std::string all() const {
    std::string text;
    for (const std::string &event : events)
      text += (text.empty() ? "" : " ") + event;
    return text;
  }
};

void events_are_delivered() {
  const publisher<int> numbers;
  {
    const heard<int> first(numbers);
    const heard<int> text(publisher<std::string>::adopt(numbers.copy().release()).as<int>());
    CHECK(numbers.subscribers() == 2 && numbers.publish(1) == publication::taken);
    CHECK(numbers.publish_error(odd_number()) == publication::taken);
    numbers.as<std::string>().publish("two");
    CHECK(first.all() == "1 [odd] [expected a whole number in range, got \"two\"]" && text.all() == first.all());
    const auto end = first.by.end();
    CHECK(numbers.finish() && !numbers.finish() && end.is_settled());
    end.get();
  }
  CHECK(numbers.publish(2) == publication::ended && numbers.state() == PROMISE_FULFILLED);
  CHECK(!numbers.cancel() && !numbers.fail(odd_number()));
}

void contexts_end_with_their_subscriber() {
  const publisher<> ticks;
  int heard_ticks = 0;
  auto by = ticks.subscribe([&, count = counted()] { ++heard_ticks; }, [count = counted()](const promises::error &) {});
  ticks.publish();
  CHECK(heard_ticks == 1 && counted::alive == 2);
  const auto other = by.copy();
  by.reset();
  ticks.publish();
  CHECK(other.cancel() && !other.cancel() && counted::alive == 0 && heard_ticks == 2);
  CHECK(throws<promises::cancelled>([&] { other.end().get(); }));
}

void a_failure_is_thrown_again() {
  const publisher<int> numbers;
  const heard<int> all(numbers);
  const auto pulled = numbers.subscribe();
  const auto next = pulled.next();
  numbers.fail(odd_number());
  CHECK(throws<odd_number>([&] { all.by.end().get(); }) && throws<odd_number>([&] { next.get(); }));
  const publisher<int> valued;
  const heard<int> third(valued);
  valued.publish_error(promises::value::of(3));
  CHECK(third.all() == "[rejected with 3]");
  const publisher<int> ended;
  const heard<int> other(ended);
  ended.cancel();
  CHECK(throws<promises::cancelled>([&] { other.by.end().get(); }));
}

void events_are_asked_for() {
  const publisher<int> numbers;
  promises::subscription how;
  how.capacity = 1;
  const auto by = numbers.subscribe(how);
  const auto first = by.next();
  CHECK(numbers.publish(1) == publication::taken && first.get() == 1);
  CHECK(numbers.publish(2) == publication::full);
  const auto ready = numbers.ready();
  CHECK(!ready.is_settled() && by.next().get() == 2 && ready.is_settled());
  const auto last = by.next_or_end();
  numbers.publish(3);
  CHECK(last.get() == 3);
  const auto none = by.next_or_end();
  numbers.finish();
  CHECK(!none.get() && throws<promises::error>([&] { by.next().get(); }, has_finished));
  const publisher<int> fails;
  const auto of = fails.subscribe();
  const auto failed = of.next_or_end();
  fails.fail(odd_number());
  CHECK(throws<odd_number>([&] { failed.get(); }));
  // The end is an error with one domain and one code.
  for (const promises::error &other :
       {promises::error("net", PROMISE_EFINISHED, "x"), promises::error("promise", PROMISE_EFULL, "x")}) {
    const publisher<int> stream;
    const auto from = stream.subscribe();
    const auto thrown = from.next_or_end();
    stream.fail(other);
    CHECK(throws<promises::error>([&] { thrown.get(); }, [&](const auto &e) { return e.code() == other.code(); }));
  }
}

// Reads a stream to its end. Counts 1 for a value, and 10 for an error.
template <class T> int read(const promises::subscriber<T> &by) {
  int count = 0;
  while (count < 1000) {
    try {
      if (!by.next_or_end().get())
        break;
      ++count;
    } catch (const promises::error &) {
      count += 10;
    }
  }
  return count;
}

void no_value_is_the_end() {
  const publisher<std::optional<int>> optionals;
  const auto perhaps = optionals.subscribe();
  for (const auto &content : {std::optional<int>(1), std::optional<int>(), std::optional<int>(3)})
    optionals.publish(content);
  optionals.finish();
  const auto first = perhaps.next_or_end().get(), second = perhaps.next_or_end().get();
  CHECK(first && *first == 1 && second && *second == std::nullopt && read(perhaps) == 1);
  const publisher<promises::value> values;
  const auto all = values.subscribe();
  for (const char *text : {"1", "null", "[]"})
    values.publish(promises::from_json(text));
  values.finish();
  CHECK(read(all) == 3);
  // A VOID is not an int: an error, not the end.
  const publisher<int> numbers;
  const auto pulled = numbers.subscribe();
  numbers.publish(1);
  numbers.as<promises::value>().publish(promises::value());
  numbers.publish(3);
  numbers.finish();
  CHECK(read(pulled) == 12);
}

void demand_and_policy_hold() {
  const publisher<int> numbers;
  promises::subscription how;
  how.when_full = promises::overflow::drops_oldest;
  how.capacity = 1;
  how.demand = 1;
  const heard<int> by(numbers, how);
  for (int number = 1; number <= 4; ++number)
    numbers.publish(number);
  CHECK(by.all() == "1" && by.by.dropped() == 2);
  by.by.request();
  CHECK(by.all() == "1 4");
  how.when_full = promises::overflow::fails;
  const heard<int> strict(numbers, how);
  for (int number = 1; number <= 3; ++number)
    numbers.publish(number);
  strict.by.request();
  CHECK(strict.all() == "1 2" && throws<promises::error>([&] { strict.by.end().get(); },
                                                         [](const auto &e) { return e.code() == PROMISE_EFULL; }));
}

void handlers_have_a_place() {
  const publisher<int> numbers;
  const promises::loop loop;
  const promises::executor there = loop.on();
  const promises::token token;
  promises::subscription how;
  how.where = promises::place(there, token);
  const heard<int> by(numbers, how);
  numbers.publish(1);
  CHECK(by.all().empty() && loop.run_once() == 1 && by.all() == "1");
  token.cancel();
  loop.run_for(std::chrono::milliseconds(0));
  numbers.publish(2);
  loop.run_for(std::chrono::milliseconds(0));
  CHECK(by.all() == "1" && throws<promises::cancelled>([&] { by.by.end().get(); }));
}

void operators_make_streams() {
  const publisher<int> numbers;
  const auto texts =
      numbers.map([count = counted()](int n) { return n % 2 == 0 ? std::to_string(n) : throw odd_number(); });
  const heard<std::string> mapped(texts);
  const heard<std::string> rescued(texts.rescue([](const promises::error &e) { return "(" + e.message() + ")"; }));
  const heard<int> big(numbers.filter([](int n) { return n > 2; }));
  const heard<int> thrown(numbers.filter([](int n) -> bool { return n < 4 || (throw odd_number(), false); }));
  const heard<int> few(numbers.take(2));
  const heard<int> low(numbers.take_while([](int n) { return n < 3; }));
  const heard<int> once(numbers.distinct());
  const heard<int> sums(numbers.window(2).map([](const std::vector<int> &two) { return two[0] + two[1]; }));
  const heard<std::string> joined(numbers.scan(std::string("="), [](const std::string &all, int n) {
    return n != 1 || all.size() < 3 ? all + std::to_string(n) : throw odd_number();
  }));
  const heard<int> total(numbers.reduce(10, [](int sum, int n) { return sum + n; }));
  for (const int number : {2, 1, 1, 4})
    numbers.publish(number);
  CHECK(total.all() == "");
  CHECK(joined.all() == "=2 =21 [odd] =214");
  CHECK(mapped.all() == "2 [odd] [odd] 4" && rescued.all() == "2 (odd) (odd) 4" && big.all() == "4");
  CHECK(thrown.all() == "2 1 1 [odd]" && few.all() == "2 1" && low.all() == "2 1 1" && once.all() == "2 1 4");
  CHECK(sums.all() == "3 2 5" && few.by.end().is_settled() && low.by.end().is_settled() && !big.by.end().is_settled());
  numbers.finish();
  CHECK(total.all() == "18" && total.by.end().is_settled());
}

void equal_errors_are_events() {
  const publisher<int> numbers;
  const heard<int> all(numbers.distinct());
  const heard<int> some(numbers.distinct(true));
  for (int round = 0; round < 2; ++round)
    numbers.publish_error(promises::error("x", 1, "y"));
  numbers.publish_error(odd_number());
  CHECK(all.all() == "[y] [y] [odd]" && some.all() == "[y] [odd]");
}

void streams_have_state_and_are_gathered() {
  const auto state = publisher<int>::with_state();
  CHECK(!state.latest());
  state.publish(1);
  CHECK(state.latest()->get<int>() == 1 && heard<int>(state).all() == "1");
  state.publish_error(odd_number());
  CHECK(throws<odd_number>([&] { state.latest()->get<int>(); }));
  const publisher<int> one, other;
  CHECK(heard<int>(one.start_with(7)).all() == "7" && one.stateful().latest() == std::nullopt);
  std::vector<publisher<int>> two;
  two.push_back(one.copy());
  two.push_back(other.copy());
  const heard<int> merged(promises::merge(two));
  const auto add = [](int a, int b) { return a + b; };
  const heard<int> sums(
      promises::combine_latest(one, other).map([&](const auto &both) { return std::apply(add, both); }));
  const heard<int> sizes(
      promises::combine_latest(two).map([](const auto &both) { return static_cast<int>(both.size()); }));
  const publisher<int> target;
  const heard<int> forwarded(target);
  const auto link = one.forward(target, true);
  const publisher<int> open;
  const auto loose = one.forward(open);
  one.publish(1);
  other.publish(2);
  one.publish(3);
  one.finish();
  other.finish();
  CHECK(merged.all() == "1 2 3" && sums.all() == "3 5" && sizes.all() == "2 2" && forwarded.all() == "1 3");
  CHECK(merged.by.end().is_settled() && target.state() == PROMISE_FULFILLED && open.state() == PROMISE_PENDING);
  const heard<int> single(publisher<int>::of(promise<int>::resolved(9)));
  CHECK(single.all() == "9" && single.by.end().is_settled());
}

void events_are_grouped_and_replayed() {
  const publisher<int> one;
  const publisher<std::string> other;
  const publisher<int> latest = one.replay(2);
  const heard<int> sizes(one.buffer(2).map([](const std::vector<int> &group) { return int(group.size()); }));
  const heard<std::string> pairs(promises::zip(one, other).map([](const auto &both) {
    return std::to_string(std::get<0>(both)) + std::get<1>(both);
  }));
  std::vector<publisher<int>> twice;
  twice.push_back(one.copy());
  twice.push_back(one.copy());
  const heard<int> sums(promises::zip(twice).map([](const std::vector<int> &both) { return both[0] + both[1]; }));
  for (const int number : {1, 2, 3})
    one.publish(number);
  other.publish("a");
  CHECK(sizes.all() == "2" && pairs.all() == "1a" && sums.all() == "2 4 6");
  CHECK(heard<int>(latest).all() == "2 3");
  one.finish();
  CHECK(sizes.all() == "2 1");
}

void events_have_their_times() {
  using namespace std::chrono_literals;
  const publisher<int> numbers;
  const heard<int> last(numbers.debounce(1h));
  const heard<int> first(numbers.throttle(1h, false));
  const heard<int> both(numbers.throttle(1h));
  const promises::loop loop;
  const publisher<int> debounced = numbers.debounce(loop.on(), 1ms);
  const heard<int> there(debounced);
  int elsewhere = 0;
  const auto by = debounced.subscribe([&](int) { elsewhere += !loop.is_current(); }, [](const promises::error &) {});
  const heard<int> few(numbers.throttle(loop.on(), 1h));
  const heard<int> silent(numbers.timeout(loop.on(), 1ms));
  const heard<int> never(numbers.timeout(1h));
  for (const int number : {1, 2, 3})
    numbers.publish(number);
  CHECK(last.all().empty() && there.all().empty() && first.all() == "1" && both.all() == "1");
  CHECK(loop.wait(silent.by.end()) &&
        throws<promises::error>([&] { silent.by.end().get(); },
                                [](const promises::error &e) { return e.code() == PROMISE_ETIMEDOUT; }));
  while (there.all().empty())
    loop.run_once();
  numbers.finish();
  CHECK(elsewhere == 0 && there.all() == "3" && last.all() == "3" && first.all() == "1" && both.all() == "1 3" &&
        few.all() == "1 3");
  CHECK(never.all() == "1 2 3");
  // The longest times are those that never pass.
  const publisher<int> other;
  const auto ever = std::chrono::hours::max();
  const heard<int> quiet(other.debounce(ever)), once(other.throttle(ever)), patient(other.timeout(ever));
  other.publish(4);
  CHECK(quiet.all().empty() && once.all() == "4" && patient.all() == "4");
}

void invalid_events_are_errors() {
  publisher<int> gone;
  gone.reset();
  const auto invalid = [](const promises::error &e) { return e.domain() == "promise" && e.code() == PROMISE_EINVAL; };
  CHECK(throws<promises::error>([&] { gone.publish(1); }, invalid));
  CHECK(throws<promises::error>([&] { static_cast<void>(gone.subscribe()); }, invalid));
  CHECK(throws<promises::error>([&] { gone.map([count = counted()](int n) { return n; }); }, invalid));
  CHECK(throws<promises::error>([&] { promises::subscriber<int>().next(); }, invalid));
  const publisher<int> numbers;
  CHECK(throws<promises::error>([&] { numbers.map([](int n) { return n; }).publish(1); }, invalid));
  CHECK(throws<promises::error>([&] { numbers.take(0); }, invalid));
}

void ticks_come_again_and_again() {
  using namespace std::chrono_literals;
  const auto ticks = promises::every(1ms).subscribe();
  const std::uint64_t first = ticks.next().get();
  CHECK(first >= 1 && ticks.next().get() > first);
  const promises::loop loop;
  const auto on_loop = promises::every(loop.on(), 1ms).subscribe();
  const auto tick = on_loop.next();
  CHECK(loop.wait(tick) && tick.get() >= 1);
  const auto invalid = [](const promises::error &e) { return e.code() == PROMISE_EINVAL; };
  CHECK(throws<promises::error>([] { promises::every(0ms); }, invalid));
}

} // namespace

int main() {
  return run(events_are_delivered, contexts_end_with_their_subscriber, a_failure_is_thrown_again, events_are_asked_for,
             no_value_is_the_end, demand_and_policy_hold, handlers_have_a_place, operators_make_streams,
             equal_errors_are_events, streams_have_state_and_are_gathered, events_are_grouped_and_replayed,
             events_have_their_times, invalid_events_are_errors, ticks_come_again_and_again);
}
