// mbnn series fit: the options of a structural series beside those of its regression, and the run.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <filesystem>
#include <memory>

#include "apps/mbnn/fit_options.h"
#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/series/series_problem.h"

namespace mbnn::app {

namespace {

double number(std::string_view text, const std::string& option, const std::string& given, const char* expected) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("{} '{}': expected {}", option, given, expected));
  return value;
}

// SHAPE:RATE or fixed:VALUE
void parse_variance(const std::optional<std::string>& given, const char* option, NoisePrior& prior) {
  if (!given) return;
  const char* expected = "SHAPE:RATE or fixed:VALUE";
  const auto colon = given->find(':');
  if (colon == given->npos) throw InputError(fmt::format("{} '{}': expected {}", option, *given, expected));
  const std::string_view text = *given, left = text.substr(0, colon), right = text.substr(colon + 1);
  prior.fixed = 0;
  if (left == "fixed") {
    prior.fixed = number(right, option, *given, expected);
    require(prior.fixed > 0, option, *given, "a fixed variance must be positive");
  } else {
    prior.shape = number(left, option, *given, expected);
    prior.rate = number(right, option, *given, expected);
  }
}

class SeriesFitArguments {
 public:
  void add_to(CLI::App& verb);
  SeriesConfiguration configuration() const;
  FitArguments regression;

 private:
  void refuse_idle_options(const SeriesOptions& series) const;

  const CLI::App* verb_ = nullptr;
  std::string date_, preset_ = "default";
  std::optional<std::string> trend_, regression_kind_, level_, slope_, season_, noise_, damping_, until_;
  std::vector<std::size_t> seasons_;
  std::optional<std::size_t> train_rows_;
};

void SeriesFitArguments::add_to(CLI::App& verb) {
  verb_ = &verb;
  const SeriesConfiguration defaults;
  const SeriesOptions& s = defaults.series;
  regression.add_to(verb, defaults.base, false);
  remove_table_options(verb);
  auto prior = [](const NoisePrior& p) { return fmt::format("{:g}:{:g}", p.shape, p.rate); };
  verb.add_option("--date", date_, "the column of dates: ascending, one row a step")->required();
  verb.add_option("--preset", preset_, "default, or paper: the paper's setting for its search volumes [default]")
      ->check(CLI::IsMember({"default", "paper"}));
  verb.add_option("--train-rows", train_rows_, "train on the first so many rows [all]")->group("Table");
  verb.add_option("--train-until", until_, "train on the rows up to this date [all]")->group("Table");
  const char* group = "Series";
  verb.add_option("--trend", trend_, "damped, level or linear [level]")
      ->check(CLI::IsMember(names_of<Trend>()))
      ->group(group);
  verb.add_option("--season", seasons_, "a seasonal pattern of this many steps; may be given several times [none]")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  verb.add_option("--regression", regression_kind_, "none, linear, bnn or mbnn [mbnn]")
      ->check(CLI::IsMember(names_of<Regression>()))
      ->group(group);
  verb.add_option("--noise-variance", noise_,
                  fmt::format("SHAPE:RATE of its inverse gamma prior, or fixed:VALUE; here and below in units of the "
                              "scaled target [{}]",
                              prior(defaults.base.noise_prior)))
      ->group(group);
  verb.add_option("--level-variance", level_, fmt::format("of the level's change in a step [{}]", prior(s.level)))
      ->group(group);
  verb.add_option("--slope-variance", slope_, fmt::format("of the slope's change in a step [{}]", prior(s.slope)))
      ->group(group);
  verb.add_option("--season-variance", season_, fmt::format("of a season's change in a step [{}]", prior(s.season)))
      ->group(group);
  verb.add_option("--damping", damping_,
                  fmt::format("damped: the share r of the level that a step keeps, or learn [{}]", s.damping))
      ->group(group);
}

