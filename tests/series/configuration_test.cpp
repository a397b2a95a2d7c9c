// The options of series: through JSON both ways, from files of earlier versions, and refused where they are of no use.
#include "mbnn/series/series_configuration.h"

#include "tests/support/declared_options.h"

namespace mbnn {
namespace {

// As version 0.1.0 wrote them, before options were declared; without axis, steps and names of traces.
const char* const kSeries =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 2, "friction": 0.05, "initial_step": 0.1, "leapfrog_steps": 3,
        "mask_every": 1, "mask_moves": 20, "max_depth": 8, "refit_moves": 20, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 5, "width": 40}, "target_accept": 0.9, "temperature": 1.0, "thin": 1, "warmup": 3}, "chains": 1,
        "data": "s.csv", "hidden": [100, 100], "lambda": 0.1, "lambda_choice": "fixed", "masks": true,
        "method": "mcmc", "missing_is_error": true, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0,
        "rate": 0.001, "shape": 1.0}, "one_logit": true, "scale_target": true, "seed": 1, "series": {"date": "day",
        "model": {"damping": 0.95, "initial_variances": [1.0, 0.01, 1.0], "learn_damping": false,
        "level_variance": {"fixed": 0.0, "rate": 0.001, "shape": 1.0}, "regression": "mbnn",
        "season_variance": {"fixed": 0.0, "rate": 0.0001, "shape": 1.0}, "seasons": [],
        "slope_variance": {"fixed": 0.0, "rate": 1e-05, "shape": 1.0}, "trend": "level"}}, "table": {"categorical": [],
        "delimiter": null, "header": true, "numeric": []}, "target": "y", "task": "regression", "truncation": null,
        "variational": null, "weight_prior": {"degrees": 3.0, "family": "cauchy", "learn_scale": false, "scale": 0.3,
        "spread": 0.5}})";

const char* const kSeriesChanged =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 2, "friction": 0.05, "initial_step": 0.1, "leapfrog_steps": 3,
        "mask_every": 1, "mask_moves": 20, "max_depth": 8, "refit_moves": 20, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 5, "width": 40}, "target_accept": 0.9, "temperature": 1.0, "thin": 1, "warmup": 3}, "chains": 1,
        "data": "s.csv", "hidden": [6], "lambda": 0.1, "lambda_choice": "fixed", "masks": false, "method": "mcmc",
        "missing_is_error": true, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0, "rate": 0.5, "shape": 2.0},
        "one_logit": true, "scale_target": true, "seed": 1, "series": {"date": "day", "model": {"damping": 0.95,
        "initial_variances": [1.0, 0.01, 1.0], "learn_damping": true, "level_variance": {"fixed": 0.1, "rate": 0.001,
        "shape": 1.0}, "regression": "bnn", "season_variance": {"fixed": 0.0, "rate": 0.2, "shape": 3.0},
        "seasons": [4, 7], "slope_variance": {"fixed": 0.0, "rate": 1e-05, "shape": 1.0}, "trend": "damped"},
        "train_until": "30"}, "table": {"categorical": [], "delimiter": null, "header": true, "numeric": []},
        "target": "y", "task": "regression", "truncation": null, "variational": null, "weight_prior": {"degrees": 3.0,
        "family": "cauchy", "learn_scale": false, "scale": 0.3, "spread": 0.5}})";

const char* const kSeriesPaper =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 3}, "draws": 2, "friction": 0.05, "initial_step": 0.1,
        "leapfrog_steps": 20, "mask_every": 1, "mask_moves": 2, "max_depth": 8, "refit_moves": 0, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 0, "width": 100}, "target_accept": 0.9, "temperature": 1.0, "thin": 1, "warmup": 3}, "chains": 1,
        "data": "s.csv", "hidden": [100, 100], "lambda": 0.1, "lambda_choice": "fixed", "masks": false,
        "method": "mcmc", "missing_is_error": true, "no_hidden_layers": true, "noise_prior": {"fixed": 0.0,
        "rate": 0.001, "shape": 1.0}, "one_logit": true, "outliers": false, "scale_target": true, "seed": 1,
        "series": {"date": "day", "model": {"damping": 0.95, "initial_variances": [1.0, 0.01, 1.0],
        "learn_damping": false, "level_variance": {"fixed": 0.1, "rate": 0.001, "shape": 1.0}, "regression": "linear",
        "season_variance": {"fixed": 0.0, "rate": 0.0001, "shape": 1.0}, "seasons": [],
        "slope_variance": {"fixed": 0.0, "rate": 1e-05, "shape": 1.0}, "trend": "damped"}, "train_rows": 30},
        "table": {"categorical": [], "delimiter": null, "header": true, "numeric": []}, "target": "y",
        "task": "regression", "truncation": null, "variational": null, "weight_prior": {"degrees": 3.0,
        "family": "normal", "learn_scale": false, "scale": 1.0, "spread": 0.5}})";

