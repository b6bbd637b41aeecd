// promise/cpp/build.hpp - values from and to JSON, piece by piece, and without a copy. Part of promise.hpp: read that
// first.
#ifndef PROMISE_CPP_BUILD_HPP
#define PROMISE_CPP_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "convert.hpp"
#include "executor.hpp"
#include "handle.hpp"

namespace promises {

// Options for reading and writing JSON; see promise_json_options_t.
struct json_options {
  std::uint32_t flags = 0; // PROMISE_JSON_...
  std::uint32_t max_depth = 0;
  std::uint32_t indent = 0;
  std::uint64_t max_length = 0;
};

namespace detail {
inline promise_json_options_t json(const json_options &how) noexcept {
  promise_json_options_t raw = promise_json_options_t();
  raw.size = sizeof raw;
  raw.flags = how.flags;
  raw.max_depth = how.max_depth;
  raw.indent = how.indent;
  raw.max_length = how.max_length;
  return raw;
}
inline void require_json(promise_status_t status, promise_value_t refused, const char *what) {
  value why = value::adopt(refused);
  if (why.kind() == PROMISE_KIND_ERROR)
    throw error(std::move(why));
  require(status, what);
}
} // namespace detail

// Parses a JSON text; see promise_value_from_json(). Throws an error of domain "promise.json" with the place and the
// expected text.
inline value from_json(std::string_view text, const json_options &how = json_options()) {
  const promise_json_options_t options = detail::json(how);
  promise_value_t made, refused;
  const promise_status_t status = promise_value_from_json(&made, text.data(), text.size(), &options, &refused);
  detail::require_json(status, refused, "promise_value_from_json");
  return value::adopt(made);
}
// Writes a value as JSON; value::of() makes a value. Throws an error of domain "promise.json" for a kind without a form
// in JSON.
inline std::string to_json(const value &content, const json_options &how = json_options()) {
  const promise_json_options_t options = detail::json(how);
  promise_value_t made, refused;
  const promise_status_t status = promise_value_to_json(&made, &content.raw(), &options, &refused);
  detail::require_json(status, refused, "promise_value_to_json");
  return value::adopt(made).as<std::string>();
}

namespace detail {
// Calls a function object that is the context of C callbacks, then frees it.
template <class F> void call_and_free(void *ctx) noexcept {
  const std::unique_ptr<F> owned(static_cast<F *>(ctx));
  (*owned)();
}
// Returns a copy of `release` for C; calls it if there is no memory for that.
template <class F> std::unique_ptr<F> releasing(F &release) {
  try {
    return std::make_unique<F>(std::move(release));
  } catch (...) {
    release();
    throw;
  }
}
} // namespace detail

// Makes a BYTES of memory that is not copied. release() is called once: on the thread that releases the last reference,
// or before this throws. It must not throw, and its code must stay loaded.
template <class F> value foreign_bytes(const void *bytes, std::size_t length, F release) {
  auto context = detail::releasing(release);
  promise_value_t made;
  detail::require(promise_value_bytes_foreign(&made, bytes, length, context.release(), detail::call_and_free<F>),
                  "promise_value_bytes_foreign");
  return value::adopt(made);
}

// Makes an OBJECT of a registered type around an object of another language or library. release() is called once, as
// for foreign_bytes(). Objects of a class with a registered<T> need no release().
template <class F> value foreign_object(const type &of, void *payload, F release) {
  auto context = detail::releasing(release);
  promise_value_t made;
  detail::require(promise_value_object_with(&made, of.raw(), payload, context.release(), detail::call_and_free<F>),
                  "promise_value_object_with");
  return value::adopt(made);
}

// A STRING, BYTES, ARRAY or MAP under construction; see builder.h. Use it on one thread at a time. The destructor drops
// it.
class builder : public handle<promise_builder_t, promise_builder_drop> {
public:
  // Makes a builder of the kind PROMISE_KIND_STRING, _BYTES, _ARRAY or _MAP, with room for `capacity` bytes, elements
  // or entries. It grows as needed.
  explicit builder(promise_kind_t kind, std::size_t capacity = 0)
      : handle(detail::require(promise_builder_new(kind, capacity), "promise_builder_new")) {}
  // Makes a builder with a copy of a value's contents, for a changed copy.
  explicit builder(const value &from)
      : handle(detail::require(promise_builder_from(&from.raw()), "promise_builder_from")) {}

  // Appends an element to an ARRAY.
  template <class T> builder &add(T &&element) {
    const promise_value_t raw_element = value::of(std::forward<T>(element)).release();
    detail::require(promise_builder_add(raw(), &raw_element), "promise_builder_add");
    return *this;
  }
  // Sets the value of a MAP's entry.
  template <class T> builder &set(std::string_view key, T &&content) {
    const promise_value_t raw_content = value::of(std::forward<T>(content)).release();
    detail::require(promise_builder_set(raw(), key.data(), key.size(), &raw_content), "promise_builder_set");
    return *this;
  }
  // Appends bytes to a STRING or BYTES.
  builder &append(std::string_view bytes) {
    detail::require(promise_builder_append(raw(), bytes.data(), bytes.size()), "promise_builder_append");
    return *this;
  }
  // Reserves memory for `length` more bytes. Write bytes there, then call advance() with their number.
  void *room(std::size_t length) {
    return detail::require(promise_builder_room(raw(), length), "promise_builder_room");
  }
  void advance(std::size_t length) {
    detail::require(promise_builder_advance(raw(), length), "promise_builder_advance");
  }
  std::size_t count() const {
    const std::int64_t count = promise_builder_count(raw());
    if (count < 0)
      detail::fail(static_cast<promise_status_t>(count), "promise_builder_count");
    return static_cast<std::size_t>(count);
  }
  // Returns the value. The builder is empty afterwards, also if this throws.
  value finish() {
    promise_value_t made;
    detail::require(promise_builder_finish(release(), &made), "promise_builder_finish");
    return value::adopt(made);
  }
};

} // namespace promises

#endif // PROMISE_CPP_BUILD_HPP
