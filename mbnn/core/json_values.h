// Values of JSON that somebody else may have written, and what JSON's exceptions say, in words for a user.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

// The value, if it is one of T. JSON's own conversions take 1e308 or -1 for a count, and what comes of it is undefined.
template <class T>
T value_in(const nlohmann::json& json) {
  return json.get<T>();
}

template <WholeNumber T>
T value_in(const nlohmann::json& json) {
  const auto refuse = [&]() -> T {
    throw ContentError(fmt::format("{} where a whole number within bounds has to be", json.dump().substr(0, 40)));
  };
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    return std::in_range<T>(value) ? static_cast<T>(value) : refuse();
  }
  if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    return std::in_range<T>(value) ? static_cast<T>(value) : refuse();
  }
  if (!json.is_number()) return refuse();
  const auto value = json.get<double>();  // 3.0 is one, too
  const bool whole = std::abs(value) <= 9007199254740992.0 && std::floor(value) == value;
  return whole && std::in_range<T>(static_cast<std::int64_t>(value)) ? static_cast<T>(value) : refuse();
}

template <class T>
requires std::same_as<T, std::vector<std::size_t>> T value_in(const nlohmann::json& json) {
  T values;
  for (const auto& value : json.get_ref<const nlohmann::json::array_t&>())
    values.push_back(value_in<std::size_t>(value));
  return values;
}

// "key 'axis' not found", "it is no JSON, as byte 6 shows"
std::string words_of(const nlohmann::json::exception& error);

}  // namespace mbnn
