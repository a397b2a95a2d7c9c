#include "mbnn/tables/chain_process.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/tables/state_bytes.h"

namespace mbnn {

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

}  // namespace mbnn
