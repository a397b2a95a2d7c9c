// The errors that leave the library, and the check that raises them: every message names the place and what was
// expected.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace mbnn {

// The run failed for a reason outside the user's input (a full disk, a damaged file). Exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The sampler cannot go on with these options; running it again would end the same way. Exit code 1.
class SamplerError : public Error {
 public:
  using Error::Error;
};

// The user's options, table or file are not usable. Exit code 2.
class InputError : public Error {
 public:
  using Error::Error;
};

// Stored content that no run can have stored. Decoders throw it; who knows the name of the file adds that
// (mbnn/store/content.h).
class ContentError : public InputError {
 public:
  using InputError::InputError;
};

inline void require_content(bool ok, const char* otherwise) {
  if (!ok) throw ContentError(otherwise);
}

// One option is not usable, alone or beside others. The message begins with its name, as option() has it: without
// dashes, since a program may spell it in another way.
class OptionError : public InputError {
 public:
  // OptionError("draws", " = 0: must be at least 1")
  OptionError(std::string_view option, std::string_view rest)
      : InputError(fmt::format("{}{}", option, rest)), option_(option) {}
  const std::string& option() const { return option_; }

 private:
  std::string option_;
};

template <class Value>
void require_option(bool ok, std::string_view option, const Value& value, std::string_view expected) {
  if (!ok) throw OptionError(option, fmt::format(" = {}: {}", value, expected));
}

// require(depth >= 1, "max_depth", depth, "must be at least 1");
template <class Value>
void require(bool ok, std::string_view name, const Value& value, std::string_view expected) {
  if (!ok) throw InputError(fmt::format("{} = {}: {}", name, value, expected));
}

}  // namespace mbnn
