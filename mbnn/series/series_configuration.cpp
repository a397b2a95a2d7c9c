#include "mbnn/series/series_configuration.h"

#include <algorithm>

#include "mbnn/core/options.h"
#include "mbnn/sample/shared_options.h"
#include "mbnn/tables/configuration_options.h"

namespace mbnn {

SeriesConfiguration::SeriesConfiguration() {
  base.hidden = {100, 100};
  series.regression = Regression::automatic;
}

SeriesConfiguration SeriesConfiguration::paper() {
  SeriesConfiguration c;
  c.base = Configuration::paper();
  c.base.encoding.scale_target = true;  // its volumes are in thousands; ours may be anything
  c.base.hidden = {100, 100};
  c.base.chain.start.widths = {100};
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
  SeriesConfiguration& c = *this;
  options_of(c).check();
  base.masks = series.masked();
  base.no_hidden_layers = !series.network();
  if (!base.masks) base.lambda_choice = LambdaChoice::fixed;
  // The paper's: standard normal, for scaled regressors and target.
  if (!series.network()) base.weight_prior = {.family = WeightPrior::Family::normal, .scale = 1};
  base.encoding.task = Task::regression;
  base.encoding.missing_is_error = true;
  base.check();
  if (!date.empty()) base.table.refuse_ignored(date, "the column of dates");
}

namespace {

OptionValue found_value(std::string& name) {
  OptionValue v = value_of(name);
  v.show = [&name] { return name.empty() ? "found" : name; };
  return v;
}

OptionValue damping_value(SeriesOptions& s) {
  OptionValue v = value_of(s.damping);
  v.kind = "X|learn";
  v.show = [&s, number = v.show] { return s.learn_damping ? "learn" : number(); };
  v.parse = [&s](const std::string& text) {
    s.learn_damping = text == "learn";
    if (!s.learn_damping) s.damping = expecting("a number between 0 and 1, or learn", [&] { return parse_real(text); });
  };
  return v;
}

void add_structure(OptionList& options, SeriesOptions& s, const std::string& path) {
  constexpr std::size_t longest = 1000, most = 200;
  const auto each = [&s](auto fits) { return [&s, fits] { return std::ranges::all_of(s.seasons, fits); }; };
  options.group("Series", path);
  options.add("trend", s.trend, "how the level moves").basic();
  options
      .add("season", s.seasons,
           "a pattern that repeats after so many steps; may be given several times. P:fourier=N: as N waves, the usual "
           "form of a long one; P:free: a value for each step; auto: those of the calendar")
      .known_as({"seasons", "seasonality", "period", "periods", "frequency", "freq", "cycle"})
      .json("seasons")
      .must(each([](const Season& season) {
              return season.proposed() || (season.period >= 2 && (season.waves > 0 || season.period <= longest));
            }),
            fmt::format("a period must be from 2 to {} steps; a longer one goes with fourier", longest))
      .must(each([](const Season& season) {
              return season.waves <= most && 2 * static_cast<double>(season.waves) <= season.period;
            }),
            fmt::format("waves must be at most half of the period, and at most {}", most))
      .must(each([&s](const Season& season) {
              return std::ranges::count(s.seasons, season.period, &Season::period) == 1;
            }),
            "the period is given twice")
      .must([&s] { return s.seasons.size() <= 1 || std::ranges::none_of(s.seasons, &Season::proposed); },
            "auto stands alone")
      .basic();
  options
      .add("regression", s.regression, "on the other columns; none: the series by itself; auto: mbnn if there are any")
      .basic()
      .known_as({"masks", "regressors", "method", "model"});
  add_variance(options, "level-variance", s.level, "level_variance", "variance of the level's change in a step");
  add_variance(options, "slope-variance", s.slope, "slope_variance", "variance of the slope's change in a step")
      .only({[&s] { return s.trend == Trend::linear; }, "with trend linear"});
  add_variance(options, "season-variance", s.season, "season_variance",
               "variance of a season's change, from one of its periods to the next")
      .only({[&s] { return !s.seasons.empty(); }, "with a season"});
  options.add("damping", damping_value(s), "the share r of the level that a step keeps")
      .json("learn_damping", s.learn_damping)
      .between(0, 1)
      .only({[&s] { return s.trend == Trend::damped; }, "with trend damped"});
  options.stored("initial_variances.0", s.initial_level).positive();
  options.stored("initial_variances.1", s.initial_slope).positive();
  options.stored("initial_variances.2", s.initial_season).positive();
}

}  // namespace

OptionList options_of(SeriesConfiguration& c) {
  Configuration& base = c.base;
  const SeriesOptions& s = c.series;
  const OptionUse network{[&s] { return s.network(); }, "with regression mbnn or bnn", false};
  const OptionUse masks{[&s] { return s.masked(); }, "with regression mbnn", false};
  OptionList options;
  options.group("Options");
  options.add("preset", preset_value(base.preset, c), "paper: the paper's setting for its search volumes").not_stored();
  add_columns(options, base);
  options.group("Options", "series.");
  options.add("date", found_value(c.date), "the column of dates: ascending, one row a step")
      .kind("COLUMN")
      .basic()
      .known_as({"time", "ds", "dates", "date-column", "time-column", "timestamp", "index"});
  options.group("Data", "series.");
  options.add("train-rows", value_of(c.train_rows, "all"), "train on the first so many rows").json_unless(nullptr);
  options.add("train-until", value_of(c.train_until, "all"), "train on the rows up to this date")
      .kind("DATE")
      .json_unless(nullptr)
      .known_as({"until", "end", "train-end", "cutoff"})
      .must([&c] { return !c.train_rows || !c.train_until; }, "train-rows is given, too: give one of them")
      .basic();
  add_structure(options, c.series, "series.model.");
  options.group("Series");
  add_variance(options, "noise-variance", base.noise_prior, "noise_prior",
               "prior of the noise variance: inverse gamma, or fixed; like the others in units of the scaled target");
  options.group("Model", "", {network});
  add_hidden(options, base);
  add_lambda(options, base, false)
      .must([&base] { return base.lambda_choice != LambdaChoice::validated; },
            "rows of a series cannot be held out at random; give a number, or auto")
      .only(masks);
  add_weight_prior(options, base.weight_prior);
  add_lengths(options, base);
  options.group("Sampler", "chain.", {network});
  options.add("sampler", choice_value(base.chain.sampler, 2), "how the network's weights move")
      .known_as(sampler_words())
      .must([&base] { return !base.chain.stochastic(); },
            "a series is sampled by hmc or nuts; mini-batches do not know its trend");
  add_trajectories(options, base.chain, network, masks);
  add_masks(options, base.chain, {masks});
  return options;
}

nlohmann::json to_json(const SeriesConfiguration& c) {
  SeriesConfiguration copy = c;
  nlohmann::json json = to_json(c.base);
  json.update(options_of(copy).to_json(), true);
  json["kind"] = "series";
  return json;
}

SeriesConfiguration series_configuration_from_json(const nlohmann::json& json) {
  SeriesConfiguration c;
  options_of(c.base).read(json);
  options_of(c).read(json);
  return c;
}

void SeriesOptions::check() const {
  SeriesOptions copy = *this;
  OptionList options;
  add_structure(options, copy, "");
  options.check();
}

}  // namespace mbnn
