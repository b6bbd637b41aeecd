// promise/cpp/error.hpp - exceptions and rejections, each made from the other. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_ERROR_HPP
#define PROMISE_CPP_ERROR_HPP

#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "value.hpp"

namespace promises {

// The reason of a rejection, or of a failed call (domain "promise", code: the promise_status_t).
// A handler that throws an error rejects with the same reason, unchanged.
//
// `error` and `cancelled` are visible even in a library that hides its symbols: all parts of a process can catch them.
// Those parts may be built with different releases, so neither the layout of these two classes, of error::state and of
// `value` changes, nor the behaviour of their members.
class PROMISE_API error : public std::exception {
public:
  // Copies, also in place of a move: a moved-from exception keeps its message.
  error(const error &) noexcept = default;
  error &operator=(const error &) noexcept = default;
  // Wraps a reason of any kind. A kind other than ERROR has an empty domain, code 0, and its description as message.
  explicit error(value reason) : state_(std::make_shared<const state>(std::move(reason))) {}
  // Makes an ERROR; throws std::bad_alloc when memory has run out. Bytes that are not UTF-8 are shown as question
  // marks. So is a NUL of the domain, and of the message of an error with a cause or an origin.
  error(const std::string &domain, std::int64_t code, const std::string &message)
      : error(make(domain, code, message, value())) {}
  // Makes an ERROR with a cause, and with an origin such as PROMISE_HERE; NULL: none.
  error(const std::string &domain, std::int64_t code, const std::string &message, const error &cause,
        const char *origin = nullptr)
      : error(make(domain, code, message, cause.reason().copy(), origin)) {}

  const char *what() const noexcept override {
    return state_->message.c_str();
  }
  const std::string &message() const noexcept {
    return state_->message;
  }
  const std::string &domain() const noexcept {
    return state_->domain;
  }
  std::int64_t code() const noexcept {
    return state_->reason.kind() == PROMISE_KIND_ERROR ? promise_value_code(&state_->reason.raw()) : 0;
  }
  const value &reason() const noexcept {
    return state_->reason;
  }
  // The cause; VOID without one.
  value cause() const {
    const promise_value_t *led_to_it = promise_value_cause(&state_->reason.raw());
    return led_to_it != nullptr ? value::keep(*led_to_it) : value();
  }
  // The origin, borrowed; NULL without one.
  const char *origin() const noexcept {
    return promise_value_origin(&state_->reason.raw());
  }
  // Makes an ERROR with this domain, code and message; `cause` may be VOID, `origin` NULL.
  static value make(const std::string &domain, std::int64_t code, const std::string &message, value cause,
                    const char *origin = nullptr);

private:
  struct state {
    value reason;
    std::string domain{};
    std::string message{};
    explicit state(value given) : reason(std::move(given)) {
      if (reason.kind() == PROMISE_KIND_ERROR) {
        std::size_t length = 0;
        const char *text = promise_value_data(&reason.raw(), &length);
        message.assign(text, length);
        domain = promise_value_domain(&reason.raw());
      } else if (reason.kind() == PROMISE_KIND_DISCARDED) {
        message = "the promise was cancelled";
      } else {
        message = "rejected with " + reason.describe();
      }
    }
  };
  std::shared_ptr<const state> state_; // an exception must be copied without throwing
};

// The exception for a cancelled promise. A handler or coroutine that throws it cancels the promise that it settles.
class PROMISE_API cancelled : public error {
public:
  cancelled() : cancelled(discarded(value())) {}
  // Makes a cancellation because of an error elsewhere, which cause() returns.
  explicit cancelled(const error &because) : cancelled(discarded(because.reason().copy())) {}
  // Makes a cancellation with a DISCARDED as its reason, or with any other value as its cause.
  explicit cancelled(value reason)
      : error(reason.kind() == PROMISE_KIND_DISCARDED ? std::move(reason) : discarded(std::move(reason))) {}
  cancelled(const cancelled &) noexcept = default; // a copy, not caused by the other
  cancelled &operator=(const cancelled &) noexcept = default;
  // Makes a DISCARDED; `cause` may be VOID.
  static value discarded(value cause);
};

namespace detail {

inline const char *advice(promise_status_t status) noexcept {
  switch (status) {
  case PROMISE_EINVAL:
    return ": an argument is wrong, such as a handle that is empty or was moved from";
  case PROMISE_ESTALE:
    return ": a handle was released already";
  case PROMISE_EPENDING:
    return ": the promise is not settled yet; use then(), co_await or get()";
  case PROMISE_EDEADLK:
    return ": it could never end, for this thread would have to do the work; use then() or co_await, or loop::wait()";
  default:
    return "";
  }
}
[[noreturn]] inline void fail(promise_status_t status, const char *what) {
  if (status == PROMISE_ENOMEM)
    throw std::bad_alloc();
  throw error("promise", status, std::string(what) + ": " + promise_status_name(status) + advice(status));
}
inline void require(promise_status_t status, const char *what) {
  if (status != PROMISE_OK)
    fail(status, what);
}
template <class Raw> Raw *require(Raw *raw, const char *what) {
  if (raw == nullptr) {
    const promise_status_t why = promise_last_status();
    fail(why != PROMISE_OK ? why : PROMISE_EINVAL, what);
  }
  return raw;
}

inline std::string demangled(const char *name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? readable.get() : name;
}

// Returns the length of the UTF-8 character at a place; 0 if there is none.
inline std::size_t character(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t index) noexcept -> unsigned {
    return at + index < text.size() ? static_cast<unsigned char>(text[at + index]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xc0) != 0x80)
      return 0;
  }
  // Overlong forms, surrogates, and code points beyond U+10FFFF.
  const unsigned second = byte(1);
  const bool none = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return none ? 0 : length;
}
// Returns the text with a question mark for each byte that is not UTF-8, and for each NUL unless it is kept.
inline std::string readable(std::string text, bool keeps_nul) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character(text, at);
    if (length == 0 || (text[at] == '\0' && !keeps_nul))
      text[at] = '?';
    at += length > 0 ? length : 1;
  }
  return text;
}

