#include "mbnn/series/series_configuration.h"

#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"
#include "mbnn/core/names_json.h"

namespace mbnn {

namespace {

nlohmann::json prior_json(const NoisePrior& p) { return {{"shape", p.shape}, {"rate", p.rate}, {"fixed", p.fixed}}; }

NoisePrior prior_from(const nlohmann::json& json) { return {json.at("shape"), json.at("rate"), json.at("fixed")}; }

nlohmann::json options_json(const SeriesOptions& o) {
  return {{"trend", o.trend},
          {"seasons", o.seasons},
          {"regression", o.regression},
          {"level_variance", prior_json(o.level)},
          {"slope_variance", prior_json(o.slope)},
          {"season_variance", prior_json(o.season)},
          {"damping", o.damping},
          {"learn_damping", o.learn_damping},
          {"initial_variances", {o.initial_level, o.initial_slope, o.initial_season}}};
}

SeriesOptions options_from_json(const nlohmann::json& json) {
  SeriesOptions o;
  o.trend = json.at("trend");
  o.seasons = json.at("seasons").get<std::vector<std::size_t>>();
  o.regression = json.at("regression");
  o.level = prior_from(json.at("level_variance"));
  o.slope = prior_from(json.at("slope_variance"));
  o.season = prior_from(json.at("season_variance"));
  o.damping = json.at("damping");
  o.learn_damping = json.at("learn_damping");
  const auto& initial = json.at("initial_variances");
  o.initial_level = initial.at(0);
  o.initial_slope = initial.at(1);
  o.initial_season = initial.at(2);
  o.check();
  return o;
}

}  // namespace

SeriesConfiguration::SeriesConfiguration() { base.hidden = {100, 100}; }

SeriesConfiguration SeriesConfiguration::paper() {
  SeriesConfiguration c;
  c.base = Configuration::paper();
  c.base.encoding.scale_target = true;  // its volumes are in thousands; ours may be anything
  c.base.hidden = {100, 100};
  c.base.chain.start.width = 100;
  c.base.chain.mask_moves = 2;
  c.base.chain.warmup = 100;  // 10 samples of burn-in, 20 draws, all 10 iterations apart
  c.base.chain.thin = 10;
  c.base.chain.draws = 20;
  c.series.trend = Trend::damped;
  c.series.damping = 0.95;
  c.series.level.fixed = 0.1;
  return c;
}

void SeriesConfiguration::settle() {
  if (base.chain.stochastic())
    throw InputError("--sampler: a series is sampled by hmc or nuts; mini-batches do not know its trend");
  if (base.lambda_choice == LambdaChoice::validated)
    throw InputError("--lambda validate: rows of a series cannot be held out at random; give a number, or auto");
  base.masks = series.regression == Regression::mbnn;
  base.no_hidden_layers = !series.network();
  if (!base.masks) base.lambda_choice = LambdaChoice::fixed;
  // The paper's: standard normal, for scaled regressors and target.
  if (!series.network()) base.weight_prior = {.family = WeightPrior::Family::normal, .scale = 1};
  base.encoding.task = Task::regression;
  base.encoding.missing_is_error = true;
  base.check();
  base.table.refuse_ignored(date, "the column of dates");
  series.check();
}

nlohmann::json to_json(const SeriesConfiguration& c) {
  nlohmann::json json = to_json(c.base);
  json["series"] = {{"model", options_json(c.series)}, {"date", c.date}};
  if (c.train_rows) json["series"]["train_rows"] = *c.train_rows;
  if (c.train_until) json["series"]["train_until"] = *c.train_until;
  return json;
}

SeriesConfiguration series_configuration_from_json(const nlohmann::json& json) try {
  SeriesConfiguration c;
  c.base = configuration_from_json(json);
  const auto& series = json.at("series");
  c.series = options_from_json(series.at("model"));
  c.date = series.at("date");
  if (series.contains("train_rows")) c.train_rows = series["train_rows"].get<std::size_t>();
  if (series.contains("train_until")) c.train_until = series["train_until"].get<std::string>();
  return c;
} catch (const nlohmann::json::exception& e) {
  throw Error(fmt::format("the stored configuration cannot be read: {}", e.what()));
}

}  // namespace mbnn
