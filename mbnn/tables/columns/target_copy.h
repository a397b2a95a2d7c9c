// Inputs that say the target again: what is known only with it, or made of it, must not predict it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {

// A note if the column tells the target all but exactly, and by itself; the target is numbers for a regression.
std::optional<std::string> target_copy(const Table& table, const Column& column, const Column& target, Task task,
                                       std::span<const std::size_t> rows);

}  // namespace mbnn
