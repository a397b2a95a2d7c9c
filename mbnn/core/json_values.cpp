#include "mbnn/core/json_values.h"

#include <fmt/format.h>

namespace mbnn {

std::string words_of(const nlohmann::json::exception& error) {
  if (const auto* wrong = dynamic_cast<const nlohmann::json::parse_error*>(&error))
    return fmt::format("it is no JSON, as byte {} shows", wrong->byte);
  // "[json.exception.type_error.302] type must be number, but is string"
  const std::string_view words = error.what();
  const auto end = words.find("] ");
  return std::string(end == words.npos ? words : words.substr(end + 2));
}

}  // namespace mbnn
