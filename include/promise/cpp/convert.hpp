// promise/cpp/convert.hpp - C++ types as values. Part of promise.hpp: read that first.
//
//   bool                                 BOOL
//   integers                             I64 if signed, U64 if not; read from any whole number in range
//   float, double                        F64, rounded if it is in range; read also from an integer that is exact
//   enums                                as their underlying type
//   std::string, std::string_view, const char *   STRING (read as std::string only); NULL is no value
//   std::vector<std::uint8_t>, std::vector<std::byte>   BYTES
//   void *                               POINTER
//   value, error                         as it is
//   a class with a registered<T>         OBJECT
//
// containers.hpp has the containers.
#ifndef PROMISE_CPP_CONVERT_HPP
#define PROMISE_CPP_CONVERT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"

namespace promises {

// Specialise it for a class of yours, so that promises can hold it:
//     template <> struct promises::registered<Picture> { static constexpr const char *name = "org.example.picture"; };
// All holders of the value share the object, so it is read as a const reference; promise<Picture>::get() copies it.
// Objects are compared by ==, or by identity if their class has none. They are described by registered<T> if it has
// `static std::string describe(const T &)`, otherwise by name and address.
template <class T> struct registered;

namespace detail {

template <class T, class = void> struct comparing {
  static constexpr bool known = false;
  static constexpr promise_equal_t call = nullptr;
};
template <class T>
struct comparing<
    T,
    std::enable_if_t<std::is_convertible_v<decltype(std::declval<const T &>() == std::declval<const T &>()), bool>>> {
  static constexpr bool known = true;
  static bool call(const void *one, const void *other) noexcept {
    try {
      return *static_cast<const T *>(one) == *static_cast<const T *>(other);
    } catch (...) {
      return false;
    }
  }
};

template <class T, class = void> struct describing {
  static constexpr bool known = false;
  static constexpr promise_describe_t call = nullptr;
};
template <class T> struct describing<T, std::void_t<decltype(registered<T>::describe(std::declval<const T &>()))>> {
  static constexpr bool known = true;
  static std::size_t call(const void *payload, char *buffer, std::size_t size) noexcept {
    try {
      const std::string text = registered<T>::describe(*static_cast<const T *>(payload));
      std::size_t length = std::min(text.size(), size);
      while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80)
        --length; // cut between characters
      return text.copy(buffer, length);
    } catch (...) {
      return 0;
    }
  }
};

} // namespace detail

// Returns the registered type of a class. The functions that compare and describe its objects are those of the shared
// object that registers it first, which must stay loaded. Each shared object frees the objects that it has made.
template <class T> const type &type_of() {
  static const type known = [] {
    const type made(registered<T>::name);
    if constexpr (detail::comparing<T>::known || detail::describing<T>::known)
      detail::require(promise_type_methods(made.raw(), detail::comparing<T>::call, detail::describing<T>::call),
                      "promise_type_methods");
    return made;
  }();
  return known;
}

namespace detail {

[[noreturn]] inline void mismatch(const char *expected, const promise_value_t &actual) {
  throw error("c++", PROMISE_EINVAL, std::string("expected ") + expected + ", got " + value::keep(actual).describe());
}
inline promise_value_t plain(promise_kind_t kind) noexcept {
  promise_value_t raw = promise_value_t();
  raw.kind = kind;
  return raw;
}
inline value array_of(std::vector<value> &&elements) {
  std::vector<promise_value_t> raw;
  raw.reserve(elements.size());
  for (value &element : elements)
    raw.push_back(element.release());
  promise_value_t made;
  require(promise_value_array(&made, raw.data(), raw.size()), "promise_value_array");
  return value::adopt(made);
}

template <class T> bool is_negative(T number) noexcept {
  if constexpr (std::is_signed_v<T>)
    return number < 0;
  else
    return false;
}
// Returns whether a number converts to T: an integer exactly; a floating-point number to a floating-point T if it is in
// the range of T (it is rounded then), infinite or NaN.
template <class T, class U> bool holds(U number) noexcept {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<U>) {
    if constexpr (std::numeric_limits<U>::max_exponent <= limits::max_exponent)
      return true;
    else
      return !(std::abs(number) > static_cast<U>(limits::max())) || std::isinf(number);
  } else if constexpr (std::is_floating_point_v<U>) {
    constexpr U beyond = static_cast<U>(limits::max() / 2 + 1) * 2; // a power of two: it is exact
    constexpr U lowest = std::is_signed_v<T> ? -beyond : U(0);
    return number >= lowest && number < beyond && std::trunc(number) == number;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T rounded = static_cast<T>(number);
    return holds<U>(rounded) && static_cast<U>(rounded) == number;
  } else {
    const T same = static_cast<T>(number);
    return static_cast<U>(same) == number && is_negative(same) == is_negative(number);
  }
}
template <class T>
inline constexpr const char *held_numbers = std::is_integral_v<T> ? "a whole number in range" : "a number in range";
// Reads a number of any kind.
template <class T> T number(const promise_value_t &from) {
  if (from.kind == PROMISE_KIND_I64 && holds<T>(from.as.i64))
    return static_cast<T>(from.as.i64);
  if (from.kind == PROMISE_KIND_U64 && holds<T>(from.as.u64))
    return static_cast<T>(from.as.u64);
  if (from.kind == PROMISE_KIND_F64 && holds<T>(from.as.f64))
    return static_cast<T>(from.as.f64);
  mismatch(held_numbers<T>, from);
}

} // namespace detail

