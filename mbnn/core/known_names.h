// How messages show column names: the list of what there is, and the one that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mbnn {

// "a, b, c", cut after 30 names with the number of those left out.
std::string list_names(std::span<const std::string> names);

// The name that differs least from the wanted one, if it is close enough to be a slip of the pen.
std::optional<std::string> nearest_name(std::string_view wanted, std::span<const std::string> names);

// "columns are a, b, c; did you mean 'b'?"
std::string known_columns(std::string_view wanted, std::span<const std::string> names);

}  // namespace mbnn
