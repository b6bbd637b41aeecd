// promise/cpp/value.hpp - values as C++ objects. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_VALUE_HPP
#define PROMISE_CPP_VALUE_HPP

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../promise.h"

namespace promises {

// Converts a C++ type to and from values: `static value encode(T)` and `static T decode(const promise_value_t &)`,
// which throws an error for another type. convert.hpp has those of the standard types; specialise it for more.
template <class T, class = void> struct codec {
  static_assert(
      !std::is_same_v<T, T>,
      "no promise can hold this type: it can hold bool, numbers, enums, strings, bytes, containers of these, "
      "promises::value, and classes with a promises::registered<T>; specialise promises::codec<T> for others");
};

namespace detail {
template <class T> using decoded = decltype(codec<T>::decode(std::declval<const promise_value_t &>()));
// The type of the result of decode(), with a copy in place of a reference.
template <class T> using lasting = std::conditional_t<std::is_copy_constructible_v<T>, T, decoded<T>>;
} // namespace detail

// A type of values, registered or built in. It lives as long as the process, so it is copied freely.
class type {
public:
  // Registers the type, or finds it; see promise_type_register(). Throws if the name is taken by another kind of type.
  explicit type(const char *name, promise_free_t destroy = nullptr);
  type(const char *name, const type &parent, promise_free_t destroy = nullptr);
  // Finds a registered or built-in type, such as "error" or "i64". Throws if there is none.
  static type named(const char *name);

  const promise_type_t *raw() const noexcept {
    return raw_;
  }
  const char *name() const noexcept {
    return promise_type_name(raw_);
  }
  friend bool operator==(const type &one, const type &other) noexcept {
    return one.raw_ == other.raw_;
  }
  friend bool operator!=(const type &one, const type &other) noexcept {
    return one.raw_ != other.raw_;
  }

private:
  struct found {
    const promise_type_t *raw;
  };
  explicit type(found one) noexcept : raw_(one.raw) {}
  const promise_type_t *raw_;
};

// A value of any kind, with a reference to its content. Move-only; copy() shares the content, which is immutable.
class value {
public:
  // Makes a VOID.
  value() noexcept : raw_() {
    raw_.kind = PROMISE_KIND_VOID;
  }
  value(value &&other) noexcept : raw_(other.release()) {}
  value &operator=(value &&other) noexcept {
    if (this != &other) {
      promise_value_release(&raw_);
      raw_ = other.release();
    }
    return *this;
  }
  value(const value &) = delete;
  value &operator=(const value &) = delete;
  ~value() {
    promise_value_release(&raw_);
  }

  // Makes a value of any type that has a codec.
  template <class T> static value of(T &&content) {
    return codec<std::decay_t<T>>::encode(std::forward<T>(content));
  }
  // Takes over the reference of a value of the C functions.
  [[nodiscard]] static value adopt(promise_value_t owned) noexcept {
    value made;
    made.raw_ = owned;
    return made;
  }
  // Keeps a borrowed value. Throws if the value is forged.
  static value keep(const promise_value_t &lent);

  [[nodiscard]] value copy() const {
    return keep(raw_);
  }
  // Returns the content as `T`; throws an error of domain "c++" for another type. For a registered class returns a
  // reference, valid as long as the value.
  template <class T> decltype(auto) as() const & {
    return codec<T>::decode(raw_);
  }
  // Returns the content of an rvalue, as a copy if it is an object: a reference would dangle.
  template <class T> detail::lasting<T> as() const && {
    static_assert(!std::is_reference_v<detail::lasting<T>>,
                  "an object that cannot be copied would be destroyed with this value: keep the value");
    return codec<T>::decode(raw_);
  }
  promise_kind_t kind() const noexcept {
    return raw_.kind;
  }
  bool is(const type &of) const noexcept {
    return promise_value_is(&raw_, of.raw());
  }
  const promise_value_t &raw() const noexcept {
    return raw_;
  }
  // Passes the reference to the caller, and leaves a VOID.
  [[nodiscard]] promise_value_t release() noexcept {
    const promise_value_t owned = raw_;
    raw_ = promise_value_t();
    raw_.kind = PROMISE_KIND_VOID;
    return owned;
  }
  // Returns the bytes of a STRING or BYTES, or the message of an ERROR, without a copy: valid as long as the value is.
  // Empty for any other kind.
  std::string_view bytes() const &noexcept {
    std::size_t length = 0;
    const char *first = promise_value_data(&raw_, &length);
    return first != nullptr ? std::string_view(first, length) : std::string_view();
  }
  std::string_view bytes() const && = delete; // the bytes would be freed already
  // Returns the number of elements of an ARRAY or entries of a MAP; 0 for any other kind.
  std::size_t count() const noexcept {
    return promise_value_count(&raw_);
  }
  // Returns the element, or a MAP's value, at an index or for a key; VOID if there is none.
  value at(std::size_t index) const {
    return lent(promise_value_at(&raw_, index));
  }
  value find(std::string_view key) const {
    return lent(promise_value_find(&raw_, key.data(), key.size()));
  }
  // Returns the key of a MAP's entry; empty if there is none.
  std::string key(std::size_t index) const {
    std::size_t length = 0;
    const char *text = promise_value_key(&raw_, index, &length);
    return text != nullptr ? std::string(text, length) : std::string();
  }
  // Returns a description for display and logs, of at most 511 bytes.
  std::string describe() const {
    char text[512];
    const std::size_t length = promise_value_describe(&raw_, text, sizeof text);
    return std::string(text, length);
  }
  friend bool operator==(const value &one, const value &other) {
    bool equal = false;
    if (promise_value_equal(&one.raw_, &other.raw_, &equal) == PROMISE_ENOMEM)
      throw std::bad_alloc();
    return equal;
  }
  friend bool operator!=(const value &one, const value &other) {
    return !(one == other);
  }

private:
  static value lent(const promise_value_t *part) {
    return part != nullptr ? keep(*part) : value();
  }
  promise_value_t raw_;
};

} // namespace promises

#endif // PROMISE_CPP_VALUE_HPP
