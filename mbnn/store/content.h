// What a fit file holds, read without trust: whatever cannot be is an InputError that names the file.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"

namespace mbnn {

// Its checksums fit, and yet no run stores such a thing: the message of a file that somebody else has made or changed.
std::string foreign(const std::string& place, std::string_view detail);

// JSON of a fit file. Nesting is bounded: what copies or frees a deep value calls itself for each level.
nlohmann::json parse_stored_json(std::string_view text, const std::string& place);

// What `read` returns. `place` is the file's name, which messages of another InputError may have already.
template <class Read>
auto read_content(const std::string& place, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const ContentError& error) {
    throw InputError(foreign(place, error.what()));
  } catch (const OptionError& error) {
    throw InputError(foreign(place, fmt::format("its options have {}", error.what())));
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find(place) != std::string_view::npos) throw;
    throw InputError(fmt::format("{}: {}", place, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(foreign(place, fmt::format("of its values, {}", words_of(error))));
  }
}

}  // namespace mbnn
