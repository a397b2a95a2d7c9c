#include "mbnn/series/series_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/options.h"
#include "mbnn/series/forecast.h"
#include "mbnn/series/state_space.h"
#include "mbnn/store/content.h"
#include "mbnn/tables/chain_process.h"
#include "mbnn/tables/chain_report.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

namespace {

constexpr const char* kTimes = "series/times";

// The times of the stored rows, believed only if they fit them.
SeriesData stored_series(const FitFile& file, const Encoding& encoding, std::int64_t steps) {
  SeriesData data{stored_data(file, encoding), {}, steps};
  const auto bytes = file.get_blob(kTimes);
  data.times.resize(bytes.size() / sizeof(std::int64_t));
  if (!data.times.empty()) std::memcpy(data.times.data(), bytes.data(), data.times.size() * sizeof(std::int64_t));
  const auto& times = data.times;
  bool intact = times.size() == data.rows.rows && !times.empty() && times.front() >= 0 && times.back() < steps;
  for (std::size_t i = 1; i < times.size(); ++i) intact = intact && times[i] > times[i - 1];
  require_content(intact, "its times do not fit its rows");
  return data;
}

// Paths have a state for each step, also where there are no rows; a gap of the dates can make any number of steps.
void refuse_huge_path(const SeriesConfiguration& c, const SeriesData& data) {
  constexpr double most = 2.5e8;
  const auto states = static_cast<double>(StateSpace(c.series, SeriesParameters::start(c.series, 1)).states());
  const double numbers = states * static_cast<double>(data.steps);
  if (!(numbers <= most))
    throw InputError(
        fmt::format("the series has {} steps of {} states each, where at most {:.2g} numbers can be: are "
                    "its dates far apart?",
                    data.steps, states, most));
}

}  // namespace

SeriesProblem::SeriesProblem(SeriesConfiguration configuration, PreparedSeries prepared, std::vector<std::string> notes)
    : configuration_(std::move(configuration)), series_(std::move(prepared)), notes_(std::move(notes)) {
  model_ = make_model(configuration_.base, series_.encoding, series_.data.rows.rows);
  refuse_huge_start(configuration_.base, model_);
  refuse_huge_path(configuration_, series_.data);
}

SeriesProblem SeriesProblem::read(SeriesConfiguration c, std::vector<std::string>& notes) {
  c.settle();
  Table table = read_table(c.base.data, with_dates(c.base.table, c.date));
  notes = table.notes;
  PreparedSeries prepared = prepare_series(c, std::move(table), notes);
  return SeriesProblem(std::move(c), std::move(prepared), notes);
}

SeriesProblem SeriesProblem::read(SeriesConfiguration configuration) {
  std::vector<std::string> notes;
  return read(std::move(configuration), notes);
}

SeriesProblem SeriesProblem::open(const FitFile& file) {
  return read_content(file.path(), [&] {
    const nlohmann::json json = file.configuration(), series = json.at("series");
    Encoding encoding = Encoding::from_json(file.encoding());
    require_content(encoding.task() == Task::regression, "a series has a target that is no number");
    SeriesData data = stored_series(file, encoding, value_in<std::int64_t>(series.at("steps")));
    SeriesConfiguration configuration = series_configuration_from_json(json);
    options_of(configuration).check();
    configuration.base.check();
    return SeriesProblem(std::move(configuration),
                         {std::move(encoding), TimeAxis::from_json(series.at("axis")), std::move(data)}, file.notes());
  });
}

nlohmann::json SeriesProblem::configuration() const {
  nlohmann::json json = to_json(configuration_);
  json["series"]["axis"] = series_.axis.to_json();
  json["series"]["steps"] = series_.data.steps;
  return json;
}

void SeriesProblem::store(FitFile& file) const {
  file.put_blob(kTimes, std::as_bytes(std::span(series_.data.times)));
  store_data(file, series_.data.rows);
}

std::vector<std::string> SeriesProblem::traces() const {
  auto names = chain_trace_names(model_);
  for (auto& name : series_trace_names(configuration_.series)) names.push_back(std::move(name));
  return names;
}

void SeriesProblem::add_draws(std::int64_t further) {
  configuration_.base.chain.draws += further;
  configuration_.base.check();
}

std::unique_ptr<Process> SeriesProblem::process(std::size_t chain, const Resources&) const {
  const Configuration& c = configuration_.base;
  auto block = std::make_unique<SeriesBlock>(model_, configuration_.series, series_.data);
  const TrainingData& training = block->training();  // it stays where it is
  return std::make_unique<ChainProcess>(ChainSetting{&model_, &c.chain, c.seed, series_.encoding.target_sd()}, training,
                                        chain, std::move(block));
}

// What is predicted is the first step after training.
Evidence SeriesProblem::evidence(const FitFile& file) const {
  const FittedSeries fitted = FittedSeries::read(file);
  Evidence evidence = chain_evidence(file, fitted.regression);
  add_predictions(fitted.regression, SeriesForecaster(fitted).next_step(reference_rows(series_.data.rows)), evidence);
  return evidence;
}

void SeriesProblem::judge(const FitFile& file, Diagnosis& diagnosis) const {
  judge_moves(FittedModel::read(file), diagnosis);
}

Description SeriesProblem::describe(const FitFile& file) const {
  const FittedModel fitted = FittedModel::read(file);
  Description description;
  const Encoding& encoding = series_.encoding;
  description.about.push_back({"fit of", fmt::format("{} from {}", encoding.target(), configuration_.base.data)});
  description.about.push_back({"inputs", list_names(encoding.input_names(), std::string::npos)});
  describe_network(fitted, description);
  if (fitted.draw_count() == 0) return description;
  const auto names = traces();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool damping = names[i] == "damping";
    if (!damping && (!names[i].ends_with("_sd") || names[i] == "noise_sd")) continue;
    double mean = 0;
    for (const auto& chain : fitted.traces)
      for (const auto& draw : chain) {
        require_content(draw.size() == names.size(), "the numbers beside a draw do not fit the series' configuration");
        mean += draw[i] / static_cast<double>(fitted.draw_count());
      }
    if (damping)
      description.learnt.push_back({"damping", fmt::format("{:.4g}", mean)});
    else
      description.learnt.push_back(
          {names[i].substr(0, names[i].size() - 3),
           fmt::format("{:.4g} (standard deviation of its change in a step)", mean * encoding.target_sd())});
  }
  return description;
}

FittedSeries SeriesProblem::without_draws() const {
  return {{configuration_.base, series_.encoding, model_, {}, {}},
          configuration_.series,
          configuration_.date,
          series_.axis,
          series_.data,
          {}};
}

FittedSeries sample_series(const SeriesConfiguration& configuration, const PreparedSeries& prepared,
                           const RunOptions& options) {
  const SeriesProblem problem(configuration, prepared);
  DrawLists draws;
  run_in_memory(problem, options, draws);
  FittedSeries fitted = problem.without_draws();
  fitted.regression.take(std::move(draws));
  fitted.read_parameters();
  return fitted;
}

}  // namespace mbnn
