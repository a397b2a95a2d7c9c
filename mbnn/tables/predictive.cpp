#include "mbnn/tables/predictive.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/parallel.h"
#include "mbnn/net/dense/batch.h"
#include "mbnn/net/dense/mlp.h"

namespace mbnn {

namespace {

constexpr std::size_t kMostTiles = 4;  // of a block of rows

// Outputs of one network on one block: values[k * rows + r].
void outputs(Mlp& mlp, const Likelihood& likelihood, const Batch& block, std::vector<double>& values) {
  const std::size_t count = mlp.shape().outputs(), rows = block.rows();
  values.resize(count * rows);
  for (std::size_t t = 0; t < block.x.count(); ++t) {
    const float* f = mlp.forward(block.x.tile(t), block.x.padded_rows(t));
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t r = 0; r < block.x.valid_rows(t); ++r)
        values[k * rows + block.x.first_row(t) + r] =
            std::clamp<double>(f[k * kTileRows + r], likelihood.lower, likelihood.upper);
  }
}

// Calls take(row, probabilities of the classes).
template <class Take>
void for_each_probability(const Likelihood& likelihood, std::span<const double> f, std::size_t rows,
                          std::size_t classes, Take take) {
  std::vector<double> p(classes);
  for (std::size_t r = 0; r < rows; ++r) {
    if (likelihood.kind == Likelihood::Kind::binary) {
      p[1] = 1 / (1 + std::exp(-f[r]));
      p[0] = 1 / (1 + std::exp(f[r]));
    } else {
      double top = f[r], total = 0;
      for (std::size_t k = 1; k < classes; ++k) top = std::max(top, f[k * rows + r]);
      for (std::size_t k = 0; k < classes; ++k) total += p[k] = std::exp(f[k * rows + r] - top);
      for (double& value : p) value /= total;
    }
    take(r, p);
  }
}

}  // namespace

Predictive::Predictive(const FittedModel& fitted) : fitted_(&fitted) {
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) {
      draws_.push_back(&state);
      sds_.push_back(std::sqrt(state.noise_variance) * fitted.encoding.target_sd());
    }
  if (fitted.configuration.outliers) add_outliers();
  if (draws_.empty()) throw InputError("the fit has no draws yet: it must go on first");
}

void Predictive::add_outliers() {
  const std::size_t draws = draws_.size();
  const double share = outlier_share(fitted_->model.width_prior.rows), each = 1 / static_cast<double>(draws);
  parts_ = 2;
  weights_.assign(draws, (1 - share) * each);
  weights_.resize(2 * draws, share * each);
  for (std::size_t i = 0; i < draws; ++i) sds_.push_back(kOutlierSpread * sds_[i]);
}

void Predictive::for_each_row(const Dataset& data, std::size_t threads,
                              const std::function<void(const RowPrediction&)>& visit) const {
  for_each_block(
      data, threads, [](std::size_t, const Block&) {},
      [&](std::size_t, const Block& block) {
        for (const RowPrediction& row : block) visit(row);
      });
}

void Predictive::for_each_block(const Dataset& data, std::size_t threads, const UseBlock& on_thread,
                                const UseBlock& in_order) const {
  const Model& model = fitted_->model;
  const Encoding& encoding = fitted_->encoding;
  const bool regression = encoding.task() == Task::regression;
  const std::size_t draws = draws_.size(), classes = encoding.classes();
  const std::size_t stride = regression ? draws * parts_ : 2 * classes;
  // A table of few rows is shared out, too, by whole tiles.
  const std::size_t tiles = (data.rows + kTileRows - 1) / kTileRows;
  const std::size_t share = (tiles + std::max<std::size_t>(1, threads) - 1) / std::max<std::size_t>(1, threads);
  const std::size_t block_rows = std::clamp<std::size_t>(share, 1, kMostTiles) * kTileRows;
  const std::size_t blocks = (data.rows + block_rows - 1) / block_rows;
  const std::size_t workers = std::max<std::size_t>(1, std::min(threads, blocks));

  // Values by row and draw for regression; by row, then class, for classification: sums of probabilities, sums of their
  // squares. And the rows that refer to them.
  struct Computed {
    std::vector<double> values;
    Block rows;
  };
  const auto compute = [&](std::size_t b, Computed& result) {
    const std::size_t begin = b * block_rows;
    std::vector<std::size_t> rows(std::min(block_rows, data.rows - begin));
    std::iota(rows.begin(), rows.end(), begin);
    Batch block;
    block.gather(data, rows);
    result.values.assign(rows.size() * stride, 0.0);
    Mlp mlp;
    std::vector<double> f;
    for (std::size_t i = 0; i < draws; ++i) {
      mlp.set(draws_[i]->shape(model), draws_[i]->weights.data(), false);
      outputs(mlp, model.likelihood, block, f);
      if (regression)
        for (std::size_t r = 0; r < rows.size(); ++r)
          for (std::size_t part = 0; part < parts_; ++part)
            result.values[(r * parts_ + part) * draws + i] = encoding.target_mean() + encoding.target_sd() * f[r];
      else
        for_each_probability(model.likelihood, f, rows.size(), classes, [&](std::size_t r, std::span<const double> p) {
          double* const sums = result.values.data() + r * stride;
          for (std::size_t k = 0; k < classes; ++k) {
            sums[k] += p[k];
            sums[classes + k] += p[k] * p[k];
          }
        });
    }
    result.rows.clear();
    for (const std::size_t row : rows) {
      const auto values = std::span(result.values).subspan((row - begin) * stride, stride);
      if (regression) {
        result.rows.push_back({row, values, sds_, weights_, {}, {}});
        continue;
      }
      for (std::size_t k = 0; k < classes; ++k) {
        const double p = values[k] /= static_cast<double>(draws);
        values[classes + k] = std::sqrt(std::max(0.0, values[classes + k] / static_cast<double>(draws) - p * p));
      }
      result.rows.push_back({row, {}, {}, {}, values.first(classes), values.last(classes)});
    }
  };

  std::vector<Computed> results(workers);
  for (std::size_t first = 0; first < blocks; first += workers) {
    const std::size_t now = std::min(workers, blocks - first);
    for_each_index(now, now, [&](std::size_t i) {
      compute(first + i, results[i]);
      on_thread(i, results[i].rows);
    });
    for (std::size_t i = 0; i < now; ++i) in_order(i, results[i].rows);
  }
}

std::vector<std::vector<double>> Predictive::function_values(const Dataset& data) const {
  const Batch block = Batch::all(data);
  std::vector<std::vector<double>> result(draws_.size());
  Mlp mlp;
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    mlp.set(draws_[i]->shape(fitted_->model), draws_[i]->weights.data(), false);
    outputs(mlp, fitted_->model.likelihood, block, result[i]);
  }
  return result;
}

std::vector<std::vector<double>> Predictive::probabilities(const Dataset& data) const {
  const std::size_t classes = fitted_->encoding.classes();
  auto values = function_values(data);
  for (auto& draw : values) {
    const std::size_t first = classes == 2 ? 1 : 0;
    std::vector<double> by_class((classes - first) * data.rows);
    for_each_probability(fitted_->model.likelihood, draw, data.rows, classes,
                         [&](std::size_t r, std::span<const double> p) {
                           for (std::size_t k = first; k < classes; ++k) by_class[(k - first) * data.rows + r] = p[k];
                         });
    draw = std::move(by_class);
  }
  return values;
}

}  // namespace mbnn
