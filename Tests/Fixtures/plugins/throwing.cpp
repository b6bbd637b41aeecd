// Throws everything that C++ can throw, out of functions, load() and unload().
#include "fixture.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <typeinfo>
#include <unistd.h>
#include <unwind.h>

namespace shop {
struct refused {
  int reason;
};
class sold_out : public std::runtime_error {
  using runtime_error::runtime_error;
};
struct mute : std::exception {
  const char *what() const noexcept override {
    return nullptr;
  }
};
template <typename T> struct failure : std::exception {
  const char *what() const noexcept override {
    return "of a template";
  }
};
} // namespace shop

static const promise_host_t *host;
static int destroyed;

namespace {
struct witness {
  ~witness() {
    destroyed++;
  }
};
} // namespace

// Throws as Rust does: an exception of another class, with no memory before the object.
static void throw_foreign(const char *exception_class) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *pages = static_cast<char *>(mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(pages + page, page, PROT_READ | PROT_WRITE);
  auto *exception = reinterpret_cast<_Unwind_Exception *>(pages + page);
  std::memcpy(&exception->exception_class, exception_class, 8);
  exception->exception_cleanup = nullptr;
  _Unwind_RaiseException(exception);
}

static int32_t throws(promise_str_t what) {
  witness here;
  const std::string name(what.data, what.length);
  if (name == "range")
    throw std::out_of_range("index 7 of 3");
  if (name == "silent")
    throw std::runtime_error("");
  if (name == "own")
    throw shop::sold_out("no apples");
  if (name == "plain")
    throw shop::refused{3};
  if (name == "template")
    throw shop::failure<int>();
  if (name == "text")
    throw "a literal";
  if (name == "string")
    throw std::string("a string");
  if (name == "number")
    throw 42;
  if (name == "long")
    throw 18446744073709551615UL;
  if (name == "small")
    throw static_cast<signed char>(-3);
  if (name == "fraction")
    throw 2.5;
  if (name == "digits")
    throw 1234567.25;
  if (name == "letter")
    throw 'c';
  if (name == "truth")
    throw true;
  if (name == "nothing said")
    throw shop::mute();
  if (name == "memory")
    throw std::bad_alloc();
  if (name == "pointer")
    throw static_cast<const char *>(nullptr);
  if (name == "foreign")
    throw_foreign("MOZ\0RUST");
  if (name == "Eiffel")
    throw_foreign("FFIETSET");
  if (name == "nameless")
    throw_foreign("\1\2\3\4\5\6\7");
  return destroyed;
}

static promise_status_t fails(int32_t *result, promise_value_t *error) {
  *result = 1;
  promise_value_error(error, "test.throwing", 9, "this was left, then it threw");
  throw std::runtime_error("after all");
}

static promise_status_t stores(promise_str_t text, int32_t *, promise_value_t *error) {
  promise_value_error(error, "test.throwing", 9, std::string(text.data, text.length).c_str());
  throw std::runtime_error("after all");
}

static promise_status_t stores_beside(promise_str_t text, int32_t *, int32_t *result, promise_value_t *error) {
  return stores(text, result, error);
}

static promise_t *makes() {
  throw std::runtime_error("no promise");
}

// Calls a function that throws while this one handles an exception.
static promise_t *within_handler() {
  try {
    throw 1;
  } catch (int) {
    const promise_value_t none = {};
    return host->call(host, "test.throwing", "fails", &none, 0);
  }
}

static int32_t throw_number(int32_t number) {
  throw number;
}

static void *thrower() {
  return reinterpret_cast<void *>(throw_number);
}

static int32_t apply(int32_t (*f)(int32_t)) {
  return f(7);
}

// The body of a callback in a host written in C++.
extern "C" PROMISE_API void throwing_body(void *, void *const *, void *result) {
  *static_cast<int64_t *>(result) = -1;
  throw std::length_error("too long");
}

// Exported, so that `own` in a signature can name it.
extern "C" PROMISE_API void throwing_free(void *memory) {
  free(memory);
  throw std::logic_error("in use");
}

static promise_bytes_t gives() {
  return {static_cast<uint8_t *>(malloc(1)), 1};
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *) {
  host = offered;
  if (host->configuration(host, "load") != nullptr)
    throw std::logic_error("not today");
  return PROMISE_OK;
}

static void unload() {
  throw std::logic_error("I stay");
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("throws(what: str) -> i32", throws),
    FUNCTION("fails() -> i32 !", fails),
    FUNCTION("stores(text: str) -> i32 !", stores),
    FUNCTION("stores_beside(text: str, count: out i32) -> i32 !", stores_beside),
    FUNCTION("makes() -> promise<void>", makes),
    FUNCTION("within_handler() -> promise<void>", within_handler),
    FUNCTION("gives() -> own(throwing_free) bytes", gives),
    FUNCTION("thrower() -> ptr<function>", thrower),
    FUNCTION("apply(f: fn(i32) -> i32) -> i32", apply),
};

const promise_plugin_t *promise_plugin_entry(uint32_t) {
#ifdef ENTRY_THROWS
  throw std::domain_error("nobody is at home");
#endif
  static const promise_plugin_t plugin = {sizeof(promise_plugin_t),
                                          1,
                                          PROMISE_ABI_VERSION,
                                          sizeof(promise_plugin_function_t),
                                          "test.throwing",
                                          "1.0.0",
                                          nullptr,
                                          nullptr,
                                          load,
                                          unload,
                                          functions,
                                          sizeof functions / sizeof functions[0],
                                          nullptr,
                                          0};
  return &plugin;
}
