// Edit distance without regard to case: "Age" for "age" is the commonest slip, two letters that changed places the
// next.
#include "mbnn/core/known_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "mbnn/core/text.h"

namespace mbnn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  std::vector<std::size_t> row(b.size() + 1), above, before;  // of the table, the last first
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + !same(i, j), above[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j);
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

// As it is compared: "--N_Chains" is "n-chains".
std::string plain(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) { return c == '_' ? '-' : lower(c); });
  return text;
}

template <class Fits>
std::vector<std::string> names_where(std::span<const KnownName> names, Fits fits) {
  std::vector<std::string> list;
  for (const KnownName& known : names)
    if (fits(known) && std::ranges::find(list, known.name) == list.end()) list.push_back(known.name);
  return list;
}

bool begins_a_part(const std::string& name, const std::string& wanted) {
  return name.starts_with(wanted) || name.find("-" + wanted) != name.npos;
}

}  // namespace

std::string list_names(std::span<const std::string> names, std::size_t most) {
  std::string list;
  for (const std::string& name : names.first(std::min(most, names.size())))
    list += (list.empty() ? "" : ", ") + csv_cell(name);
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
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

std::vector<std::string> names_for(std::string_view word, std::span<const KnownName> names) {
  return names_where(names, [word = plain(word)](const KnownName& known) {
    return plain(known.name) == word || std::ranges::find(known.other_words, word) != known.other_words.end();
  });
}

std::vector<std::string> meant_names(std::string_view wanted, std::span<const KnownName> names) {
  const std::string word = plain(wanted);
  const auto those = [&](auto fits) { return names_where(names, fits); };
  const auto said = names_for(wanted, names);
  if (!said.empty() || word.size() < 3) return said;
  // One slip at most, also in another word; then a part of a name; then what is nearest.
  const auto slip = those([&](const KnownName& known) {
    const auto near = [&](const std::string& other) { return other.size() > 4 && edit_distance(word, other) <= 1; };
    return edit_distance(word, plain(known.name)) <= 1 || std::ranges::any_of(known.other_words, near);
  });
  std::vector<std::string> begun = slip;  // "mask" is "masks" rather than "task"
  std::erase_if(begun, [&](const std::string& name) { return !plain(name).starts_with(word); });
  if (!begun.empty()) return begun;
  if (!slip.empty() && slip.size() <= 3) return slip;
  const auto parts = those([&](const KnownName& known) { return begins_a_part(plain(known.name), word); });
  if (!parts.empty() && parts.size() <= 3) return parts;
  std::vector<std::string> plain_names;
  for (const KnownName& known : names) plain_names.push_back(plain(known.name));
  const auto nearest = nearest_name(word, plain_names);
  return those([&](const KnownName& known) { return nearest && plain(known.name) == *nearest; });
}

std::string known_columns(std::string_view wanted, std::span<const std::string> names) {
  std::string text = fmt::format("columns are {}", list_names(names));
  const auto parted = std::ranges::find_if(names, [&](const std::string& name) {
    return name.size() > wanted.size() && name.starts_with(wanted) && name[wanted.size()] == ',';
  });
  if (parted != names.end())
    text += fmt::format("; in a list, {} stands in quotation marks", csv_cell(*parted));
  else if (const auto nearest = nearest_name(wanted, names))
    text += fmt::format("; did you mean '{}'?", *nearest);
  return text;
}

}  // namespace mbnn
