#include "mbnn/series/series_fit.h"

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"
#include "mbnn/core/names_json.h"
#include "mbnn/tables/state_bytes.h"

namespace mbnn {

namespace {

constexpr const char* kTimes = "series/times";

// The part of a fit that no table's fit has.
struct Stored {
  SeriesOptions options;
  std::string date;
  TimeAxis axis;
  SeriesData data;
};

Stored read_stored(const FitFile& file) try {
  const nlohmann::json json = file.configuration().at("series");
  Stored stored{series_options_from_json(json.at("model")), json.at("date"), TimeAxis::from_json(json.at("axis")), {}};
  stored.data.rows = stored_data(file);
  stored.data.steps = json.at("steps");
  const auto bytes = file.get_blob(kTimes);
  stored.data.times.resize(bytes.size() / sizeof(std::int64_t));
  std::memcpy(stored.data.times.data(), bytes.data(), stored.data.times.size() * sizeof(std::int64_t));
  const auto& times = stored.data.times;
  bool intact =
      times.size() == stored.data.rows.rows && !times.empty() && times.front() >= 0 && times.back() < stored.data.steps;
  for (std::size_t i = 1; i < times.size(); ++i) intact = intact && times[i] > times[i - 1];
  if (!intact) throw Error(fmt::format("{} is damaged: its times do not fit its rows", file.path()));
  return stored;
} catch (const nlohmann::json::exception& e) {
  throw Error(fmt::format("the stored configuration cannot be read: {}", e.what()));
}

std::vector<std::unique_ptr<Chain>> make_chains(const Configuration& c, const Model& model,
                                                const SeriesOptions& options, const SeriesData& data) {
  std::vector<std::unique_ptr<Chain>> chains;
  for (std::size_t i = 0; i < c.chains; ++i) {
    auto block = std::make_unique<SeriesBlock>(model, options, data);
    chains.push_back(std::make_unique<Chain>(model, block->training(), c.chain, c.seed, i));
    chains.back()->attach(std::move(block));
  }
  return chains;
}

}  // namespace

bool is_series(const FitFile& file) { return file.configuration().contains("series"); }

FitFile create_series_fit(const std::string& path, const SeriesConfiguration& c, const PreparedSeries& prepared,
                          const std::vector<std::string>& notes, bool overwrite) {
  nlohmann::json json = to_json(c);
  const Model model = make_model(c.base, prepared.encoding, prepared.data.rows.rows);
  refuse_huge_start(c.base, model);
  auto names = trace_names(Method::mcmc, model);
  for (auto& name : series_trace_names(c.series)) names.push_back(std::move(name));
  json["traces"] = names;
  json["series"]["axis"] = prepared.axis.to_json();
  json["series"]["steps"] = prepared.data.steps;
  return FitFile::create(path, json, prepared.encoding.to_json(), overwrite, [&](FitFile& file) {
    for (const auto& note : notes) file.note(note);
    file.put_blob(kTimes, std::as_bytes(std::span(prepared.data.times)));
    store_data(file, prepared.data.rows);
  });
}

bool run_series_fit(FitFile& file, const RunOptions& options) {
  const Stored stored = read_stored(file);
  const Configuration c = configuration_from_json(file.configuration());
  const Model model = make_model(c, Encoding::from_json(file.encoding()), stored.data.rows.rows);
  auto chains = make_chains(c, model, stored.options, stored.data);
  for (std::size_t i = 0; i < chains.size(); ++i)
    if (const auto checkpoint = file.checkpoint(static_cast<int>(i))) chains[i]->restore(*checkpoint);
  return record_chains(file, model, c.chain, chains, options);
}

FittedSeries FittedSeries::read(const FitFile& file) {
  Stored stored = read_stored(file);
  FittedSeries fitted{FittedModel::read(file), std::move(stored.options),
                      std::move(stored.date),  stored.axis,
                      std::move(stored.data),  {}};
  const std::size_t own = series_trace_names(fitted.options).size();
  for (std::size_t c = 0; c < fitted.regression.draws.size(); ++c)
    for (std::size_t i = 0; i < fitted.regression.draws[c].size(); ++i) {
      const auto& traces = fitted.regression.traces[c][i];
      if (traces.size() < own) throw Error(fmt::format("{} is damaged: a draw lacks its variances", file.path()));
      fitted.parameters.push_back(parameters_from_traces(fitted.options, std::span(traces).last(own),
                                                         fitted.regression.draws[c][i].noise_variance));
    }
  return fitted;
}

std::vector<const State*> FittedSeries::draws() const {
  std::vector<const State*> all;
  for (const auto& chain : regression.draws)
    for (const State& state : chain) all.push_back(&state);
  return all;
}

FittedSeries sample_series(const SeriesConfiguration& c, const PreparedSeries& prepared, const RunOptions& options) {
  struct Collector : RunObserver {
    explicit Collector(std::size_t chains) : draws(chains) {}
    void keep(std::size_t index, const Chain&, std::vector<KeptDraw> more) override {
      for (KeptDraw& draw : more) draws[index].push_back(std::move(draw));
    }
    void report(const ChainReport& r) override {
      if (watch) watch(r);
    }
    std::vector<std::vector<KeptDraw>> draws;
    std::function<void(const ChainReport&)> watch;
  };
  FittedSeries fitted{
      {c.base, prepared.encoding, make_model(c.base, prepared.encoding, prepared.data.rows.rows), {}, {}},
      c.series,
      c.date,
      prepared.axis,
      prepared.data,
      {}};
  auto chains = make_chains(c.base, fitted.regression.model, c.series, prepared.data);
  Collector collector(chains.size());
  collector.watch = options.report;
  run_chains(chains, c.base.chain, {.threads = options.threads}, collector, options.stop);
  for (auto& chain : collector.draws) {
    auto& states = fitted.regression.draws.emplace_back();
    fitted.regression.traces.emplace_back();
    for (KeptDraw& draw : chain) {
      fitted.parameters.push_back(parameters_from_traces(c.series, draw.block_traces, draw.state.noise_variance));
      states.push_back(std::move(draw.state));
    }
  }
  return fitted;
}

}  // namespace mbnn
