// How a column writes what is not plain text: what a reader must know to read further cells in the same way.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "mbnn/tables/columns/moment.h"
#include "mbnn/tables/columns/number_format.h"

namespace mbnn {

// Dates as seconds since 1970, by the clock that wrote them; times of day as seconds since midnight.
struct DateFormat {
  DayOrder order = DayOrder::unknown;
  bool clock = false;  // times of day, without a date

  std::optional<double> read(std::string_view cell) const;
  std::string text_of(double seconds) const;  // 2021-03-04, and the time of day unless it is midnight
  nlohmann::json to_json() const;
  static DateFormat from_json(const nlohmann::json& json);
  bool operator==(const DateFormat&) const = default;
};

struct CellForm {
  NumberFormat number;  // of a numeric column
  DateFormat date;      // of a column of dates
  bool operator==(const CellForm&) const = default;
};

}  // namespace mbnn