template <> struct codec<void> {
  static void decode(const promise_value_t &) noexcept {}
};

template <> struct codec<value> {
  static value encode(value content) noexcept {
    return content;
  }
  static value decode(const promise_value_t &from) {
    return value::keep(from);
  }
};

template <> struct codec<error> {
  static value encode(const error &content) {
    return content.reason().copy();
  }
  static error decode(const promise_value_t &from) {
    return error(value::keep(from));
  }
};

template <> struct codec<bool> {
  static value encode(bool content) noexcept {
    promise_value_t raw = detail::plain(PROMISE_KIND_BOOL);
    raw.as.b = content ? 1 : 0;
    return value::adopt(raw);
  }
  static bool decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_BOOL)
      detail::mismatch("a BOOL", from);
    return from.as.b != 0;
  }
};

template <class T>
struct codec<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>> {
  static value encode(T content) noexcept {
    promise_value_t raw = detail::plain(std::is_signed_v<T> ? PROMISE_KIND_I64 : PROMISE_KIND_U64);
    if constexpr (std::is_signed_v<T>)
      raw.as.i64 = content;
    else
      raw.as.u64 = content;
    return value::adopt(raw);
  }
  static T decode(const promise_value_t &from) {
    return detail::number<T>(from);
  }
};

template <class T> struct codec<T, std::enable_if_t<std::is_same_v<T, float> || std::is_same_v<T, double>>> {
  static value encode(T content) noexcept {
    promise_value_t raw = detail::plain(PROMISE_KIND_F64);
    raw.as.f64 = static_cast<double>(content);
    return value::adopt(raw);
  }
  static T decode(const promise_value_t &from) {
    return detail::number<T>(from);
  }
};

template <class T> struct codec<T, std::enable_if_t<std::is_enum_v<T>>> {
  using number = std::underlying_type_t<T>;
  static value encode(T content) noexcept {
    return codec<number>::encode(static_cast<number>(content));
  }
  static T decode(const promise_value_t &from) {
    return static_cast<T>(codec<number>::decode(from));
  }
};

template <> struct codec<void *> {
  static value encode(void *content) noexcept {
    promise_value_t raw = detail::plain(PROMISE_KIND_POINTER);
    raw.as.ptr = content;
    return value::adopt(raw);
  }
  static void *decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_POINTER)
      detail::mismatch("a POINTER", from);
    return from.as.ptr;
  }
};

template <> struct codec<std::string_view> {
  static value encode(std::string_view content) {
    promise_value_t raw;
    const promise_status_t status = promise_value_string(&raw, content.data(), content.size());
    if (status == PROMISE_EINVAL)
      throw error("c++", status, "expected UTF-8 for a STRING; other bytes are a std::vector<std::uint8_t>");
    detail::require(status, "promise_value_string");
    return value::adopt(raw);
  }
  static value encode(const char *content) {
    if (content == nullptr)
      throw error("c++", PROMISE_EINVAL, "expected text, got a null pointer");
    return encode(std::string_view(content));
  }
};

template <> struct codec<const char *> : codec<std::string_view> {};
template <> struct codec<char *> : codec<std::string_view> {};

template <> struct codec<std::string> : codec<std::string_view> {
  static std::string decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_STRING)
      detail::mismatch("a STRING", from);
    std::size_t length = 0;
    const char *text = promise_value_data(&from, &length);
    return std::string(text, length);
  }
};

