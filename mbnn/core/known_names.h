// How messages show names, of columns or of options: the list of what there is, and the one that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbnn {

// 'a, b, "c, d"', cut after `most` names with the number of those left out.
std::string list_names(std::span<const std::string> names, std::size_t most = 30);

// The name that differs least from the wanted one, if it is close enough to be a slip of the pen.
std::optional<std::string> nearest_name(std::string_view wanted, std::span<const std::string> names);

// A name, and other words by which people look for it.
struct KnownName {
  std::string name;
  std::vector<std::string> other_words = {};
};

// Those that are called so, or for which it is another word. Dashes in front, underscores and case do not count.
std::vector<std::string> names_for(std::string_view word, std::span<const KnownName> names);

// Those, or else the names that were probably meant, at most three: it is spelled nearly so, or is a part of a name.
std::vector<std::string> meant_names(std::string_view wanted, std::span<const KnownName> names);

// "columns are a, b, c; did you mean 'b'?" If a list has made two of a name with a comma, it shows that one in
// quotation marks.
std::string known_columns(std::string_view wanted, std::span<const std::string> names);

}  // namespace mbnn
