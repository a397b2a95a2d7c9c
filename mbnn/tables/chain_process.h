// A chain as a run sees it.
#pragma once

#include "mbnn/run/process.h"
#include "mbnn/tables/ladder.h"

namespace mbnn {

// What a run of chains must know of them beside the options.
struct ChainSetting {
  const Model* model = nullptr;
  const ChainOptions* options = nullptr;
  std::uint64_t seed = 1;
  double error_unit = 1;  // of the training error, as whoever watches it wants it
};

class ChainProcess : public Process {
 public:
  // What the setting points at must outlive it, as must the data.
  ChainProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index);
  // The block brings the data of its chain.
  ChainProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index,
               std::unique_ptr<GibbsBlock> block);

  void start() override { chain_.start(); }
  void advance() override { chain_.iterate(); }
  std::int64_t done() const override { return chain_.iteration(); }
  std::optional<Draw> draw() override;
  Status status() const override;
  nlohmann::json statistics() const override;
  std::vector<std::byte> checkpoint() const override { return chain_.checkpoint(); }
  void restore(std::int64_t, std::span<const std::byte> checkpoint) override { chain_.restore(checkpoint); }

 protected:
  ChainSetting setting_;
  Chain chain_;
};

// The same chain with hot rungs beside it.
class LadderProcess : public ChainProcess {
 public:
  LadderProcess(const ChainSetting& setting, const TrainingData& data, std::size_t index, std::size_t threads);

  void start() override { ladder_.start(); }
  void advance() override { ladder_.iterate(); }
  Status status() const override;
  nlohmann::json statistics() const override;
  std::vector<std::byte> checkpoint() const override;
  void restore(std::int64_t done, std::span<const std::byte> checkpoint) override;

 private:
  Ladder ladder_;
};

// The names of the numbers stored with a chain's draws, those of a block aside.
std::vector<std::string> chain_trace_names(const Model& model);

}  // namespace mbnn