namespace detail {
template <class Byte> struct bytes_codec {
  static value encode(const std::vector<Byte> &content) {
    promise_value_t raw;
    require(promise_value_bytes(&raw, content.data(), content.size()), "promise_value_bytes");
    return value::adopt(raw);
  }
  static std::vector<Byte> decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_BYTES)
      mismatch("a BYTES", from);
    std::size_t length = 0;
    const char *bytes = promise_value_data(&from, &length);
    if (length == 0)
      return {};
    const auto *first = reinterpret_cast<const Byte *>(bytes);
    return std::vector<Byte>(first, first + length);
  }
};
} // namespace detail

template <> struct codec<std::vector<std::uint8_t>> : detail::bytes_codec<std::uint8_t> {};
template <> struct codec<std::vector<std::byte>> : detail::bytes_codec<std::byte> {};

template <class T> struct codec<T, std::void_t<decltype(registered<T>::name)>> {
  template <class U> static value encode(U &&content) {
    return detail::object(type_of<T>(), std::make_unique<T>(std::forward<U>(content)));
  }
  static const T &decode(const promise_value_t &from) {
    if (!promise_value_is(&from, type_of<T>().raw()))
      detail::mismatch(registered<T>::name, from);
    return *reinterpret_cast<const T *>(promise_value_data(&from, nullptr));
  }
};

namespace detail {

// Makes the result of get() and co_await: the value, or a copy of the object.
template <class T> T taken(const promise_value_t &from) {
  if constexpr (!std::is_void_v<T>)
    static_assert(
        std::is_constructible_v<T, decoded<T>>,
        "an object that cannot be copied is read where it lies, as const T &: in then(), or of a value that is "
        "kept, from result() or co_await promise.as<promises::value>(), by its as<T>()");
  return codec<T>::decode(from);
}

template <class T> struct optional_content { using type = void; };
template <class T> struct optional_content<std::optional<T>> { using type = T; };
template <class T> struct is_row : std::false_type {};
template <class... T> struct is_row<std::tuple<T...>> : std::true_type {};
template <class A, class B> struct is_row<std::pair<A, B>> : std::true_type {};

template <class T, class U> value encode_as(U &&content);

// Encodes the elements of a pair or a tuple, each as the element of T at its place.
template <class T, class U, std::size_t... index> value encode_row(U &&content, std::index_sequence<index...>) {
  std::vector<value> elements;
  elements.reserve(sizeof...(index));
  (elements.push_back(encode_as<std::tuple_element_t<index, T>>(std::get<index>(std::forward<U>(content)))), ...);
  return array_of(std::move(elements));
}

// Encodes content that converts to T as the value of a promise<T>. A number that T does not hold is an error, as on
// reading, also in an optional, a pair or a tuple.
template <class T, class U> value encode_as(U &&content) {
  using given = std::decay_t<U>;
  using held = typename optional_content<T>::type;
  using given_held = typename optional_content<given>::type;
  constexpr bool to_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  constexpr bool to_number = to_integer || std::is_floating_point_v<T>;
  if constexpr (std::is_same_v<T, value> && !std::is_same_v<given, value>) {
    return value::of(std::forward<U>(content));
  } else if constexpr (to_integer && std::is_enum_v<given> && std::is_convertible_v<given, T>) {
    return encode_as<T>(+content);
  } else if constexpr (to_number && std::is_arithmetic_v<given>) {
    if (!holds<T>(content)) {
      using shown = std::conditional_t<std::is_floating_point_v<given>, double, given>;
      mismatch(held_numbers<T>, codec<shown>::encode(static_cast<shown>(content)).raw());
    }
    return codec<T>::encode(static_cast<T>(content));
  } else if constexpr (!std::is_void_v<held> && !std::is_same_v<T, given> && !std::is_void_v<given_held>) {
    return content.has_value() ? encode_as<held>(*std::forward<U>(content)) : value();
  } else if constexpr (!std::is_void_v<held> && std::is_void_v<given_held> && std::is_convertible_v<U, held>) {
    return encode_as<held>(std::forward<U>(content));
  } else if constexpr (is_row<T>::value && is_row<given>::value && !std::is_same_v<T, given>) {
    static_assert(std::is_convertible_v<U, T>, "the elements do not convert to those of the promise");
    return encode_row<T>(std::forward<U>(content), std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    static_assert(!std::is_same_v<T, bool> || !std::is_pointer_v<given>, "a pointer is not a bool: compare it");
    return codec<T>::encode(std::forward<U>(content));
  }
}

} // namespace detail

} // namespace promises

#endif // PROMISE_CPP_CONVERT_HPP
