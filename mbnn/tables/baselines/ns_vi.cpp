#include "mbnn/tables/baselines/ns_vi.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/bytes.h"
#include "mbnn/core/checkpoint.h"
#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/core/variance.h"

namespace mbnn {

namespace {

constexpr std::uint32_t kCheckpointVersion = 1;  // to be raised whenever checkpoint() changes
// The authors' own bound on the weights' variance in the first layer: wider ones hide the inputs from a young network.
const float kMostFirstLogVariance = std::log(0.04f);

}  // namespace

VariationalRun::VariationalRun(const Model& model, const Dataset& data, const VariationalOptions& options,
                               std::uint64_t seed, std::uint64_t index)
    : model_(&model), data_(&data), options_(&options), rng_(seed, index), network_(model) {
  parameters_ = network_.initial(data.rows, data.y.empty() ? 1 : variance(data.y), rng_);
  gradient_.resize(parameters_.size());
  memory_ = {std::vector<float>(parameters_.size()), std::vector<float>(parameters_.size())};
  order_.resize(data.rows);
}

void VariationalRun::run_epoch() {
  elbo_sum_ = statistic_sum_ = 0;
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng_.below(i)]);
  const auto order = std::span<const std::size_t>(order_);
  for (std::size_t first = 0; first < order.size(); first += options_->batch)
    step(order.subspan(first, std::min(options_->batch, order.size() - first)));
  ++epoch_;
  const double n = static_cast<double>(data_->rows);
  elbo_ = elbo_sum_ / n;
  if (!std::isfinite(elbo_))
    throw SamplerError(
        fmt::format("the variational bound is not finite after epoch {}: try a smaller learning-rate", epoch_));
  training_error_ = model_->likelihood.has_noise() ? std::sqrt(statistic_sum_ / n) : -statistic_sum_ / n;
  const std::int64_t tenth = std::max<std::int64_t>(1, options_->epochs / 10);
  if (epoch_ > options_->epochs - tenth)
    late_elbo_ += elbo_ / static_cast<double>(tenth);
  else if (epoch_ > options_->epochs - 2 * tenth)
    earlier_elbo_ += elbo_ / static_cast<double>(tenth);
}

void VariationalRun::step(std::span<const std::size_t> rows) {
  batch_.gather(*data_, rows);
  noise_.draw(network_.layout().shape(), rows.size(), rng_);
  const auto bound = network_.gradient(parameters_, batch_, noise_, data_->rows, gradient_);
  elbo_sum_ += bound.elbo * static_cast<double>(rows.size());
  statistic_sum_ += bound.statistic;

  // Adam on the bound per row, so that its small constant means the same for every table.
  ++steps_;
  const auto per_row = static_cast<float>(1 / static_cast<double>(data_->rows));
  adam_climb({options_->learning_rate, steps_}, gradient_, per_row, parameters_, memory_);
  const auto& layout = network_.layout();
  for (std::size_t i = layout.weight_log_variance(0); i < layout.scale_mean(0); ++i)
    parameters_[i] = std::min(parameters_[i], kMostFirstLogVariance);
}

std::vector<std::vector<std::uint32_t>> VariationalRun::kept() const {
  std::vector<std::vector<std::uint32_t>> kept;
  for (const auto& rates : network_.log_dropout_rates(parameters_)) {
    auto& layer = kept.emplace_back();
    for (std::size_t k = 0; k < rates.size(); ++k)
      if (rates[k] <= options_->threshold) layer.push_back(static_cast<std::uint32_t>(k));
    const bool hidden = kept.size() > 1;
    if (layer.empty() && hidden)
      layer.push_back(static_cast<std::uint32_t>(std::min_element(rates.begin(), rates.end()) - rates.begin()));
  }
  return kept;
}

State VariationalRun::draw() { return network_.draw(parameters_, kept(), rng_); }

std::vector<std::byte> VariationalRun::checkpoint() const {
  ByteWriter out;
  out.put(kCheckpointVersion);
  out.put(epoch_);
  out.put(steps_);
  for (double value : {elbo_, training_error_, late_elbo_, earlier_elbo_}) out.put(value);
  out.put(rng_.state());
  out.put_all(parameters_);
  memory_.write(out);
  return out.take();
}

void VariationalRun::check_version(std::span<const std::byte> checkpoint) {
  ByteReader in(checkpoint);
  mbnn::check_version(in, kCheckpointVersion);
}

void VariationalRun::restore(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  mbnn::check_version(in, kCheckpointVersion);
  epoch_ = in.get<std::int64_t>();
  steps_ = in.get<std::int64_t>();
  for (double* value : {&elbo_, &training_error_, &late_elbo_, &earlier_elbo_}) *value = in.get<double>();
  rng_ = Rng::from_state(in.get<Rng::State>());
  parameters_ = in.get_all<float>();
  memory_ = AdamMemory::read(in);
  for (const auto* values : {&parameters_, &memory_.mean, &memory_.square})
    require_content(values->size() == gradient_.size() && all_finite(*values),
                    "a checkpoint does not fit the network, or has numbers that are not finite");
  require_content(in.done(), "a checkpoint has bytes that belong to nothing");
  require_content(epoch_ >= 0 && epoch_ <= options_->epochs && steps_ >= 0 && steps_ <= std::int64_t{1} << 53,
                  "a checkpoint has more epochs or steps than there can be");
}

}  // namespace mbnn
