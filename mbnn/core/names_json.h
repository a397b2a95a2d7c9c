// An enumeration with names, as JSON: its name.
#pragma once

#include <nlohmann/json.hpp>

#include "mbnn/core/names.h"

template <mbnn::Named Enum>
struct nlohmann::adl_serializer<Enum, void> {
  static void to_json(json& out, Enum value) { out = mbnn::name_of(value); }
  static void from_json(const json& in, Enum& value) {
    value = mbnn::named<Enum>(in.get<std::string>(), "stored name");
  }
};
