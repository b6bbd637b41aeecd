// Handles own one reference each, and release it once; values carry C++ types in both directions.
#include <chrono>
#include <string>
#include <vector>

#include "check.hpp"

struct picture {
  int width;
  counted count;
};
template <> struct promises::registered<picture> { static constexpr const char *name = "test.hpp.picture"; };

namespace {

using promises::promise;

template <class H> bool only_moves() {
  return !std::is_copy_constructible_v<H> && !std::is_copy_assignable_v<H> && std::is_nothrow_move_constructible_v<H> &&
         std::is_nothrow_move_assignable_v<H>;
}

void handles_only_move() {
  CHECK(only_moves<promise<int>>());
  CHECK(only_moves<promises::value>());
  CHECK(only_moves<promises::executor>());
  CHECK(only_moves<promises::token>());
  CHECK(only_moves<promises::loop>());
}

void reading_a_handle_does_not_throw() {
  const promise<int> made;
  const promises::value content;
  const promises::type &type = promises::type_of<picture>();
  const promises::outcome outcome(PROMISE_FULFILLED, promises::value());
  const promises::error error("x", 1, "y");
  const promises::place place;
  static_assert(noexcept(made.raw()) &&noexcept(static_cast<bool>(made)) &&noexcept(made.id()));
  static_assert(noexcept(promises::executor().is_current()) &&noexcept(promises::is_main_thread()));
  static_assert(noexcept(place.raw_executor()) &&noexcept(place.raw_token()) &&noexcept(promises::trim()));
  static_assert(noexcept(content.kind()) &&noexcept(content.raw()) &&noexcept(content.bytes()));
  static_assert(noexcept(content.count()) &&noexcept(content.is(type)));
  static_assert(noexcept(type.raw()) &&noexcept(type.name()) &&noexcept(type == type) &&noexcept(type != type));
  static_assert(noexcept(outcome.is_fulfilled()) &&noexcept(outcome.content()));
  static_assert(noexcept(error.what()) &&noexcept(error.message()) &&noexcept(error.domain()));
  static_assert(noexcept(error.code()) &&noexcept(error.reason()) &&noexcept(error.origin()));
  static_assert(std::is_nothrow_copy_constructible_v<promises::cancelled>);
  CHECK(outcome.is_fulfilled() && type.name() == std::string("test.hpp.picture"));
}

void a_reference_is_given_back_once() {
  promise_t *raw = nullptr;
  {
    promise<int> first;
    raw = first.raw();
    promise<int> moved = std::move(first);
    CHECK(!first && moved.raw() == raw);
    const promise<int> second = moved.copy();
    moved = promise<int>();
    CHECK(moved.raw() != raw && promise_state(raw) == PROMISE_PENDING);
    CHECK(second.raw() == raw);
  }
  CHECK(promise_state(raw) == PROMISE_ESTALE);
}

void references_go_in_and_out() {
  promise<int> made;
  promise_t *raw = made.release();
  CHECK(!made && promise_state(raw) == PROMISE_PENDING);
  CHECK(promise<int>::adopt(raw).resolve(1));
  CHECK(promise_state(raw) == PROMISE_ESTALE);
}

void an_empty_handle_is_an_error() {
  promise<int> gone;
  gone.reset();
  const auto invalid = [](const promises::error &e) { return e.domain() == "promise" && e.code() == PROMISE_EINVAL; };
  CHECK(throws<promises::error>([&] { gone.get(); }, invalid));
  CHECK(throws<promises::error>([&] { gone.resolve(1); }, invalid));
  CHECK(throws<promises::error>([&] { gone.then([count = counted()](int) {}); }, invalid));
  promises::executor nowhere;
  CHECK(throws<promises::error>([&] { promise<int>().then(nowhere, [](int) {}); }, invalid));
}

template <class T> bool comes_back(const T &content) {
  return promise<T>::resolved(content).get() == content;
}

void types_come_back() {
  CHECK(comes_back(true) && comes_back(false));
  CHECK(comes_back(INT64_MIN) && comes_back(INT64_MAX) && comes_back(UINT64_MAX));
  CHECK(comes_back<std::int8_t>(-128) && comes_back<std::uint16_t>(65535) && comes_back(-7));
  CHECK(comes_back(0.5) && comes_back(0.25f));
  CHECK(comes_back(std::string()) && comes_back(std::string("gr\xc3\xbc\xc3\x9f\0e", 8)));
  CHECK(comes_back(std::vector<std::uint8_t>()) && comes_back(std::vector<std::uint8_t>{0, 255}));
  CHECK(comes_back(std::vector<std::string>{"a", "b"}) && comes_back(std::vector<bool>{true, false}));
  CHECK(comes_back(std::tuple<int, std::string>(1, "x")));
  CHECK(comes_back(std::optional<int>(3)) && comes_back(std::optional<int>()));
  promise<>::resolved().get();
  const auto kept = promise<promises::value>::resolved(promises::value::of("text")).get();
  CHECK(kept.kind() == PROMISE_KIND_STRING && kept.as<std::string>() == "text");
}

void a_value_of_another_type_is_an_error() {
  const auto unfit = [](const promises::error &e) { return e.domain() == "c++" && e.code() == PROMISE_EINVAL; };
  const promise<std::int64_t> big = promise<std::int64_t>::resolved(300);
  CHECK(big.as<std::uint64_t>().get() == 300 && big.as<std::int16_t>().get() == 300);
  CHECK(throws<promises::error>([&] { big.as<std::uint8_t>().get(); }, unfit));
  CHECK(throws<promises::error>([&] { big.as<std::string>().get(); }, unfit));
  CHECK(throws<promises::error>([&] { big.as<bool>().get(); }, unfit));
  CHECK(throws<promises::error>([&] { big.as<picture>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<int>::resolved(-1).as<std::uint64_t>().get(); }, unfit));
  CHECK(throws<promises::error>([] { promise<std::string>::resolved("\xff"); }, unfit));
}

void objects_of_a_class() {
  {
    const auto held = promise<picture>::resolved(picture{640, {}});
    CHECK(counted::alive == 1);
    CHECK(held.get().width == 640);
    const auto width = held.then([](const picture &p) { return p.width; });
    CHECK(width.get() == 640);
    const promises::value content = held.result();
    CHECK(content.is(promises::type_of<picture>()) && content.is(promises::type::named("object")));
    CHECK(content.as<picture>().width == 640);
    const auto &type = promises::type_of<picture>();
    CHECK(type == promises::type("test.hpp.picture") && !(type != promises::type("test.hpp.picture")));
    CHECK(type != promises::type::named("object") && !(type == promises::type::named("object")));
  }
  CHECK(counted::alive == 0);
}

void values_share_and_compare() {
  promises::value one = promises::value::of(std::string("same"));
  const promises::value other = one.copy();
  CHECK(one == other && one != promises::value::of(1));
  const promises::value moved = std::move(one);
  CHECK(one.kind() == PROMISE_KIND_VOID && moved == other && moved.describe() == "\"same\"");
}

void a_forged_value_is_not_kept() {
  promise_value_t forged = promise_value_t();
  forged.kind = PROMISE_KIND_PROMISE;
  forged.as.ptr = promise<int>().raw(); // released already
  CHECK(throws<promises::error>([&] { promises::value::keep(forged); },
                                [](const promises::error &e) { return e.code() == PROMISE_ESTALE; }));
}

void tokens_have_deadlines() {
  using clock = std::chrono::steady_clock;
  const promises::token token, child, local;
  child.chain(token);
  CHECK(token.deadline() == clock::time_point::max());
  const clock::time_point hour = clock::now() + std::chrono::hours(1);
  token.set_deadline(hour);
  token.set_deadline(hour + std::chrono::hours(1));
  CHECK(token.deadline() == hour && child.deadline() == hour);
  // The clock is that of the library: a conversion loses only precision below a nanosecond.
  const auto before = clock::now().time_since_epoch();
  CHECK(before <= std::chrono::nanoseconds(promise_now()));
  promises::loop loop;
  local.set_deadline(clock::now(), loop.on());
  promise<int> work;
  CHECK(promise_token_add(local.raw(), work.raw()) == PROMISE_OK);
  CHECK(promise_cancel_requested(work.raw()) == 1);
  promises::token gone;
  gone.reset();
  CHECK(throws<promises::error>([&] { gone.deadline(); },
                                [](const promises::error &e) { return e.code() == PROMISE_EINVAL; }));
}

} // namespace

int main() {
  return run(tokens_have_deadlines, handles_only_move, a_reference_is_given_back_once, references_go_in_and_out,
             an_empty_handle_is_an_error, types_come_back, a_value_of_another_type_is_an_error, objects_of_a_class,
             values_share_and_compare, a_forged_value_is_not_kept, reading_a_handle_does_not_throw);
}
