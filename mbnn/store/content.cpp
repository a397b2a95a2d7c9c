#include "mbnn/store/content.h"

#include <fmt/format.h>

#include <algorithm>

namespace mbnn {
namespace {

constexpr int kDeepest = 32;  // a fit's own JSON has 6 levels

// Brackets outside of texts, without a look at anything else: the parser says what else is wrong.
int nesting_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
    if (deepest > kDeepest) break;
  }
  return deepest;
}

}  // namespace

std::string foreign(const std::string& place, std::string_view detail) {
  return fmt::format("{} is not as mbnn writes it, and is not used: {}", place, detail);
}

nlohmann::json parse_stored_json(std::string_view text, const std::string& place) {
  if (nesting_of(text) > kDeepest)
    throw InputError(foreign(place, fmt::format("values lie in each other more than {} levels deep", kDeepest)));
  return read_content(place, [&] { return nlohmann::json::parse(text); });
}

}  // namespace mbnn
