// Function objects that only move, and values that do: they are moved into the library, not copied.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"

struct page {
  std::unique_ptr<int> number;
};
template <> struct promises::registered<page> { static constexpr const char *name = "test.hpp.moving.page"; };

namespace {

using promises::promise;
using promises::value;

// A function object that cannot be copied. Counts its calls, and the live objects of its kind.
class only_moves {
public:
  explicit only_moves(int &calls) : calls_(&calls), own_(std::make_unique<counted>()) {}
  template <class... Argument> int operator()(const Argument &...) {
    CHECK(own_ != nullptr);
    return ++*calls_;
  }

private:
  int *calls_;
  std::unique_ptr<counted> own_;
};
// Function objects of that kind that return nothing, and whether to continue.
struct acts : only_moves {
  using only_moves::only_moves;
  template <class... Argument> void operator()(const Argument &...of) {
    only_moves::operator()(of...);
  }
};
struct holds : only_moves {
  using only_moves::only_moves;
  template <class... Argument> bool operator()(const Argument &...of) {
    return only_moves::operator()(of...) > 0;
  }
};

void handlers_move() {
  int calls = 0;
  const auto good = promise<int>::resolved(1);
  const auto bad = promise<int>::rejected(promises::error("x", 1, "y"));
  CHECK(good.then(only_moves(calls)).get() == 1 &&
        good.then(promises::executor::immediate(), only_moves(calls)).get() == 2);
  CHECK(bad.rescue(only_moves(calls)).get() == 3 && bad.rescue<promises::error>(only_moves(calls)).get() == 4);
  CHECK(bad.rescue(promises::type::named("error"), only_moves(calls)).get() == 5);
  CHECK(good.finally(acts(calls)).get() == 1 && calls == 6);
  good.observe(acts(calls), acts(calls));
  bad.tap(acts(calls), acts(calls));
  CHECK(promises::run(promises::executor::immediate(), only_moves(calls)).get() == 9);
  CHECK(counted::alive == 0);
}

void callbacks_move() {
  int calls = 0;
  const promise<int> asked;
  asked.on_cancel_request(acts(calls));
  asked.request_cancel();
  promise<int>::discardable(acts(calls)).discard();
  promises::executor::immediate().submit(acts(calls));
  CHECK(calls == 3);
  {
    const auto own = promises::executor::of([run = std::make_unique<counted>()](promises::job job) { job.run(); });
    own.submit(acts(calls));
  }
  {
    const int memory = 0;
    const value bytes = promises::foreign_bytes(&memory, sizeof memory, acts(calls));
    int payload = 0;
    const value object = promises::foreign_object(promises::type("test.hpp.moving"), &payload, acts(calls));
    CHECK(calls == 4 && counted::alive == 2);
  }
  CHECK(calls == 6 && counted::alive == 0);
  promises::start_trace(acts(calls));
  promise<int>::resolved(1);
  promises::stop_trace();
  CHECK(calls > 6 && counted::alive == 0);
}

void operators_move() {
  int calls = 0;
  const promises::publisher<int> numbers;
  const auto mapped = numbers.map(only_moves(calls)).subscribe(acts(calls), acts(calls));
  const auto passed = numbers.filter(holds(calls)).take_while(holds(calls)).subscribe(acts(calls), acts(calls));
  const auto rescued = numbers.rescue(only_moves(calls)).subscribe(acts(calls), acts(calls));
  const auto folded = numbers.scan(0, only_moves(calls)).subscribe(acts(calls), acts(calls));
  numbers.publish(1);
  CHECK(calls == 8);
  numbers.publish_error(promises::cancelled());
  numbers.finish();
  CHECK(counted::alive == 0);
}

void values_move() {
  // The members of a row are encoded as those of the promise, each moved.
  const promise<std::tuple<page, double>> row;
  CHECK(row.resolve(std::make_pair(page{std::make_unique<int>(7)}, 2)));
  const value read = row.as<value>().get();
  const value first = read.at(0);
  CHECK(*first.as<page>().number == 7 && read.at(1).as<double>() == 2.0);
  std::vector<page> pages;
  pages.push_back(page{std::make_unique<int>(8)});
  const value list = value::of(std::move(pages));
  const value second = list.at(0);
  CHECK(*second.as<page>().number == 8);
  std::map<std::string, page> book;
  book["a"].number = std::make_unique<int>(6);
  const value map = value::of(std::move(book));
  const value entry = map.find("a");
  CHECK(*entry.as<page>().number == 6);
  std::optional<page> some(page{std::make_unique<int>(9)});
  const value third = value::of(std::move(some));
  CHECK(*third.as<page>().number == 9);
}

} // namespace

int main() {
  return run(handlers_move, callbacks_move, operators_move, values_move);
}
