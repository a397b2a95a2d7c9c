// What JSON's exceptions say, in words that a user can be shown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mbnn {

// "key 'axis' not found", "it is no JSON, as byte 6 shows"
std::string words_of(const nlohmann::json::exception& error);

}  // namespace mbnn
