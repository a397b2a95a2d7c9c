// The way back from inputs to the columns and cells that they were made of.
#include <fmt/format.h>

#include <cmath>

#include "mbnn/tables/columns/encoding.h"

namespace mbnn {

namespace {

constexpr const char* kOtherLevel = "(other)";  // a category that training did not keep
constexpr const char* kGiven = "(given)";       // not missing, and otherwise constant in training

// What single precision keeps of a value is this part of the deviation, or a little less.
constexpr double kPrecision = 1e-6;

double decimal_unit(double sd) { return std::pow(10, std::floor(std::log10(kPrecision * sd))); }

double clock_unit(double sd) {
  for (const double unit : {1.0, 60.0, 3600.0})
    if (kPrecision * sd <= unit) return unit;
  return 86400;
}

// So that 0 is 0, and midnight midnight.
double rounded(double value, double unit) { return std::round(value / unit) * unit + 0.0; }

}  // namespace

std::vector<Encoding::InputColumn> Encoding::input_columns() const {
  std::vector<InputColumn> columns;
  std::size_t first = 0;
  for (const Source& source : sources_) {
    const bool ordered = source.kind != ColumnKind::categorical && !source.features.empty() &&
                         source.features[0].role == Feature::Role::value;
    columns.push_back({source.name, first, source.features.size(), ordered});
    first += source.features.size();
  }
  return columns;
}

bool Encoding::cell_missing(std::size_t column, std::span<const float> row) const {
  const InputColumn place = input_columns().at(column);
  for (std::size_t i = 0; i < place.count; ++i) {
    const Feature& feature = sources_[column].features[i];
    if (feature.role == Feature::Role::missing && feature.mean + feature.sd * row[place.first + i] > 0.5) return true;
  }
  return false;
}

std::string Encoding::cell_text(std::size_t column, std::span<const float> row) const {
  if (cell_missing(column, row)) return "";
  const Source& source = sources_.at(column);
  const InputColumn place = input_columns().at(column);
  const auto raw = [&](std::size_t i) {
    const Feature& feature = source.features[i];
    return feature.mean + feature.sd * static_cast<double>(row[place.first + i]);
  };
  if (place.ordered && source.kind == ColumnKind::date)
    return source.form.date.text_of(rounded(raw(0), clock_unit(source.features[0].sd)));
  if (place.ordered) return fmt::format("{:.10g}", rounded(raw(0), decimal_unit(source.features[0].sd)));
  if (source.kind != ColumnKind::categorical) return kGiven;
  double off = 0;  // what of a level is left where none is on: a category that is unknown takes the mean of two
  for (std::size_t i = 0; i < place.count; ++i) {
    if (source.features[i].role != Feature::Role::level) continue;
    if (raw(i) > 0.999) return source.levels[static_cast<std::size_t>(source.features[i].level)];
    off = raw(i);
  }
  return source.levels.size() == 2 && off < 0.001 ? source.levels[0] : kOtherLevel;
}

}  // namespace mbnn
