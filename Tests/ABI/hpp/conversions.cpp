// C++ types as values: a value that fits round-trips; any other value is an error on conversion, not on reading.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "check.hpp"

struct point {
  int x, y;
  int sum() const {
    return x + y;
  }
};
template <> struct promises::registered<point> { static constexpr const char *name = "test.hpp.point"; };

// A move-only object, which is read in place.
struct page {
  std::unique_ptr<std::string> text;
  counted count;
};
template <> struct promises::registered<page> { static constexpr const char *name = "test.hpp.page"; };

namespace {

using promises::promise;
using promises::value;

enum class colour : std::uint8_t { red = 1, blue = 200 };
enum plain_enum { minus = -1, two = 2 };

bool unfit(const promises::error &e) {
  return e.domain() == "c++" && e.code() == PROMISE_EINVAL;
}

template <class T> bool comes_back(const T &content) {
  return promise<T>::resolved(content).get() == content;
}

void more_types_come_back() {
  CHECK(comes_back(colour::blue) && comes_back(minus) && comes_back(std::byte(255)));
  CHECK(comes_back(std::vector<std::byte>{std::byte(0), std::byte(9)}) && comes_back(std::vector<std::byte>()));
  CHECK(comes_back(std::pair<int, std::string>(1, "x")));
  CHECK(comes_back(std::array<std::string, 2>{{"a", "b"}}));
  CHECK(comes_back(std::map<std::string, int>{{"a", 1}, {std::string("b\0c", 3), 2}}));
  CHECK(comes_back(std::map<std::string, int>()));
  const value backward = value::of(std::map<std::string, int, std::greater<>>{{"a", 1}, {"b", 2}});
  CHECK(backward.key(0) == "b" && backward.as<std::unordered_map<std::string, int>>().size() == 2);
  CHECK(comes_back(std::unordered_map<std::string, std::vector<int>>{{"a", {1, 2}}}));
  int here = 0;
  CHECK(comes_back<void *>(&here));
  CHECK(promise<std::int8_t>::resolved(200 - 300).as<colour>().state() == PROMISE_FULFILLED);
  CHECK(throws<promises::error>([] { promise<int>::resolved(300).as<colour>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<std::map<std::string, int>>::resolved({{"\xff", 1}}); }, unfit));
  CHECK(
      throws<promises::error>([] { promise<std::vector<int>>::resolved({1}).as<std::array<int, 2>>().get(); }, unfit));
  // Containers of no elements are not one another, nor are a STRING and a BYTES.
  const value list = promises::from_json("[]"), map = promises::from_json("{}"), text = value::of("text");
  CHECK(throws<promises::error>([&] { list.as<std::map<std::string, int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { map.as<std::vector<int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { text.as<std::vector<std::uint8_t>>(); }, unfit));
  CHECK(throws<promises::error>([&] { text.as<void *>(); }, unfit));
  CHECK(throws<promises::error>([&] { text.as<promise<int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { list.as<promises::event<int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { map.as<promises::outcome>(); }, unfit));
  const value bytes = value::of(std::vector<std::uint8_t>{65});
  CHECK(throws<promises::error>([&] { bytes.as<std::string>(); }, unfit));
  const value three = promises::from_json("[1, 2, 3]");
  using pair = std::pair<int, int>;
  CHECK(throws<promises::error>([&] { three.as<pair>(); }, unfit));
}

void a_promise_is_a_value() {
  promise<int> inner;
  const auto outer = promise<promise<int>>::resolved(inner.copy());
  CHECK(outer.is_settled() && outer.get().raw() == inner.raw());
  inner.resolve(3);
  CHECK(outer.get().get() == 3);
  promise<int> gone;
  gone.reset();
  CHECK(throws<promises::error>([&] { promise<promise<int>>::resolved(std::move(gone)); }, unfit));
}

void numbers_that_do_not_fit_are_refused() {
  const promise<std::uint8_t> small;
  CHECK(throws<promises::error>([&] { small.resolve(300); }, unfit));
  CHECK(throws<promises::error>([&] { small.resolve(-1); }, unfit));
  CHECK(!small.is_settled() && small.resolve(255) && small.get() == 255);
  CHECK(throws<promises::error>([&] { promise<int>::resolved(1LL << 40); }, unfit));
  CHECK(promise<std::uint64_t>::resolved(7).get() == 7 && promise<double>::resolved(1).get() == 1.0);
  CHECK(promise<promises::value>::resolved(7).get().as<int>() == 7);
}

void a_fraction_is_not_an_integer() {
  const promise<std::uint8_t> small;
  for (const double number : {256.5, 256.0, 1e20, -1.0, 0.5, std::nan(""), HUGE_VAL, -HUGE_VAL})
    CHECK(throws<promises::error>([&] { small.resolve(number); }, unfit));
  CHECK(!small.is_settled() && small.resolve(255.0) && small.get() == 255);
  CHECK(throws<promises::error>([] { promise<int>::resolved(1e20); }, unfit));
  CHECK(throws<promises::error>([] { promise<int>::resolved(2.5f); }, unfit));
  CHECK(promise<int>::resolved(-2147483648.0).get() == INT32_MIN && promise<int>::resolved(-0.0).get() == 0);
  // The powers of two that are the first numbers beyond a range, and the last numbers within it.
  const double beyond = 18446744073709551616.0;
  CHECK(throws<promises::error>([&] { promise<std::uint64_t>::resolved(beyond); }, unfit));
  CHECK(promise<std::uint64_t>::resolved(std::nextafter(beyond, 0)).get() == UINT64_MAX - 2047);
  CHECK(throws<promises::error>([&] { promise<std::int64_t>::resolved(beyond / 2); }, unfit));
  CHECK(promise<std::int64_t>::resolved(-beyond / 2).get() == INT64_MIN);
  CHECK(throws<promises::error>([&] { promise<std::int64_t>::resolved(-beyond); }, unfit));
  CHECK(throws<promises::error>([] { promise<std::uint8_t>::resolved(minus); }, unfit));
  CHECK(promise<int>::resolved(minus).get() == -1);
}

void a_float_has_a_range() {
  const promise<double> big = promise<double>::resolved(1e300);
  CHECK(throws<promises::error>([&] { big.as<float>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<double>::resolved(-1e39).as<float>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<float>::resolved(1e39); }, unfit));
  constexpr float highest = std::numeric_limits<float>::max();
  CHECK(comes_back(highest) && comes_back(-highest) && promise<float>::resolved(double(highest)).get() == highest);
  // Other numbers are rounded. Infinities and NaN are kept.
  CHECK(promise<double>::resolved(0.1).as<float>().get() == 0.1f && promise<float>::resolved(1e-300).get() == 0);
  CHECK(std::isinf(promise<double>::resolved(-HUGE_VAL).as<float>().get()));
  CHECK(std::isinf(promise<float>::resolved(HUGE_VAL).get()));
  CHECK(std::isnan(promise<double>::resolved(std::nan("")).as<float>().get()));
  if constexpr (std::numeric_limits<long double>::max_exponent > std::numeric_limits<double>::max_exponent)
    CHECK(throws<promises::error>([] { promise<double>::resolved(std::numeric_limits<long double>::max()); }, unfit));
}

void numbers_of_other_languages_are_read() {
  CHECK(promise<double>::resolved(2.0).as<int>().get() == 2 &&
        promise<double>::resolved(1.0).as<colour>().get() == colour::red);
  const double beyond = 18446744073709551616.0;
  for (const double number : {2.5, 1e20, beyond, std::nan(""), HUGE_VAL, -1.0})
    CHECK(throws<promises::error>([&] { promise<double>::resolved(number).as<std::uint64_t>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<double>::resolved(300.0).as<std::int8_t>().get(); }, unfit));
  CHECK(promise<double>::resolved(-beyond / 2).as<std::int64_t>().get() == INT64_MIN);
  CHECK(promises::from_json("[1, 2.5]").as<std::vector<double>>() == std::vector<double>{1, 2.5});
  CHECK(promises::from_json("[1.0, -2]").as<std::vector<int>>() == std::vector<int>{1, -2});
  const std::vector<double> list{1, 2.5};
  CHECK(promises::from_json(promises::to_json(promises::value::of(list))).as<std::vector<double>>() == list);
  CHECK(promises::from_json("{\"a\": 1}").as<std::map<std::string, std::optional<double>>>().at("a") == 1.0);
  // A BOOL and a number are never read as one another.
  CHECK(throws<promises::error>([] { promise<bool>::resolved(true).as<double>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<double>::resolved(1.0).as<bool>().get(); }, unfit));
}

void an_integer_that_is_not_exact_is_refused() {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  CHECK(promise<std::int64_t>::resolved(exact).as<double>().get() == 9007199254740992.0);
  CHECK(promise<std::int64_t>::resolved(INT64_MIN).as<double>().get() == -9223372036854775808.0);
  CHECK(promise<std::uint64_t>::resolved(UINT64_MAX - 2047).as<double>().get() == 18446744073709549568.0);
  CHECK(throws<promises::error>([&] { promise<std::int64_t>::resolved(exact + 1).as<double>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<std::int64_t>::resolved(INT64_MAX).as<double>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<std::uint64_t>::resolved(UINT64_MAX).as<double>().get(); }, unfit));
  CHECK(promise<int>::resolved(-16777216).as<float>().get() == -16777216.0f);
  CHECK(throws<promises::error>([] { promise<int>::resolved(16777217).as<float>().get(); }, unfit));
  // resolve() refuses them too.
  CHECK(throws<promises::error>([&] { promise<double>::resolved(exact + 1); }, unfit));
  CHECK(throws<promises::error>([] { promise<float>::resolved(16777217); }, unfit));
  CHECK(promise<float>::resolved(true).get() == 1.0f);
}

void numbers_in_containers_have_a_range() {
  using small = std::uint8_t;
  const promise<std::optional<small>> perhaps;
  CHECK(throws<promises::error>([&] { perhaps.resolve(300); }, unfit));
  CHECK(throws<promises::error>([&] { perhaps.resolve(std::optional<int>(-1)); }, unfit));
  CHECK(throws<promises::error>([&] { perhaps.resolve(2.5); }, unfit));
  CHECK(!perhaps.is_settled() && perhaps.resolve(255) && perhaps.get() == small(255));
  CHECK(promise<std::optional<small>>::resolved(std::optional<int>()).get() == std::nullopt);
  CHECK(promise<std::optional<small>>::resolved(std::nullopt).get() == std::nullopt);
  CHECK(promise<std::optional<std::string>>::resolved("text").get() == std::string("text"));
  using pair = std::pair<small, std::string>;
  CHECK(throws<promises::error>([] { promise<pair>::resolved(std::make_pair(300, "x")); }, unfit));
  CHECK(promise<pair>::resolved(std::make_pair(3, "x")).get() == pair(small(3), "x"));
  using row = std::tuple<std::optional<small>, float>;
  CHECK(throws<promises::error>([] { promise<row>::resolved(std::make_tuple(300, 1.0f)); }, unfit));
  CHECK(throws<promises::error>([] { promise<row>::resolved(std::make_tuple(3, 1e39)); }, unfit));
  CHECK(throws<promises::error>([] { promise<row>::resolved(std::make_pair(3.5, 1)); }, unfit));
  CHECK(promise<row>::resolved(std::make_pair(3, 0.5)).get() == row(small(3), 0.5f));
  const auto failed = promise<pair>::rejected(std::make_exception_ptr(std::runtime_error("x")));
  const auto rescued = failed.rescue([](const promises::error &) { return std::make_pair(300, "x"); });
  CHECK(throws<promises::error>([&] { rescued.get(); }, unfit));
  // Read, elements have the ranges of their types.
  CHECK(throws<promises::error>([] { promise<std::vector<int>>::resolved({300}).as<std::array<small, 1>>().get(); },
                                unfit));
  CHECK(throws<promises::error>(
      [] {
        promise<std::map<std::string, int>>::resolved({{"a", 300}}).as<std::map<std::string, small>>().get();
      },
      unfit));
}

void a_tuple_has_the_number_of_elements() {
  const promises::value three = promises::value::of(std::vector<int>{1, 2, 3});
  CHECK(three.as<std::tuple<int, int, int>>() == std::make_tuple(1, 2, 3));
  CHECK(throws<promises::error>([&] { three.as<std::tuple<int, int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { three.as<std::tuple<int, int, int, int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { three.as<std::pair<int, int>>(); }, unfit));
  CHECK(throws<promises::error>([&] { three.as<std::array<int, 2>>(); }, unfit));
  CHECK(throws<promises::error>([] { promises::value::of("abc").as<std::tuple<int, int>>(); }, unfit));
}

void a_null_pointer_as_text_is_refused() {
  const char *const none = nullptr;
  const promise<std::string> text;
  CHECK(throws<promises::error>([&] { text.resolve(none); }, unfit));
  CHECK(throws<promises::error>([&] { promise<std::optional<std::string>>::resolved(none); }, unfit));
  CHECK(throws<promises::error>([&] { promises::value::of(none); }, unfit));
  CHECK(throws<promises::error>([&] { promises::publisher<std::string>().publish(none); }, unfit));
  CHECK(!text.is_settled() && text.resolve("text"));
  const auto failed = text.then([&](const std::string &) { return none; });
  CHECK(throws<promises::error>([&] { failed.get(); }, unfit));
  CHECK(
      throws<promises::error>([&] { text.then([](const std::string &) -> char * { return nullptr; }).get(); }, unfit));
}

void braces_make_the_value() {
  CHECK(promise<point>::resolved({1, 2}).get().sum() == 3);
  const promise<std::vector<int>> list;
  CHECK(list.resolve({1, 2, 3}) && list.get().size() == 3);
}

void a_rescue_gives_the_type_of_the_promise() {
  const auto failed = std::make_exception_ptr(std::runtime_error("x"));
  const auto none = [](const promises::error &) { return 0; };
  CHECK(promise<double>::rejected(failed).rescue(none).get() == 0.0);
  CHECK(promise<std::uint64_t>::rejected(failed).rescue(none).get() == 0);
  CHECK(promise<std::optional<int>>::rejected(failed)
            .rescue([](const promises::error &) { return std::nullopt; })
            .get() == std::nullopt);
  CHECK(promise<std::string>::rejected(failed).rescue([](const promises::error &) { return "text"; }).get() == "text");
  const auto big = promise<std::uint8_t>::rejected(failed).rescue<std::runtime_error>([](const auto &) { return 300; });
  CHECK(throws<promises::error>([&] { big.get(); }, unfit));
  const auto inner =
      promise<double>::rejected(failed).rescue([](const promises::error &) { return promise<double>::resolved(2); });
  CHECK(inner.get() == 2.0);
}

void members_are_handlers() {
  const auto at = promise<point>::resolved({1, 2});
  CHECK(at.then(&point::sum).get() == 3 && at.then(&point::y).get() == 2);
  CHECK(promise<std::string>::resolved("four").then(&std::string::size).get() == 4);
  const auto failed = promise<std::int64_t>::rejected(promises::error("x", 9, "y"));
  CHECK(failed.rescue(&promises::error::code).get() == 9);
}

void objects_are_read_where_they_lie() {
  {
    const auto held = promise<page>::resolved(page{std::make_unique<std::string>("text"), {}});
    CHECK(counted::alive == 1);
    CHECK(held.then([](const page &p) { return *p.text; }).get() == "text");
    const promises::value kept = held.result();
    CHECK(kept.as<page>().text->size() == 4);
    CHECK(&kept.as<page>() == &kept.as<page>() && counted::alive == 1);
  }
  // as() on a temporary value returns a copy.
  const auto at = promise<point>::resolved({1, 2});
  static_assert(std::is_same_v<decltype(at.result().as<point>()), point>);
  static_assert(std::is_same_v<decltype(std::declval<const promises::value &>().as<point>()), const point &>);
  const point &copy = at.result().as<point>();
  CHECK(copy.sum() == 3);
}

void maps_and_arrays_are_looked_into() {
  const auto map = promises::value::of(std::map<std::string, int>{{"a", 1}, {"b", 2}});
  CHECK(map.count() == 2 && map.key(1) == "b" && map.at(1).as<int>() == 2 && map.find("a").as<int>() == 1);
  CHECK(map.find("c").kind() == PROMISE_KIND_VOID && map.at(2).kind() == PROMISE_KIND_VOID && map.key(2).empty());
  const auto mixed = promises::value::of(std::pair<int, std::string>(1, "x"));
  CHECK(mixed.count() == 2 && mixed.at(1).as<std::string>() == "x" && promises::value::of(1).count() == 0);
}

} // namespace

int main() {
  return run(more_types_come_back, a_promise_is_a_value, numbers_that_do_not_fit_are_refused,
             a_fraction_is_not_an_integer, a_float_has_a_range, numbers_of_other_languages_are_read,
             an_integer_that_is_not_exact_is_refused, numbers_in_containers_have_a_range,
             a_tuple_has_the_number_of_elements, a_null_pointer_as_text_is_refused, braces_make_the_value,
             a_rescue_gives_the_type_of_the_promise, members_are_handlers, objects_are_read_where_they_lie,
             maps_and_arrays_are_looked_into);
}
