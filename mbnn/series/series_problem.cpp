#include "mbnn/series/series_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/series/find_date.h"
#include "mbnn/series/forecast.h"
#include "mbnn/tables/chain_process.h"
#include "mbnn/tables/chain_report.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

namespace {

constexpr const char* kTimes = "series/times";
constexpr const char* kFutureTimes = "series/future/times";
constexpr const char* kFutureInputs = "series/future/inputs";

template <class T>
std::vector<T> stored_values(const FitFile& file, const char* name) {
  const auto bytes = file.get_blob(name);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// The times of the stored rows, believed only if they fit them.
SeriesData stored_series(const FitFile& file, std::int64_t steps) {
  SeriesData data{stored_data(file), stored_values<std::int64_t>(file, kTimes), steps};
  const auto& times = data.times;
  bool intact = times.size() == data.rows.rows && !times.empty() && times.front() >= 0 && times.back() < steps;
  for (std::size_t i = 1; i < times.size(); ++i) intact = intact && times[i] > times[i - 1];
  if (!intact) throw Error(fmt::format("{} is damaged: its times do not fit its rows", file.path()));
  return data;
}

SeriesRows stored_future(const FitFile& file, const TimeAxis& axis, const SeriesData& data) {
  SeriesRows future;
  if (!file.has_blob(kFutureTimes)) return future;
  future.times = stored_values<std::int64_t>(file, kFutureTimes);
  future.inputs = {future.times.size(), data.rows.inputs, stored_values<float>(file, kFutureInputs), {}, {}};
  future.targets.assign(future.times.size(), NAN);
  std::int64_t before = data.steps - 1;
  for (const std::int64_t time : future.times) {
    if (time <= before) throw Error(fmt::format("{} is damaged: its future rows do not ascend", file.path()));
    future.dates.push_back(axis.date(before = time));
  }
  if (future.inputs.x.size() != future.inputs.rows * future.inputs.inputs)
    throw Error(fmt::format("{} is damaged: its future rows are not complete", file.path()));
  return future;
}

}  // namespace

SeriesProblem::SeriesProblem(SeriesConfiguration configuration, PreparedSeries prepared, std::vector<std::string> notes)
    : configuration_(std::move(configuration)), series_(std::move(prepared)), notes_(std::move(notes)) {
  const bool open = configuration_.series.regression == Regression::automatic;
  configuration_.series = series_.structure;
  if (open) configuration_.settle();
  model_ = make_model(configuration_.base, series_.encoding, series_.data.rows.rows);
  refuse_huge_start(configuration_.base, model_);
}

namespace {

// Without a network, an iteration draws everything with the path integrated out, and the next one hardly remembers it.
void shorten_chains(SeriesConfiguration& c) {
  const ChainOptions usual;
  ChainOptions& chain = c.base.chain;
  if (c.lengths_given || chain.warmup != usual.warmup || chain.draws != usual.draws || chain.thin != usual.thin) return;
  chain.warmup = 100;
  chain.thin = 1;
}

}  // namespace

SeriesProblem SeriesProblem::read(SeriesConfiguration c, std::vector<std::string>& notes) {
  c.settle();
  const bool find = c.date.empty();
  if (find) c.date = find_date(c.base.data, c.base.table, c.base.encoding.target);
  Table table = read_table(c.base.data, with_dates(c.base.table, c.date));
  notes = table.notes;
  if (find) notes.push_back(fmt::format("column '{}' holds the dates", c.date));
  PreparedSeries prepared = prepare_series(c, std::move(table), notes);
  if (prepared.structure.regression == Regression::none) shorten_chains(c);
  return SeriesProblem(std::move(c), std::move(prepared), notes);
}

SeriesProblem SeriesProblem::read(SeriesConfiguration configuration) {
  std::vector<std::string> notes;
  return read(std::move(configuration), notes);
}

SeriesProblem SeriesProblem::open(const FitFile& file) try {
  const nlohmann::json json = file.configuration(), series = json.at("series");
  SeriesConfiguration c = series_configuration_from_json(json);
  PreparedSeries prepared{Encoding::from_json(file.encoding()),
                          TimeAxis::from_json(series.at("axis")),
                          stored_series(file, series.at("steps")),
                          {},
                          c.series};
  prepared.future = stored_future(file, prepared.axis, prepared.data);
  return SeriesProblem(std::move(c), std::move(prepared), file.notes());
} catch (const nlohmann::json::exception& e) {
  throw Error(fmt::format("{}: the stored configuration cannot be read: {}", file.path(), e.what()));
}

nlohmann::json SeriesProblem::configuration() const {
  nlohmann::json json = to_json(configuration_);
  json["series"]["axis"] = series_.axis.to_json();
  json["series"]["steps"] = series_.data.steps;
  return json;
}

void SeriesProblem::store(FitFile& file) const {
  file.put_blob(kTimes, std::as_bytes(std::span(series_.data.times)));
  if (!series_.future.times.empty()) {
    file.put_blob(kFutureInputs, std::as_bytes(std::span(series_.future.inputs.x)));
    file.put_blob(kFutureTimes, std::as_bytes(std::span(series_.future.times)));
  }
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
      for (const auto& draw : chain) mean += draw.at(i) / static_cast<double>(fitted.draw_count());
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
          series_.future,
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