SeriesConfiguration SeriesFitArguments::configuration() const {
  SeriesConfiguration c = preset_ == "paper" ? SeriesConfiguration::paper() : SeriesConfiguration();
  c.base = regression.configuration(c.base);
  c.date = date_;
  c.train_rows = train_rows_;
  c.train_until = until_;
  if (train_rows_ && until_) throw InputError("--train-rows and --train-until: give one of them");
  if (trend_) c.series.trend = named<Trend>(*trend_, "--trend");
  c.series.seasons = seasons_;
  if (regression_kind_) c.series.regression = named<Regression>(*regression_kind_, "--regression");
  parse_variance(noise_, "--noise-variance", c.base.noise_prior);
  parse_variance(level_, "--level-variance", c.series.level);
  parse_variance(slope_, "--slope-variance", c.series.slope);
  parse_variance(season_, "--season-variance", c.series.season);
  if (damping_) {
    c.series.learn_damping = *damping_ == "learn";
    if (!c.series.learn_damping)
      c.series.damping = number(*damping_, "--damping", *damping_, "a number between 0 and 1, or learn");
    if (c.series.trend != Trend::damped) throw InputError("--damping: only --trend damped has one");
  }
  refuse_idle_options(c.series);
  c.settle();
  if (c.series.network()) regression.refuse_idle_options(c.base);
  return c;
}

// One line for the first option that this model has no use for.
void SeriesFitArguments::refuse_idle_options(const SeriesOptions& series) const {
  const auto refuse = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names)
      if (verb_->count(name) > 0) throw InputError(fmt::format("{}: {}", name, why));
  };
  if (series.trend != Trend::linear) refuse({"--slope-variance"}, "only --trend linear has one");
  if (series.seasons.empty()) refuse({"--season-variance"}, "there is no --season");
  if (!series.network())
    refuse({"--hidden", "--weight-prior", "--sampler", "--start-steps", "--leapfrog-steps", "--max-depth",
            "--target-accept"},
           "only a network has a use for it: --regression mbnn or bnn");
  if (series.regression == Regression::mbnn) return;
  refuse({"--lambda", "--start-width"}, "only --regression mbnn has masks");
  for (const CLI::Option* option : verb_->get_options())
    if (option->get_group() == "Masks") refuse({option->get_name().c_str()}, "only --regression mbnn has masks");
}

int fit(const SeriesFitArguments& arguments, const Common& common) {
  const SeriesConfiguration c = arguments.configuration();
  const FitArguments& regression = arguments.regression;
  check_out(regression.out, c.base.data, regression.force);
  std::vector<std::string> notes;
  SeriesProblem problem = [&] {
    try {
      return SeriesProblem::read(c, notes);
    } catch (const InputError&) {
      say(common, notes);
      throw;
    }
  }();
  say(common, notes);
  const PreparedSeries& series = problem.series();
  const std::string opening =
      fmt::format("{} steps, {} of them observed, {} regressors, target {}; {} chains of {} + {} x {} iterations",
                  series.data.steps, series.data.rows.rows, series.data.rows.inputs, series.encoding.target(),
                  c.base.chains, c.base.chain.warmup, c.base.chain.draws, c.base.chain.thin);
  return begin_session(problem, regression.out, regression.force, opening, {}, common);
}

}  // namespace

void remove_table_options(CLI::App& verb) {
  for (const char* name : {"--preset", "--task", "--missing", "--raw-target", "--masks", "--noise-prior", "--outliers",
                           "--truncate", "--two-logits", "--batch", "--batches", "--step-size", "--step-schedule",
                           "--friction", "--temperature", "--mask-test"})
    if (CLI::Option* option = verb.get_option_no_throw(name)) verb.remove_option(option);
}

void add_series_fit(CLI::App& series, Common& common, Action& action) {
  auto* verb = series.add_subcommand("fit", "sample trend, seasons and regression of a series");
  auto arguments = std::make_shared<SeriesFitArguments>();
  arguments->add_to(*verb);
  add_common_options(*verb, common);
  verb->footer("Example:\n  mbnn series fit sales.csv --target sales --date day --season 7 --out sales.mbnn");
  verb->callback([=, &common, &action] { action = [=, &common] { return fit(*arguments, common); }; });
}

}  // namespace mbnn::app