// Returns the text of an exception, or a substitute if it has none.
inline const char *text_of(const std::exception &thrown) noexcept {
  const char *const text = thrown.what();
  return text != nullptr ? text : "an exception without a text";
}

// The name contains that of the standard library: two of them in one process do not know each other's exceptions.
inline const type &exception_type() {
#if defined(_LIBCPP_VERSION)
  constexpr const char *name = "c++.exception.libc++";
#else
  constexpr const char *name = "c++.exception.libstdc++";
#endif
  static const type exception(name);
  return exception;
}

// Makes an OBJECT that frees its payload itself, also if another party has registered the type.
template <class T> value object(const type &of, std::unique_ptr<T> payload) {
  promise_value_t raw;
  T *const owned = payload.release();
  require(promise_value_object_with(&raw, of.raw(), owned, owned, [](void *ctx) { delete static_cast<T *>(ctx); }),
          "promise_value_object_with");
  return value::adopt(raw);
}

inline value holding(std::exception_ptr thrown) {
  return object(exception_type(), std::make_unique<std::exception_ptr>(std::move(thrown)));
}

// Makes the reason for an exception that a handler threw.
inline value reason_of(const std::exception_ptr &thrown) {
  if (thrown == nullptr) // an exception of another language
    return error::make("c++", 0, "an exception that C++ does not know", value());
  try {
    std::rethrow_exception(thrown);
  } catch (const cancelled &known) {
    if (typeid(known) == typeid(cancelled))
      return known.reason().copy();
    return cancelled::discarded(error::make(demangled(typeid(known).name()), 0, known.message(), holding(thrown)));
  } catch (const error &known) {
    if (typeid(known) == typeid(error))
      return known.reason().copy();
    return error::make(demangled(typeid(known).name()), known.code(), known.message(), holding(thrown));
  } catch (const std::exception &known) {
    return error::make(demangled(typeid(known).name()), 0, text_of(known), holding(thrown));
  } catch (...) {
    return error::make("c++", 0, "an exception that is not a std::exception", holding(thrown));
  }
}

// Makes the reason for the current exception. Does not throw: when memory has run out, the reason is VOID.
inline promise_value_t reason_of_current() noexcept {
  const std::exception_ptr thrown = std::current_exception();
  try {
    return reason_of(thrown).release();
  } catch (...) {
    promise_value_t none = promise_value_t();
    none.kind = PROMISE_KIND_VOID;
    return none;
  }
}

