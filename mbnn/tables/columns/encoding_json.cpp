// The encoding as JSON, as the fit file stores it; reading checks all that encode() relies on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/columns/encoding.h"

namespace mbnn {
namespace {

constexpr int format_version = 1;

void check(bool ok, std::string_view what) {
  if (!ok) throw Error(fmt::format("stored encoding is damaged: {}", what));
}

template <Named Enum>
Enum value_from(const nlohmann::json& json) {
  const auto name = json.get<std::string>();
  const auto names = names_of<Enum>();
  const auto found = std::ranges::find(names, name);
  check(found != names.end(), fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

nlohmann::json Encoding::to_json() const {
  nlohmann::json sources = nlohmann::json::array();
  for (const Source& source : sources_) {
    nlohmann::json features = nlohmann::json::array();
    for (const Feature& feature : source.features) {
      nlohmann::json entry = {{"role", name_of(feature.role)}, {"mean", feature.mean}, {"sd", feature.sd}};
      if (feature.level >= 0) entry["level"] = feature.level;
      features.push_back(std::move(entry));
    }
    nlohmann::json entry = {{"name", source.name},
                            {"kind", name_of(source.kind)},
                            {"levels", source.levels},
                            {"rare_levels_dropped", source.rare_levels_dropped},
                            {"features", std::move(features)}};
    if (source.form.number != NumberFormat()) entry["number"] = source.form.number.to_json();
    if (source.kind == ColumnKind::date) {
      entry["date"] = source.form.date.to_json();
      entry["first"] = source.first;
      entry["last"] = source.last;
    }
    sources.push_back(std::move(entry));
  }
  nlohmann::json target = {
      {"name", target_}, {"kind", name_of(target_kind_)}, {"mean", target_mean_}, {"sd", target_sd_}};
  if (target_format_ != NumberFormat()) target["number"] = target_format_.to_json();
  return {{"version", format_version},
          {"task", name_of(task_)},
          {"target", std::move(target)},
          {"labels", labels_},
          {"missing_is_error", missing_is_error_},
          {"decimal_commas", decimal_commas_},
          {"columns", std::move(sources)}};
}

void Encoding::check_feature(const Source& source, const Feature& feature) {
  using Role = Feature::Role;
  const auto below = [&](std::size_t count) {
    return feature.level >= 0 && static_cast<std::size_t>(feature.level) < count;
  };
  if (feature.role == Role::missing) return;
  if (feature.role == Role::value)
    check(source.kind != ColumnKind::categorical && source.features.empty(),
          "a value comes first, in a column of numbers or dates");
  else if (feature.role == Role::level)
    check(source.kind == ColumnKind::categorical && below(source.levels.size()),
          "a level must be one of its categorical column");
  else
    check(source.kind == ColumnKind::date && (feature.role != Role::weekday || below(7)),
          "parts of a date must be those of a column of dates");
}

Encoding Encoding::from_json(const nlohmann::json& json) try {
  check(json.at("version").get<int>() == format_version, fmt::format("version must be {}", format_version));
  Encoding encoding;
  const auto task = json.at("task").get<std::string>();
  check(task == "regression" || task == "classification", "task must be regression or classification");
  encoding.task_ = task == "regression" ? Task::regression : Task::classification;

  const auto& target = json.at("target");
  encoding.target_ = target.at("name").get<std::string>();
  encoding.target_kind_ = value_from<ColumnKind>(target.at("kind"));
  check(encoding.target_kind_ != ColumnKind::date, "the target must be numbers or classes");
  if (target.contains("number")) encoding.target_format_ = NumberFormat::from_json(target.at("number"));
  encoding.target_mean_ = target.at("mean").get<double>();
  encoding.target_sd_ = target.at("sd").get<double>();
  check(std::isfinite(encoding.target_mean_) && encoding.target_sd_ > 0, "target must have a mean and a positive sd");
  encoding.labels_ = json.at("labels").get<std::vector<std::string>>();
  check(encoding.task_ == Task::regression ? encoding.labels_.empty() : encoding.labels_.size() >= 2,
        "classification and only it must have two labels or more");
  encoding.missing_is_error_ = json.at("missing_is_error").get<bool>();
  encoding.decimal_commas_ = json.value("decimal_commas", false);  // older fits do not say

  for (const auto& entry : json.at("columns")) {
    Source source;
    source.name = entry.at("name").get<std::string>();
    source.kind = value_from<ColumnKind>(entry.at("kind"));
    source.levels = entry.at("levels").get<std::vector<std::string>>();
    source.rare_levels_dropped = entry.at("rare_levels_dropped").get<bool>();
    if (entry.contains("number")) source.form.number = NumberFormat::from_json(entry.at("number"));
    if (source.kind == ColumnKind::date) {
      source.form.date = DateFormat::from_json(entry.at("date"));
      source.first = entry.at("first").get<double>();
      source.last = entry.at("last").get<double>();
      check(std::isfinite(source.first) && source.last >= source.first, "dates must have a first and a last");
    }
    for (const auto& stored : entry.at("features")) {
      Feature feature;
      feature.role = value_from<Feature::Role>(stored.at("role"));
      feature.mean = stored.at("mean").get<double>();
      feature.sd = stored.at("sd").get<double>();
      check(std::isfinite(feature.mean) && feature.sd > 0, "inputs must have a mean and a positive sd");
      feature.level = stored.value("level", -1);
      check_feature(source, feature);
      source.features.push_back(feature);
    }
    check(!source.features.empty(), "a column must have inputs");
    encoding.sources_.push_back(std::move(source));
  }
  encoding.name_inputs();
  return encoding;
} catch (const nlohmann::json::exception& error) {
  throw Error(fmt::format("stored encoding is damaged: {}", error.what()));
}

}  // namespace mbnn
