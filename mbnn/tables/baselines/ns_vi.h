// Node-sparse variational inference (NS-VI): the normal-Jeffreys network trained by Adam on mini-batches, its nodes
// pruned by their dropout rates, and draws of what is left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/sample/adam.h"
#include "mbnn/tables/baselines/variational_network.h"
#include "mbnn/tables/configuration.h"

namespace mbnn {

// One run from one random start. Runs share nothing but constants.
class VariationalRun {
 public:
  VariationalRun(const Model& model, const Dataset& data, const VariationalOptions& options, std::uint64_t seed,
                 std::uint64_t index);

  // One pass over the training rows in a random order. Throws SamplerError when the bound is no longer finite.
  void run_epoch();
  std::int64_t epoch() const { return epoch_; }
  std::int64_t steps() const { return steps_; }
  // The lower bound of the last epoch, and the training error (RMSE in scaled units, or mean -log p), each averaged
  // over its batches and under the noise that training sees.
  double elbo() const { return elbo_; }
  double training_error() const { return training_error_; }
  // Mean lower bound of the last tenth of the epochs, and of the tenth before: training has ended when they agree.
  double late_elbo() const { return late_elbo_; }
  double earlier_elbo() const { return earlier_elbo_; }

  // The inputs ([0]) and the nodes of each hidden layer whose log dropout rate is at most the threshold; of each hidden
  // layer at least the one with the smallest rate.
  std::vector<std::vector<std::uint32_t>> kept() const;
  // A draw of the pruned network.
  State draw();

  // Parameters, moments and generator: a restored run continues to the same bits.
  std::vector<std::byte> checkpoint() const;
  static void check_version(std::span<const std::byte> checkpoint);  // InputError if restore() could not read it
  void restore(std::span<const std::byte> bytes);

 private:
  void step(std::span<const std::size_t> rows);

  const Model* model_;
  const Dataset* data_;
  const VariationalOptions* options_;
  Rng rng_;
  VariationalNetwork network_;
  std::vector<float> parameters_;
  AdamMemory memory_;
  std::int64_t epoch_ = 0, steps_ = 0;
  double elbo_ = 0, training_error_ = 0, late_elbo_ = 0, earlier_elbo_ = 0;

  // Scratch.
  std::vector<float> gradient_;
  std::vector<std::size_t> order_;
  Batch batch_;
  VariationalNoise noise_;
  double elbo_sum_ = 0, statistic_sum_ = 0;
};

}  // namespace mbnn
