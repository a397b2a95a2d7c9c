// The encoding as JSON, as the fit file stores it; reading checks all that encode() relies on.
#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/core/json_values.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/columns/encoding.h"

namespace mbnn {
namespace {

constexpr int format_version = 1;

void check(bool ok, std::string_view what) {
  if (!ok) throw ContentError(fmt::format("its encoding: {}", what));
}

ColumnKind kind_from(const std::string& name) {
  check(name == "numeric" || name == "categorical", "kind must be numeric or categorical");
  return name == "numeric" ? ColumnKind::numeric : ColumnKind::categorical;
}

const char* kind_name(ColumnKind kind) { return kind == ColumnKind::numeric ? "numeric" : "categorical"; }

}  // namespace

nlohmann::json Encoding::to_json() const {
  nlohmann::json sources = nlohmann::json::array();
  for (const Source& source : sources_) {
    nlohmann::json features = nlohmann::json::array();
    for (const Feature& feature : source.features) {
      nlohmann::json entry = {{"mean", feature.mean}, {"sd", feature.sd}};
      switch (feature.role) {
        case Feature::Role::value:
          entry["role"] = "value";
          break;
        case Feature::Role::level:
          entry["role"] = "level";
          entry["level"] = feature.level;
          break;
        case Feature::Role::missing:
          entry["role"] = "missing";
          break;
      }
      features.push_back(std::move(entry));
    }
    sources.push_back({{"name", source.name},
                       {"kind", kind_name(source.kind)},
                       {"levels", source.levels},
                       {"rare_levels_dropped", source.rare_levels_dropped},
                       {"features", std::move(features)}});
  }
  return {
      {"version", format_version},
      {"task", name_of(task_)},
      {"target", {{"name", target_}, {"kind", kind_name(target_kind_)}, {"mean", target_mean_}, {"sd", target_sd_}}},
      {"labels", labels_},
      {"missing_is_error", missing_is_error_},
      {"decimal_commas", decimal_commas_},
      {"columns", std::move(sources)}};
}

Encoding Encoding::from_json(const nlohmann::json& json) try {
  check(value_in<int>(json.at("version")) == format_version, fmt::format("version must be {}", format_version));
  Encoding encoding;
  const auto task = json.at("task").get<std::string>();
  check(task == "regression" || task == "classification", "task must be regression or classification");
  encoding.task_ = task == "regression" ? Task::regression : Task::classification;

  const auto& target = json.at("target");
  encoding.target_ = target.at("name").get<std::string>();
  encoding.target_kind_ = kind_from(target.at("kind").get<std::string>());
  encoding.target_mean_ = target.at("mean").get<double>();
  encoding.target_sd_ = target.at("sd").get<double>();
  check(std::isfinite(encoding.target_mean_) && positive(encoding.target_sd_),
        "target must have a mean and a positive sd");
  encoding.labels_ = json.at("labels").get<std::vector<std::string>>();
  check(encoding.task_ == Task::regression ? encoding.labels_.empty() : encoding.labels_.size() >= 2,
        "classification and only it must have two labels or more");
  encoding.missing_is_error_ = json.at("missing_is_error").get<bool>();
  encoding.decimal_commas_ = json.value("decimal_commas", false);  // older fits do not say

  for (const auto& entry : json.at("columns")) {
    Source source;
    source.name = entry.at("name").get<std::string>();
    source.kind = kind_from(entry.at("kind").get<std::string>());
    source.levels = entry.at("levels").get<std::vector<std::string>>();
    source.rare_levels_dropped = entry.at("rare_levels_dropped").get<bool>();
    for (const auto& stored : entry.at("features")) {
      Feature feature;
      const auto role = stored.at("role").get<std::string>();
      feature.mean = stored.at("mean").get<double>();
      feature.sd = stored.at("sd").get<double>();
      check(std::isfinite(feature.mean) && positive(feature.sd), "inputs must have a mean and a positive sd");
      if (role == "value") {
        feature.role = Feature::Role::value;
        check(source.kind == ColumnKind::numeric && source.features.empty(),
              "a value comes first, in a numeric column");
      } else if (role == "level") {
        feature.role = Feature::Role::level;
        feature.level = value_in<std::int32_t>(stored.at("level"));
        check(source.kind == ColumnKind::categorical && feature.level >= 0 &&
                  static_cast<std::size_t>(feature.level) < source.levels.size(),
              "a level must be one of its categorical column");
      } else {
        feature.role = Feature::Role::missing;
        check(role == "missing", "role must be value, level or missing");
      }
      source.features.push_back(feature);
    }
    check(!source.features.empty(), "a column must have inputs");
    encoding.sources_.push_back(std::move(source));
  }
  encoding.name_inputs();
  return encoding;
} catch (const nlohmann::json::exception& error) {
  throw ContentError(fmt::format("its encoding: {}", words_of(error)));
}

}  // namespace mbnn