const std::vector<GivenOptions> kSettings{{},
                                          {{"sampler", "nuts"}},
                                          {{"birth", "linear"}},
                                          {{"trend", "linear"}},
                                          {{"trend", "damped"}},
                                          {{"season", "9"}},
                                          {{"rungs", "3"}}};

TEST(SeriesOptions, GoThroughJsonBothWays) {
  expect_options_survive<SeriesConfiguration>(
      kSettings, [](const SeriesConfiguration& c) { return to_json(c); }, series_configuration_from_json);
}

// As people write them, as they are shown and stored, and back.
TEST(SeriesOptions, SeasonsAreReadShownAndStored) {
  struct Case {
    const char *given, *shown, *stored;
  };
  for (const Case& c : {Case{"7", "7", "[7]"},
                        {"24,168", "24,168:fourier=10", R"([24,"168:fourier=10"])"},
                        {"168:free", "168:free", "[168]"},
                        {"365.25", "365.25:fourier=10", R"(["365.25:fourier=10"])"},
                        {"12:fourier=6", "12:fourier=6", R"(["12:fourier=6"])"},
                        {"4.5", "4.5:fourier=1", R"(["4.5:fourier=1"])"},
                        {"auto", "auto", R"(["auto"])"}}) {
    SCOPED_TRACE(c.given);
    std::vector<Season> seasons{3}, back;
    const OptionValue value = value_of(seasons);
    value.clear();
    value.parse(c.given);
    EXPECT_EQ(value.show(), c.shown);
    EXPECT_EQ(value.get().dump(), c.stored);
    value_of(back).set(nlohmann::json::parse(c.stored));
    EXPECT_EQ(back, seasons);
    back.clear();
    value_of(back).parse(c.shown);
    EXPECT_EQ(back, seasons);
  }
  for (const char* wrong : {"week", "7:fourier", "7:fourier=0", "7.5:free", "7:waves=2", ""})
    EXPECT_THROW(Season::parse(wrong), InputError) << wrong;
  SeriesConfiguration c;
  for (const std::vector<Season>& wrong : {std::vector<Season>{1},
                                           {Season(2000)},
                                           {Season(7, 4)},
                                           {Season(), Season(7)},
                                           {Season(7), Season(7, 2)},
                                           {Season(5000, 300)}}) {
    c.series.seasons = wrong;
    EXPECT_THROW(c.settle(), InputError) << list_seasons(wrong);
  }
}

TEST(SeriesOptions, OfNoUseAreRefused) {
  std::vector<GivenOptions> settings = kSettings;
  for (const GivenOption& one : {GivenOption{"regression", "bnn"}, {"regression", "linear"}, {"mask-moves", "0"}})
    settings.push_back(GivenOptions{one});
  expect_idle_ones_refused<SeriesConfiguration>(
      settings,
      {"preset",     "data",           "target",         "seed",   "ignore", "categorical", "numeric",    "no-header",
       "delimiter",  "type",           "max-levels",     "date",   "trend",  "season",      "train-rows", "train-until",
       "regression", "level-variance", "noise-variance", "chains", "warmup", "draws",       "thin"});
}

TEST(SeriesOptions, FilesOfEarlierVersionsStayAsTheyWere) {
  for (const char* text : {kSeries, kSeriesChanged, kSeriesPaper}) {
    nlohmann::json json = to_json(series_configuration_from_json(nlohmann::json::parse(text)));
    EXPECT_EQ(json.at("kind"), "series");
    json.erase("kind");
    EXPECT_EQ(json.dump(), nlohmann::json::parse(text).dump());
  }
}

TEST(SeriesOptions, FilesOfEarlierVersionsAreRead) {
  const SeriesConfiguration c = series_configuration_from_json(nlohmann::json::parse(kSeriesChanged));
  EXPECT_EQ(c.date, "day");
  EXPECT_EQ(c.train_until, "30");
  EXPECT_FALSE(c.train_rows);
  EXPECT_EQ(c.series.trend, Trend::damped);
  EXPECT_TRUE(c.series.learn_damping);
  EXPECT_EQ(c.series.seasons, (std::vector<Season>{4, 7}));
  EXPECT_EQ(c.series.regression, Regression::bnn);
  EXPECT_EQ(c.series.level.fixed, 0.1);
  EXPECT_EQ(c.series.season.shape, 3);
  EXPECT_EQ(c.series.season.rate, 0.2);
  EXPECT_EQ(c.series.slope.rate, 1e-5);
  EXPECT_EQ(c.series.initial_slope, 0.01);
  EXPECT_EQ(c.base.noise_prior.rate, 0.5);
  EXPECT_EQ(c.base.chain.leapfrog_steps, 3u);
  EXPECT_EQ(series_configuration_from_json(nlohmann::json::parse(kSeriesPaper)).train_rows, 30u);
}

}  // namespace
}  // namespace mbnn
