// Edit distance without regard to case: "Age" for "age" is the commonest slip.
#include "mbnn/core/known_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace mbnn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distance(b.size() + 1);  // one row of the Levenshtein table
  std::iota(distance.begin(), distance.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(distance[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) != lower(b[j]));
      diagonal = distance[j + 1];
      distance[j + 1] = std::min({replaced, distance[j + 1] + 1, distance[j] + 1});
    }
  }
  return distance.back();
}

}  // namespace

std::string list_names(std::span<const std::string> names) {
  constexpr std::size_t shown = 30;
  std::string list = fmt::format("{}", fmt::join(names.first(std::min(shown, names.size())), ", "));
  if (names.size() > shown) list += fmt::format(" and {} more", names.size() - shown);
  return list;
}

std::optional<std::string> nearest_name(std::string_view wanted, std::span<const std::string> names) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      best = &name;
    }
  }
  if (!best) return std::nullopt;
  return *best;
}

std::string known_columns(std::string_view wanted, std::span<const std::string> names) {
  std::string text = fmt::format("columns are {}", list_names(names));
  if (const auto nearest = nearest_name(wanted, names)) text += fmt::format("; did you mean '{}'?", *nearest);
  return text;
}

}  // namespace mbnn
