// Exceptions and rejections: none is lost, sliced or empty on the way.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unwind.h>

#include "check.hpp"

namespace {

using promises::promise;

struct refused : std::runtime_error {
  int number;
  explicit refused(int why) : runtime_error("refused"), number(why) {}
};
struct interrupted : promises::cancelled {
  int number = 3;
};
struct timed_out : promises::error {
  timed_out() : error("net", 110, "timed out") {}
};

bool is_refused_7(const refused &e) {
  return e.number == 7;
}
bool is_invalid(const promises::error &e) {
  return e.domain() == "promise" && e.code() == PROMISE_EINVAL;
}

void an_exception_caught_as_its_base_stays_whole() {
  const promise<int> whole;
  try {
    throw refused(7);
  } catch (const std::exception &e) {
    whole.reject(e);
  }
  CHECK(throws<refused>([&] { whole.get(); }, is_refused_7));
  // An exception that is not the current one is stored as its type and text.
  const refused other(8);
  const promise<int> seen;
  try {
    throw refused(7);
  } catch (const std::exception &) {
    seen.reject(static_cast<const std::exception &>(other));
  }
  CHECK(throws<promises::error>([&] { seen.get(); },
                                [](const promises::error &e) {
                                  return e.message() == "refused" && e.domain().find("refused") != std::string::npos;
                                }));
  CHECK(throws<refused>([&] { promise<int>::rejected(refused(7)).get(); }, is_refused_7));
}

void no_exception_is_an_error() {
  const promise<int> source;
  CHECK(throws<promises::error>([&] { source.reject(std::exception_ptr()); }, is_invalid));
  CHECK(!source.is_settled());
  const auto kept = std::make_exception_ptr(refused(7));
  source.reject(kept);
  CHECK(throws<refused>([&] { source.get(); }, is_refused_7));
}

void an_error_is_never_empty() {
  promises::error first("net", 1, "lost");
  const promises::error second = std::move(first);
  CHECK(std::string(first.what()) == "lost" && first.code() == 1 && second.domain() == "net");
  promises::cancelled ended;
  const promises::cancelled again = std::move(ended);
  CHECK(std::string(ended.what()) == again.what());
}

void an_error_has_cause_and_origin() {
  const promises::error inner("errno", 104, "connection reset");
  const promises::error outer("http", 502, "bad gateway", inner, "client.cpp:42");
  CHECK(std::string(outer.origin()) == "client.cpp:42" && inner.origin() == nullptr);
  CHECK(outer.cause().as<promises::error>().code() == 104);
  CHECK(inner.cause().kind() == PROMISE_KIND_VOID);
  const auto failed = promise<int>::rejected(outer);
  CHECK(throws<promises::error>([&] { failed.get(); },
                                [](const promises::error &e) {
                                  return e.code() == 502 &&
                                         e.cause().as<promises::error>().message() == "connection reset";
                                }));
  const promises::error odd("\xff", 1, "\xfe", inner, "\xfd");
  CHECK(odd.domain() == "?" && odd.message() == "?" && std::string(odd.origin()) == "?" &&
        odd.cause() == inner.reason());
}

void texts_keep_valid_text() {
  const std::string text("a\0b", 3);
  const promises::error whole("net", 1, text);
  CHECK(whole.message() == text && promise<int>::rejected(whole).rescue(&promises::error::code).get() == 1);
  CHECK(throws<promises::error>([&] { promise<int>::rejected(whole).get(); },
                                [&](const promises::error &e) { return e.message() == text; }));
  // A domain and an origin cannot hold a NUL, nor can a message beside a cause: it is replaced.
  CHECK(promises::error(text, 1, "x").domain() == "a?b");
  const promises::error led("net", 1, text, whole);
  CHECK(led.message() == "a?b" && led.cause() == whole.reason());
  CHECK(promises::error("net", 1, text, promises::error("x", 1, "y"), "\xff.cpp").origin() == std::string("?.cpp"));
  // In each text, bytes that are not UTF-8 are replaced.
  const promises::error mixed("gr\xc3\xbc\xc3\x9f\xff", 1, "\xe2\x82\xac\xe2\x82 \xf0\x9f\x98\x80\xc3");
  CHECK(mixed.domain() == "gr\xc3\xbc\xc3\x9f?" && mixed.message() == "\xe2\x82\xac?? \xf0\x9f\x98\x80?");
  CHECK(promises::error("\xff", 1, "\xc3\xbc").message() == "\xc3\xbc");
  // Edges of UTF-8: overlong forms, surrogates, and numbers beyond the last character.
  for (const char *none :
       {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    CHECK(promises::error("x", 1, none).message() == std::string(std::string(none).size(), '?'));
  for (const char *some :
       {"\x7f", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(promises::error("x", 1, some).message() == some);
}

struct silent : std::exception {
  int number = 4;
  const char *what() const noexcept override {
    return nullptr;
  }
};

void an_exception_needs_no_text() {
  const auto is_4 = [](const silent &e) { return e.number == 4; };
  const auto failed = promise<int>::resolved(1).then([](int) -> int { throw silent(); });
  CHECK(throws<silent>([&] { failed.get(); }, is_4));
  CHECK(failed.rescue([](const promises::error &e) { return static_cast<int>(e.message().size()); }).get() > 0);
  const silent other;
  const promise<int> seen;
  seen.reject(static_cast<const std::exception &>(other));
  CHECK(throws<promises::error>(
      [&] { seen.get(); }, [](const promises::error &e) { return e.domain().find("silent") != std::string::npos; }));
}

// Throws an exception of another language, which std::current_exception() does not return.
[[noreturn]] void throws_as_another_language() {
  static _Unwind_Exception thrown = {};
  thrown.exception_class = 0x5445535400000000; // "TEST"
  _Unwind_RaiseException(&thrown);
  std::abort(); // there was no handler
}

void an_exception_of_another_language_is_an_error() {
  const auto failed = promise<>::resolved().then([] { throws_as_another_language(); });
  CHECK(throws<promises::error>([&] { failed.get(); },
                                [](const promises::error &e) {
                                  return e.domain() == "c++" && e.message() == "an exception that C++ does not know";
                                }));
}

void a_kind_of_cancelled_cancels() {
  const auto ended = promise<>::resolved().then([]() -> int { throw interrupted(); });
  CHECK(ended.cancel_requested());
  CHECK(throws<interrupted>([&] { ended.get(); }, [](const interrupted &e) { return e.number == 3; }));
  // get() throws the cancellation itself, not its cause.
  const auto because = promise<int>::rejected(promises::cancelled(timed_out()));
  CHECK(throws<promises::cancelled>(
      [&] { because.get(); },
      [](const promises::cancelled &e) { return e.cause().as<promises::error>().code() == 110; }));
  const auto thrown = promise<int>::rejected(timed_out());
  CHECK(throws<timed_out>([&] { thrown.get(); }, [](const timed_out &e) { return e.code() == 110; }));
  // Other languages see the class, the code and the text, of a cancellation in its cause.
  const auto shows = [](const promises::error &e, const char *name, std::int64_t code, const std::string &text) {
    return e.domain().find(name) != std::string::npos && e.code() == code && e.message() == text;
  };
  CHECK(thrown.rescue([&](const promises::error &e) { return shows(e, "timed_out", 110, "timed out"); }).get() == 1);
  CHECK(ended
            .rescue([&](const promises::error &e) {
              return shows(e.cause().as<promises::error>(), "interrupted", 0, interrupted().message());
            })
            .get() == 1);
  const auto led = promise<int>::rejected(
      promises::cancelled::discarded(promises::error::make("x", 1, "y", promises::value::of(2))));
  CHECK(throws<promises::cancelled>([&] { led.get(); }));
}

void any_value_is_the_cause_of_a_cancelled() {
  const auto cancels = [](promises::value reason) {
    const auto ended = promise<>::resolved().then([&]() -> int { throw promises::cancelled(std::move(reason)); });
    promises::value cause;
    CHECK(ended.cancel_requested() && throws<promises::cancelled>([&] { ended.get(); },
                                                                  [&](const auto &e) {
                                                                    cause = e.cause();
                                                                    return e.reason().kind() == PROMISE_KIND_DISCARDED;
                                                                  }));
    return cause;
  };
  CHECK(cancels(promises::value::of("because")).as<std::string>() == "because");
  CHECK(cancels(promises::value()).kind() == PROMISE_KIND_VOID);
  // A DISCARDED is the reason itself.
  CHECK(cancels(promises::cancelled::discarded(promises::value::of(2))).as<int>() == 2);
}

void handles_that_are_none() {
  CHECK(throws<promises::error>([] { static_cast<void>(promise<int>::adopt(nullptr)); },
                                [](const promises::error &e) { return e.code() != PROMISE_OK; }));
  promise<int> gone;
  gone.reset();
  CHECK(throws<promises::error>([&] { gone.reject(refused(7)); },
                                [](const promises::error &e) {
                                  return is_invalid(e) && e.message().find("promise_reject: PROMISE_EINVAL: ") == 0;
                                }));
}

void a_failure_has_advice() {
  const auto advises = [](const char *advice) {
    return [advice](const promises::error &e) {
      return e.message().find(std::string(promise_status_name(static_cast<promise_status_t>(e.code()))) + advice) !=
             std::string::npos;
    };
  };
  promise<int> gone;
  gone.reset();
  CHECK(
      throws<promises::error>([&] { gone.get(); }, advises(": an argument is wrong, such as a handle that is empty")));
  promise_value_t forged = promise_value_t();
  forged.kind = PROMISE_KIND_PROMISE;
  forged.as.ptr = promise<int>().raw(); // released already
  CHECK(throws<promises::error>([&] { promises::value::keep(forged); }, advises(": a handle was released already")));
  const promise<int> source;
  CHECK(throws<promises::error>([&] { source.result(); }, advises(": the promise is not settled yet; use then()")));
  promise<int> child;
  child = source.then([&](int) { return child.get(); });
  source.resolve(1);
  CHECK(throws<promises::error>([&] { child.get(); }, advises(": it could never end, for this thread")));
}

} // namespace

int main() {
  return run(handles_that_are_none, a_failure_has_advice, an_exception_caught_as_its_base_stays_whole,
             no_exception_is_an_error, an_error_is_never_empty, an_error_has_cause_and_origin, texts_keep_valid_text,
             an_exception_needs_no_text, an_exception_of_another_language_is_an_error, a_kind_of_cancelled_cancels,
             any_value_is_the_cause_of_a_cancelled);
}
