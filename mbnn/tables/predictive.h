// The posterior predictive: all draws applied to new rows, a block of rows at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "mbnn/tables/fitted_model.h"

namespace mbnn {

// The model takes all n training rows as regular, with normal errors. That a new row is regular, too, is then likely
// but not certain: under Jeffreys' prior for a share of which n rows showed no case, the next is one with this
// probability. Its error is taken to be this many times as wide. Without it one such row costs any number of nats.
constexpr double kOutlierSpread = 10;
constexpr double outlier_share(std::size_t training_rows) { return 0.5 / (static_cast<double>(training_rows) + 1); }

// Regression: what each draw says of a row, in units of the target. Classification: the mean probabilities.
struct RowPrediction {
  std::size_t row;
  // Of the normals that make up the predictive law: one a draw, then, if there are outliers, theirs.
  std::span<const double> means, sds, weights;
  std::span<const double> probabilities;    // by class
  std::span<const double> probability_sds;  // over the draws
};

class Predictive {
 public:
  explicit Predictive(const FittedModel& fitted);  // which must outlive it
  explicit Predictive(FittedModel&&) = delete;

  // Calls visit for each row in order. Blocks of rows are computed on threads; visit is called from one at a time.
  void for_each_row(const Dataset& data, std::size_t threads,
                    const std::function<void(const RowPrediction&)>& visit) const;
  // For each row in order, take(row, make(prediction)). What make does, for several rows at once, is on the threads,
  // too.
  template <class Make, class Take>
  void for_each_row(const Dataset& data, std::size_t threads, Make make, Take take) const;

  // The function values of every draw at the rows of `data`, without noise: [draw][output * rows + row], scaled units.
  std::vector<std::vector<double>> function_values(const Dataset& data) const;
  // The class probabilities of every draw: [draw][class * rows + row], of the second class only if there are two.
  std::vector<std::vector<double>> probabilities(const Dataset& data) const;

 private:
  using Block = std::vector<RowPrediction>;
  using UseBlock = std::function<void(std::size_t worker, const Block&)>;

  void add_outliers();
  // Each block is first used on its worker's thread, then in order on the caller's.
  void for_each_block(const Dataset& data, std::size_t threads, const UseBlock& on_thread,
                      const UseBlock& in_order) const;

  const FittedModel* fitted_;
  std::vector<const State*> draws_;
  std::size_t parts_ = 1;  // normals a draw: the regular one, the outlier's
  std::vector<double> sds_, weights_;
};

template <class Make, class Take>
void Predictive::for_each_row(const Dataset& data, std::size_t threads, Make make, Take take) const {
  std::vector<std::vector<decltype(make(RowPrediction{}))>> made(std::max<std::size_t>(1, threads));
  for_each_block(
      data, threads,
      [&](std::size_t worker, const Block& block) {
        made[worker].clear();
        for (const RowPrediction& row : block) made[worker].push_back(make(row));
      },
      [&](std::size_t worker, const Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) take(block[i].row, made[worker][i]);
      });
}

}  // namespace mbnn
