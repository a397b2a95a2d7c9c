#include "mbnn/tables/chain_process.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/core/checkpoint.h"
#include "mbnn/tables/state_bytes.h"

namespace mbnn {

namespace {

constexpr std::uint32_t kLadderVersion = 1;  // to be raised whenever the checkpoint of a ladder changes

}  // namespace

ChainProcess::ChainProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index)
    : setting_(setting), chain_(*setting.model, data, *setting.options, setting.seed, index) {}

ChainProcess::ChainProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index,
                           std::unique_ptr<GibbsBlock> block)
    : ChainProcess(setting, data, index) {
  chain_.attach(std::move(block));
}

std::vector<std::string> chain_trace_names(const Model& model) {
  std::vector<std::string> names{"log_posterior", "training_error"};
  if (model.likelihood.has_noise()) names.emplace_back("noise_sd");
  names.insert(names.end(), {"weight_scale", "lambda"});
  for (std::size_t l = 1; l <= model.architecture.caps.size(); ++l) names.push_back(fmt::format("width_{}", l));
  return names;
}

std::optional<Draw> ChainProcess::draw() {
  if (!chain_.at_draw()) return {};
  const State& state = chain_.state();
  std::vector<double> values{chain_.log_posterior(), chain_.training_error()};
  if (setting_.model->likelihood.has_noise()) values.push_back(std::sqrt(state.noise_variance));
  values.push_back(state.weight_scale);
  values.push_back(state.lambda);
  for (const auto& layer : state.gates.active) values.push_back(static_cast<double>(layer.size()));
  if (chain_.block())
    for (double value : chain_.block()->traces()) values.push_back(value);
  ByteWriter out;
  write_state(state, out);
  return Draw{out.take(), std::move(values)};
}

Status ChainProcess::status() const {
  Status status;
  status.phase = chain_.warming_up() ? Status::Phase::warming_up : Status::Phase::sampling;
  for (const auto& layer : chain_.state().gates.active) status.widths.push_back(layer.size());
  const bool sampled = chain_.sampling_statistics().iterations > 0;
  const double acceptance = (sampled ? chain_.sampling_statistics() : chain_.warmup_statistics()).acceptance();
  if (acceptance > 0) status.figures.push_back({"accept", acceptance, 2});
  const bool regression = setting_.model->likelihood.has_noise();
  status.figures.push_back(
      {regression ? "training rmse" : "training nll", setting_.error_unit * chain_.training_error()});
  return status;
}

nlohmann::json ChainProcess::statistics() const {
  return {{"warmup", to_json(chain_.warmup_statistics())},
          {"sampling", to_json(chain_.sampling_statistics())},
          {"step_size", chain_.step_size()},
          {"start_seconds", chain_.start_seconds()}};
}

LadderProcess::LadderProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index,
                             std::size_t threads)
    : ChainProcess(setting, data, index), ladder_(chain_, data, *setting.options, setting.seed, index, threads) {}

Status LadderProcess::status() const {
  Status status = ChainProcess::status();
  status.figures.push_back({"least swap rate", ladder_.least_swap_rate(), 2});
  status.figures.push_back({"trips", static_cast<double>(ladder_.trips()), 0});
  return status;
}

nlohmann::json LadderProcess::statistics() const {
  nlohmann::json json = ChainProcess::statistics();
  json["ladder"] = ladder_.statistics();
  return json;
}

std::vector<std::byte> LadderProcess::checkpoint() const {
  ByteWriter out;
  out.put(kLadderVersion);
  out.put_all(chain_.checkpoint());
  ladder_.save(out);
  return out.take();
}

void LadderProcess::restore(std::int64_t, std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  check_version(in, kLadderVersion);
  chain_.restore(in.get_all<std::byte>());
  ladder_.restore(in);
  require_content(in.done(), "a checkpoint has bytes that belong to nothing");
}

}  // namespace mbnn
