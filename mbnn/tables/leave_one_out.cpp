#include "mbnn/tables/leave_one_out.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/parallel.h"
#include "mbnn/core/special.h"
#include "mbnn/net/dense/batch.h"
#include "mbnn/net/dense/mlp.h"
#include "mbnn/tables/predictive.h"

namespace mbnn {

namespace {

constexpr std::size_t kBlockRows = 4 * kTileRows;

// log density of N(0, 1), widened for the share of outliers, from that of N(0, 1) itself.
double with_outliers(double log_normal, double share) {
  const double half_square = -log_normal - 0.5 * std::log(2 * std::numbers::pi);
  const double wide = log_normal + half_square - half_square / (kOutlierSpread * kOutlierSpread);
  const double parts[] = {std::log1p(-share) + log_normal, std::log(share / kOutlierSpread) + wide};
  return log_sum_exp(parts);
}

// One block of rows at all draws: the likelihood of the model, [draw][row].
std::vector<double> log_likelihoods(const FittedModel& fitted, const Batch& block) {
  const Model& model = fitted.model;
  std::vector<double> values;
  Mlp mlp;
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) {
      const Shape shape = state.shape(model);
      mlp.set(shape, state.weights.data(), false);
      const std::size_t first = values.size();
      values.resize(first + block.rows());
      for (std::size_t t = 0; t < block.x.count(); ++t)
        model.likelihood.rows(block, t, mlp.forward(block.x.tile(t), block.x.padded_rows(t)), shape.outputs(),
                              state.noise_variance, values.data() + first + block.x.first_row(t));
    }
  return values;
}

}  // namespace

LeaveOneOut leave_one_out(const FittedModel& fitted, const Dataset& training, std::size_t threads) {
  if (fitted.configuration.method != Method::mcmc)
    throw InputError("leave-one-out weighs draws of the posterior, which only chains have");
  const bool regression = fitted.encoding.task() == Task::regression;
  const bool outliers = regression && fitted.configuration.outliers;
  const double share = outlier_share(fitted.model.width_prior.rows);
  const double log_unit = regression ? std::log(fitted.encoding.target_sd()) : 0;
  std::vector<double> log_sd;
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) log_sd.push_back(0.5 * std::log(state.noise_variance));
  const std::size_t draws = log_sd.size(), blocks = (training.rows + kBlockRows - 1) / kBlockRows;
  if (draws == 0) throw InputError("the fit has no draws yet: it must go on first");

  std::vector<LeaveOneOutSum::Row> rows(training.rows);
  for_each_index(blocks, threads, [&](std::size_t b) {
    std::vector<std::size_t> indices(std::min(kBlockRows, training.rows - b * kBlockRows));
    std::iota(indices.begin(), indices.end(), b * kBlockRows);
    Batch block;
    block.gather(training, indices);
    const std::vector<double> values = log_likelihoods(fitted, block);
    std::vector<double> likelihood(draws), density(draws);
    for (std::size_t r = 0; r < indices.size(); ++r) {
      for (std::size_t i = 0; i < draws; ++i) {
        likelihood[i] = values[i * indices.size() + r];
        density[i] =
            (outliers ? with_outliers(likelihood[i] + log_sd[i], share) - log_sd[i] : likelihood[i]) - log_unit;
      }
      rows[indices[r]] = LeaveOneOutSum::row(likelihood, density);
    }
  });
  LeaveOneOutSum sum(draws);
  for (const auto& row : rows) sum.add(row);
  return sum.result();
}

nlohmann::ordered_json to_json(const LeaveOneOut& loo) {
  return {{"elpd", loo.elpd},
          {"se", loo.se},
          {"p_eff", loo.p_eff},
          {"nll", -loo.elpd / static_cast<double>(loo.rows)},
          {"rows", loo.rows},
          {"draws", loo.draws},
          {"k_max", loo.k_max},
          {"k_limit", loo.k_limit},
          {"k_above_limit", loo.k_above_limit},
          {"k_above_0.7", loo.k_above_07},
          {"trustworthy", loo.trustworthy()}};
}

}  // namespace mbnn
