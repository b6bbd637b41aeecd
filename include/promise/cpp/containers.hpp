// promise/cpp/containers.hpp - containers as values. Part of promise.hpp: read that first.
//
//   std::vector<T>, std::array<T, size>, std::pair<A, B>, std::tuple<T...>   ARRAY
//   std::optional<T>   VOID if there is none; a T that is VOID itself is read as none
//   std::map<std::string, T>, std::unordered_map<std::string, T>   MAP
#ifndef PROMISE_CPP_CONTAINERS_HPP
#define PROMISE_CPP_CONTAINERS_HPP

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "convert.hpp"

namespace promises {

template <class T> struct codec<std::vector<T>> {
  static value encode(std::vector<T> content) {
    std::vector<value> elements;
    elements.reserve(content.size());
    for (auto &&element : content)
      elements.push_back(codec<T>::encode(std::move(element)));
    return detail::array_of(std::move(elements));
  }
  static std::vector<T> decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_ARRAY)
      detail::mismatch("an ARRAY", from);
    const std::size_t count = promise_value_count(&from);
    std::vector<T> content;
    content.reserve(count);
    for (std::size_t index = 0; index < count; ++index)
      content.push_back(codec<T>::decode(*promise_value_at(&from, index)));
    return content;
  }
};

template <class... T> struct codec<std::tuple<T...>> {
  static value encode(std::tuple<T...> content) {
    std::vector<value> elements;
    elements.reserve(sizeof...(T));
    std::apply([&](T &...element) { (elements.push_back(codec<T>::encode(std::move(element))), ...); }, content);
    return detail::array_of(std::move(elements));
  }
  static std::tuple<T...> decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_ARRAY || promise_value_count(&from) != sizeof...(T))
      detail::mismatch(("an ARRAY of " + std::to_string(sizeof...(T))).c_str(), from);
    return decode(from, std::index_sequence_for<T...>());
  }

private:
  template <std::size_t... index>
  static std::tuple<T...> decode(const promise_value_t &from, std::index_sequence<index...>) {
    return std::tuple<T...>(codec<T>::decode(*promise_value_at(&from, index))...);
  }
};

template <class T> struct codec<std::optional<T>> {
  static value encode(std::optional<T> content) {
    return content.has_value() ? codec<T>::encode(std::move(*content)) : value();
  }
  static std::optional<T> decode(const promise_value_t &from) {
    if (from.kind == PROMISE_KIND_VOID)
      return std::nullopt;
    return std::optional<T>(codec<T>::decode(from));
  }
};

template <class A, class B> struct codec<std::pair<A, B>> {
  static value encode(std::pair<A, B> content) {
    return codec<std::tuple<A, B>>::encode(std::tuple<A, B>(std::move(content)));
  }
  static std::pair<A, B> decode(const promise_value_t &from) {
    auto both = codec<std::tuple<A, B>>::decode(from);
    return std::pair<A, B>(std::get<0>(std::move(both)), std::get<1>(std::move(both)));
  }
};

template <class T, std::size_t size> struct codec<std::array<T, size>> {
  static value encode(std::array<T, size> content) {
    std::vector<value> elements;
    elements.reserve(size);
    for (T &element : content)
      elements.push_back(codec<T>::encode(std::move(element)));
    return detail::array_of(std::move(elements));
  }
  static std::array<T, size> decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_ARRAY || promise_value_count(&from) != size)
      detail::mismatch(("an ARRAY of " + std::to_string(size)).c_str(), from);
    return decode(from, std::make_index_sequence<size>());
  }

private:
  template <std::size_t... index>
  static std::array<T, size> decode(const promise_value_t &from, std::index_sequence<index...>) {
    return std::array<T, size>{{codec<T>::decode(*promise_value_at(&from, index))...}};
  }
};

namespace detail {

// Converts a container of entries by key. A MAP keeps the order of the container.
template <class Map> struct map_codec {
  using content_type = typename Map::mapped_type;
  static value encode(Map content) {
    std::vector<const char *> keys;
    std::vector<std::size_t> lengths;
    std::vector<value> values;
    keys.reserve(content.size());
    lengths.reserve(content.size());
    values.reserve(content.size());
    for (auto &[key, entry] : content) {
      keys.push_back(key.data());
      lengths.push_back(key.size());
      values.push_back(codec<content_type>::encode(std::move(entry)));
    }
    std::vector<promise_value_t> raw;
    raw.reserve(values.size());
    for (value &entry : values)
      raw.push_back(entry.release());
    promise_value_t made;
    const promise_status_t status = promise_value_map(&made, keys.data(), lengths.data(), raw.data(), raw.size());
    if (status == PROMISE_EINVAL)
      throw error("c++", status, "expected UTF-8 for the keys of a MAP");
    require(status, "promise_value_map");
    return value::adopt(made);
  }
  static Map decode(const promise_value_t &from) {
    if (from.kind != PROMISE_KIND_MAP)
      mismatch("a MAP", from);
    Map content;
    for (std::size_t index = 0; index < promise_value_count(&from); ++index) {
      std::size_t length = 0;
      const char *key = promise_value_key(&from, index, &length);
      content.emplace(std::string(key, length), codec<content_type>::decode(*promise_value_at(&from, index)));
    }
    return content;
  }
};

} // namespace detail

template <class T, class... Rest>
struct codec<std::map<std::string, T, Rest...>> : detail::map_codec<std::map<std::string, T, Rest...>> {};
template <class T, class... Rest>
struct codec<std::unordered_map<std::string, T, Rest...>>
    : detail::map_codec<std::unordered_map<std::string, T, Rest...>> {};

} // namespace promises

#endif // PROMISE_CPP_CONTAINERS_HPP
