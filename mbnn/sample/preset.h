// Where the defaults of a fit come from.
#pragma once

#include <array>

namespace mbnn {

enum class Preset { ours, paper };
constexpr auto enum_names(Preset) { return std::array{"default", "paper"}; }

}  // namespace mbnn
