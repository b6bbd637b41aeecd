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
#include <typeinfo>
#include <utility>

#include "value.hpp"

namespace promises {

// Why a promise was rejected, or why a call could not be made (domain "promise", code: the promise_status_t).
// Thrown by a handler it is the reason again, unchanged.
class error : public std::exception {
public:
  // A reason of any kind; what is no ERROR has no domain, code 0, and says in what() what it is.
  explicit error(value reason) : state_(std::make_shared<const state>(std::move(reason))) {}
  // Throws std::bad_alloc for want of memory. Bytes that are not UTF-8 are shown as question marks.
  error(const std::string &domain, std::int64_t code, const std::string &message)
      : error(make(domain, code, message, value())) {}

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
  // The reason for a rejection with that domain, code and message; `cause` may be VOID.
  static value make(const std::string &domain, std::int64_t code, const std::string &message, value cause);

private:
  struct state {
    value reason;
    std::string domain;
    std::string message;
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

// The promise was cancelled. Thrown by a handler or a coroutine it cancels the promise that this one settles.
class cancelled : public error {
public:
  cancelled() : cancelled(discarded()) {}
  explicit cancelled(value reason) : error(std::move(reason)) {}

private:
  static value discarded() {
    promise_value_t raw = promise_value_t();
    raw.kind = PROMISE_KIND_DISCARDED;
    return value::adopt(raw);
  }
};

namespace detail {

[[noreturn]] inline void fail(promise_status_t status, const char *what) {
  if (status == PROMISE_ENOMEM)
    throw std::bad_alloc();
  throw error("promise", status, std::string(what) + ": " + promise_status_name(status));
}
inline void require(promise_status_t status, const char *what) {
  if (status != PROMISE_OK)
    fail(status, what);
}
template <class Raw> Raw *require(Raw *raw, const char *what) {
  if (raw == nullptr)
    fail(promise_last_status(), what);
  return raw;
}

inline std::string demangled(const char *name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? readable.get() : name;
}

inline std::string ascii(std::string text) {
  for (char &letter : text) {
    if (static_cast<unsigned char>(letter) > 127)
      letter = '?';
  }
  return text;
}

// The name says whose exceptions these are: two standard libraries in one process do not know each other's.
inline const type &exception_type() {
#if defined(_LIBCPP_VERSION)
  constexpr const char *name = "c++.exception.libc++";
#else
  constexpr const char *name = "c++.exception.libstdc++";
#endif
  static const type exception(name, [](void *payload) { delete static_cast<std::exception_ptr *>(payload); });
  return exception;
}

inline value holding(std::exception_ptr thrown) {
  promise_value_t raw;
  require(promise_value_object(&raw, exception_type().raw(), new std::exception_ptr(std::move(thrown))),
          "promise_value_object");
  return value::adopt(raw);
}

// What a handler that threw rejects with.
inline value reason_of(const std::exception_ptr &thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error &known) {
    if (typeid(known) == typeid(error) || typeid(known) == typeid(cancelled))
      return known.reason().copy();
    return error::make(demangled(typeid(known).name()), known.code(), known.message(), holding(thrown));
  } catch (const std::exception &known) {
    return error::make(demangled(typeid(known).name()), 0, known.what(), holding(thrown));
  } catch (...) {
    return error::make("c++", 0, "an exception that is no std::exception", holding(thrown));
  }
}

// The same where nothing may be thrown: for want of memory, without a text.
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

// The exception that a reason was made from, or an error or cancelled with the reason.
inline std::exception_ptr exception_of(const promise_value_t &reason) {
  const promise_value_t *cause = reason.kind == PROMISE_KIND_ERROR ? promise_value_cause(&reason) : nullptr;
  if (cause != nullptr && promise_value_is(cause, exception_type().raw()))
    return *reinterpret_cast<const std::exception_ptr *>(promise_value_data(cause, nullptr));
  if (reason.kind == PROMISE_KIND_DISCARDED)
    return std::make_exception_ptr(cancelled(value::keep(reason)));
  return std::make_exception_ptr(error(value::keep(reason)));
}

} // namespace detail

inline value error::make(const std::string &domain, std::int64_t code, const std::string &message, value cause) {
  promise_value_t raw;
  promise_value_t led_to_it = cause.copy().release();
  promise_status_t status = promise_value_error_from(&raw, domain.c_str(), code, message.c_str(), nullptr, &led_to_it);
  if (status == PROMISE_EINVAL) {
    led_to_it = cause.copy().release();
    status = promise_value_error_from(&raw, detail::ascii(domain).c_str(), code, detail::ascii(message).c_str(),
                                      nullptr, &led_to_it);
  }
  if (status != PROMISE_OK)
    throw std::bad_alloc(); // what else it refuses cannot come here
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
