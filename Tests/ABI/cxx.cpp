// The library from C++: linkage, lambdas as callbacks, contexts that own C++ objects.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "promise.h"
#include "promise_plugin.h"

namespace {

int passed = 0;
int failed = 0;

void check(bool holds, const char *what, int line) {
  ++(holds ? passed : failed);
  if (!holds)
    std::fprintf(stderr, "cxx.cpp:%d: %s\n", line, what);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

struct Greeting {
  std::string text;
  static int alive;
  explicit Greeting(std::string words) : text(std::move(words)) {
    ++alive;
  }
  Greeting(const Greeting &) = delete;
  Greeting &operator=(const Greeting &) = delete;
  ~Greeting() {
    --alive;
  }
};
int Greeting::alive = 0;

promise_verdict_t greet(void *ctx, const promise_value_t *in, promise_value_t *out) {
  const auto *greeting = static_cast<Greeting *>(ctx);
  const std::string whole = greeting->text + ", " + promise_value_data(in, nullptr);
  return promise_value_string(out, whole.data(), whole.size()) == PROMISE_OK ? PROMISE_FULFILL : PROMISE_REJECT;
}

void chain_with_an_owned_context() {
  promise_t *name = promise_new();
  promise_t *greeting =
      promise_then(name, greet, new Greeting("good morning"), [](void *ctx) { delete static_cast<Greeting *>(ctx); });
  promise_value_t value;
  CHECK(Greeting::alive == 1);
  CHECK(promise_value_string(&value, "world", 5) == PROMISE_OK);
  CHECK(promise_resolve(name, &value) == PROMISE_OK);
  CHECK(Greeting::alive == 0);
  CHECK(promise_result(greeting, &value) == PROMISE_OK);
  CHECK(std::strcmp(promise_value_data(&value, nullptr), "good morning, world") == 0);
  CHECK(promise_value_release(&value) == PROMISE_OK);
  CHECK(promise_release(greeting) == PROMISE_OK);
  CHECK(promise_release(name) == PROMISE_OK);
}

void object_of_a_class() {
  const promise_type_t *type = promise_type_register("test.cxx.greeting", nullptr,
                                                     [](void *payload) { delete static_cast<Greeting *>(payload); });
  promise_value_t value;
  CHECK(promise_value_object(&value, type, new Greeting("hello")) == PROMISE_OK);
  promise_t *promise = promise_new();
  CHECK(promise_reject(promise, &value) == PROMISE_OK);
  std::string seen;
  CHECK(promise_observe(
            promise, nullptr,
            [](void *ctx, const promise_value_t *reason) {
              const void *payload = promise_value_data(reason, nullptr);
              *static_cast<std::string *>(ctx) = static_cast<const Greeting *>(payload)->text;
            },
            &seen, nullptr) == PROMISE_OK);
  CHECK(seen == "hello");
  CHECK(promise_release(promise) == PROMISE_OK);
  CHECK(Greeting::alive == 0);
}

} // namespace

int main() {
  CHECK(promise_abi_version() >= PROMISE_ABI_VERSION);
  chain_with_an_owned_context();
  object_of_a_class();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