// Returns the exception that is being handled, if `part` is that exception or a base of it; NULL otherwise.
template <class E> std::exception_ptr handled(const E &part) noexcept {
  std::exception_ptr whole = std::current_exception();
  if (whole == nullptr)
    return nullptr;
  try {
    std::rethrow_exception(whole);
  } catch (const E &caught) {
    return &caught == &part ? whole : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// Makes the reason for a value or an exception. An exception held by a reference to its base is not sliced.
template <class E> value reason_from(E &&why) {
  using plain = std::decay_t<E>;
  if constexpr (std::is_same_v<plain, value>) {
    static_assert(!std::is_lvalue_reference_v<E>, "a value is passed by move: std::move() it, or pass a copy()");
    return std::move(why);
  } else if constexpr (std::is_same_v<plain, std::exception_ptr>) {
    if (why == nullptr)
      throw error("promise", PROMISE_EINVAL, "expected an exception to reject with, got an empty std::exception_ptr");
    return reason_of(why);
  } else {
    if constexpr (std::is_base_of_v<std::exception, plain>) {
      if (typeid(why) != typeid(plain)) {
        const std::exception_ptr whole = handled<plain>(why);
        if (whole == nullptr)
          return error::make(demangled(typeid(why).name()), 0, text_of(why), value());
        return reason_of(whole);
      }
    }
    return reason_of(std::make_exception_ptr<plain>(std::forward<E>(why)));
  }
}

// Returns the exception that an ERROR was made from, or NULL.
inline std::exception_ptr held(const promise_value_t *reason) {
  const bool has_cause = reason != nullptr && reason->kind == PROMISE_KIND_ERROR;
  const promise_value_t *const cause = has_cause ? promise_value_cause(reason) : nullptr;
  if (cause == nullptr || !promise_value_is(cause, exception_type().raw()))
    return nullptr;
  return *reinterpret_cast<const std::exception_ptr *>(promise_value_data(cause, nullptr));
}

// Returns the exception that a reason was made from, or an `error` or `cancelled` with the reason.
inline std::exception_ptr exception_of(const promise_value_t &reason) {
  if (reason.kind == PROMISE_KIND_DISCARDED) {
    // The cause may be any exception; only a class derived from cancelled is the thrown one.
    const std::exception_ptr thrown = held(promise_value_cause(&reason));
    try {
      if (thrown != nullptr)
        std::rethrow_exception(thrown);
    } catch (const cancelled &) {
      return thrown;
    } catch (...) {
    }
    return std::make_exception_ptr(cancelled(value::keep(reason)));
  }
  std::exception_ptr thrown = held(&reason);
  return thrown != nullptr ? thrown : std::make_exception_ptr(error(value::keep(reason)));
}

} // namespace detail

inline value error::make(const std::string &domain, std::int64_t code, const std::string &message, value cause,
                         const char *origin) {
  // The C function for texts with a length has no cause and no origin.
  const bool is_plain = origin == nullptr && cause.kind() == PROMISE_KIND_VOID;
  const std::string from = detail::readable(domain, false);
  const std::string text = detail::readable(message, is_plain);
  promise_value_t raw;
  promise_status_t status;
  if (is_plain) {
    status = promise_value_error_sized(&raw, from.data(), from.size(), code, text.data(), text.size());
  } else {
    const std::string place = detail::readable(origin != nullptr ? origin : "", false);
    const promise_value_t led_to_it = cause.release();
    status = promise_value_error_from(&raw, from.c_str(), code, text.c_str(),
                                      origin != nullptr ? place.c_str() : nullptr, &led_to_it);
  }
  if (status != PROMISE_OK)
    throw std::bad_alloc(); // the only error: memory has run out
  return value::adopt(raw);
}

inline value cancelled::discarded(value cause) {
  promise_value_t raw;
  const promise_value_t led_to_it = cause.release();
  detail::require(promise_value_discarded(&raw, &led_to_it), "promise_value_discarded");
  return value::adopt(raw);
}

inline value value::keep(const promise_value_t &lent) {
  detail::require(promise_value_retain(&lent), "promise_value_retain");
  return adopt(lent);
}

inline type::type(const char *name, promise_free_t destroy)
    : raw_(detail::require(promise_type_register(name, nullptr, destroy), "promise_type_register")) {}
inline type::type(const char *name, const type &parent, promise_free_t destroy)
    : raw_(detail::require(promise_type_register(name, parent.raw(), destroy), "promise_type_register")) {}
inline type type::named(const char *name) {
  return type(found{detail::require(promise_type_named(name), "promise_type_named")});
}

} // namespace promises

#endif // PROMISE_CPP_ERROR_HPP
