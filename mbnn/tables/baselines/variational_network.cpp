#include "mbnn/tables/baselines/variational_network.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mbnn {

namespace {

constexpr double kLeastSquare = 1e-8;  // keeps log(mean^2) finite at 0

Shape full_shape(const Architecture& architecture) {
  Shape shape{{architecture.inputs}};
  shape.widths.insert(shape.widths.end(), architecture.caps.begin(), architecture.caps.end());
  shape.widths.push_back(architecture.outputs);
  return shape;
}

// Marsaglia's polar method gives two at a time.
void fill_normal(float* values, std::size_t count, Rng& rng) {
  for (std::size_t i = 0; i < count; i += 2) {
    double u, v, s;
    do {
      u = 2 * rng.uniform() - 1;
      v = 2 * rng.uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double factor = std::sqrt(-2 * std::log(s) / s);
    values[i] = static_cast<float>(u * factor);
    if (i + 1 < count) values[i + 1] = static_cast<float>(v * factor);
  }
}

void fill_normal(Tiles& tiles, std::size_t rows, std::size_t nodes, Rng& rng) {
  tiles.reset(rows, nodes);
  for (std::size_t t = 0; t < tiles.count(); ++t)
    for (std::size_t k = 0; k < nodes; ++k) {
      fill_normal(tiles.node(t, k), tiles.valid_rows(t), rng);
      std::fill(tiles.node(t, k) + tiles.valid_rows(t), tiles.node(t, k) + kTileRows, 0.0f);
    }
}

}  // namespace

VariationalLayout::VariationalLayout(Shape shape, bool has_noise) : shape_(std::move(shape)), has_noise_(has_noise) {
  first_.push_back(0);
  for (std::size_t l = 0; l < shape_.affine_maps(); ++l)
    first_.push_back(first_.back() + 2 * (shape_.affine_size(l) + shape_.widths[l]));
}

void VariationalNoise::draw(const Shape& shape, std::size_t rows, Rng& rng) {
  scale.resize(shape.affine_maps());
  activation.resize(shape.affine_maps());
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    fill_normal(scale[l], rows, shape.widths[l], rng);
    fill_normal(activation[l], rows, shape.widths[l + 1], rng);
  }
}

VariationalNetwork::VariationalNetwork(const Model& model)
    : model_(&model), layout_(full_shape(model.architecture), model.likelihood.has_noise()) {
  const Shape& shape = layout_.shape();
  std::size_t widest = 0;
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    widest = std::max({widest, in, out});
    Map& map = maps_.emplace_back();
    for (auto* block : {&map.variances, &map.mean_forward, &map.variance_forward}) block->resize(shape.affine_size(l));
    for (auto* block : {&map.mean_backward, &map.variance_backward}) block->resize(in * out);
    for (auto* tile : {&map.scaled, &map.squared}) tile->resize(in * kTileRows);
    for (auto* tile : {&map.output, &map.sd}) tile->resize(out * kTileRows);
    map.scale_mean.resize(in);
    map.scale_sd.resize(in);
  }
  ones_.assign(shape.inputs() * kTileRows, 1.0f);
  for (auto* tile : {&d_output_, &d_variance_, &d_mean_input_, &d_square_input_}) tile->resize(widest * kTileRows);
}

std::vector<float> VariationalNetwork::initial(std::size_t rows, double target_variance, Rng& rng) const {
  const Shape& shape = layout_.shape();
  std::vector<float> p(layout_.size(), 0.0f);
  auto fill = [&](std::size_t first, std::size_t count, double mean, double sd) {
    for (std::size_t i = 0; i < count; ++i) p[first + i] = static_cast<float>(mean + sd * rng.normal());
  };
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    fill(layout_.weight_mean(l), in * out, 0, 1 / std::sqrt(static_cast<double>(in)));  // biases stay 0
    fill(layout_.weight_log_variance(l), shape.affine_size(l), -9, 0.01);
    fill(layout_.scale_mean(l), in, 1, 0.01);
    fill(layout_.scale_log_variance(l), in, -9, 0.01);
  }
  if (model_->likelihood.has_noise()) {
    p[layout_.noise()] = static_cast<float>(std::log(std::max(target_variance, 1e-12)));
    p[layout_.noise() + 1] = static_cast<float>(std::log(2.0 / static_cast<double>(rows)));
  }
  return p;
}

void VariationalNetwork::pack(std::span<const float> p) {
  const Shape& shape = layout_.shape();
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    Map& map = maps_[l];
    const float* means = p.data() + layout_.weight_mean(l);
    const float* log_variances = p.data() + layout_.weight_log_variance(l);
    for (std::size_t i = 0; i < shape.affine_size(l); ++i) map.variances[i] = std::exp(log_variances[i]);
    pack_forward(means, in, out, map.mean_forward.data());
    pack_forward(map.variances.data(), in, out, map.variance_forward.data());
    pack_backward(means, in, out, map.mean_backward.data());
    pack_backward(map.variances.data(), in, out, map.variance_backward.data());
    for (std::size_t k = 0; k < in; ++k) {
      map.scale_mean[k] = p[layout_.scale_mean(l) + k];
      map.scale_sd[k] = std::exp(0.5f * p[layout_.scale_log_variance(l) + k]);
    }
  }
}

const float* VariationalNetwork::forward(const float* x, const VariationalNoise& noise, std::size_t tile,
                                         std::size_t rows) {
  const Shape& shape = layout_.shape();
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    Map& map = maps_[l];
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    const float* h = l == 0 ? x : maps_[l - 1].output.data();
    for (std::size_t k = 0; k < in; ++k) {
      const float* e = noise.scale[l].node(tile, k);
      const float* from = h + k * kTileRows;
      float *scaled = map.scaled.data() + k * kTileRows, *squared = map.squared.data() + k * kTileRows;
      for (std::size_t r = 0; r < rows; ++r) {
        scaled[r] = from[r] * (map.scale_mean[k] + map.scale_sd[k] * e[r]);
        squared[r] = scaled[r] * scaled[r];
      }
    }
    kernels().forward(map.scaled.data(), in, map.mean_forward.data(), out, map.output.data(), rows, false);
    kernels().forward(map.squared.data(), in, map.variance_forward.data(), out, map.sd.data(), rows, false);
    const bool hidden = l + 1 < shape.affine_maps();
    for (std::size_t j = 0; j < out; ++j) {
      const float* e = noise.activation[l].node(tile, j);
      float *output = map.output.data() + j * kTileRows, *sd = map.sd.data() + j * kTileRows;
      for (std::size_t r = 0; r < rows; ++r) {
        sd[r] = std::sqrt(sd[r]);
        const float value = output[r] + sd[r] * e[r];
        output[r] = hidden && !(value > 0) ? 0.0f : value;
      }
    }
  }
  return maps_.back().output.data();
}

// d_output_ holds the derivative by the network's outputs.
void VariationalNetwork::backward(const float* x, const VariationalNoise& noise, std::size_t tile, std::size_t rows,
                                  std::span<float> gradient) {
  const Shape& shape = layout_.shape();
  for (std::size_t l = shape.affine_maps(); l-- > 0;) {
    Map& map = maps_[l];
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    for (std::size_t j = 0; j < out; ++j) {
      const float *e = noise.activation[l].node(tile, j), *sd = map.sd.data() + j * kTileRows;
      const float* d = d_output_.data() + j * kTileRows;
      float* d_variance = d_variance_.data() + j * kTileRows;
      for (std::size_t r = 0; r < rows; ++r) d_variance[r] = 0.5f * d[r] * e[r] / sd[r];
    }
    kernels().backward_weights(map.scaled.data(), in, d_output_.data(), out, gradient.data() + layout_.weight_mean(l),
                               rows);
    kernels().backward_weights(map.squared.data(), in, d_variance_.data(), out,
                               gradient.data() + layout_.weight_log_variance(l), rows);
    // The kernels gate by h > 0. That is the ReLU of the layer below; inputs have none.
    const float* h = l == 0 ? x : maps_[l - 1].output.data();
    const float* gate = l == 0 ? ones_.data() : h;
    kernels().backward_input(d_output_.data(), out, map.mean_backward.data(), in, gate, d_mean_input_.data(), rows);
    kernels().backward_input(d_variance_.data(), out, map.variance_backward.data(), in, gate, d_square_input_.data(),
                             rows);
    for (std::size_t k = 0; k < in; ++k) {
      const std::size_t at = k * kTileRows;
      const float *e = noise.scale[l].node(tile, k), *scaled = map.scaled.data() + at;
      const float *d_mean = d_mean_input_.data() + at, *d_square = d_square_input_.data() + at, *from = h + at;
      float* d_below = d_output_.data() + at;  // the outputs' derivatives are used up
      float by_mean = 0, by_sd = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const float d = d_mean[r] + 2 * scaled[r] * d_square[r];
        by_mean += d * from[r];
        by_sd += d * from[r] * e[r];
        d_below[r] = d * (map.scale_mean[k] + map.scale_sd[k] * e[r]);
      }
      gradient[layout_.scale_mean(l) + k] += by_mean;
      gradient[layout_.scale_log_variance(l) + k] += 0.5f * by_sd * map.scale_sd[k];
    }
  }
}

// Minus the divergences of weights and scales from their priors, and their gradient.
double VariationalNetwork::add_divergence(std::span<const float> p, std::span<float> gradient) const {
  const Shape& shape = layout_.shape();
  double sum = 0;
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t mean = layout_.weight_mean(l), log_variance = layout_.weight_log_variance(l);
    const float* variances = maps_[l].variances.data();
    for (std::size_t i = 0; i < shape.affine_size(l); ++i) {
      const float m = p[mean + i], u = p[log_variance + i];
      sum += 0.5 * (1 + u - variances[i] - m * m);
      gradient[mean + i] -= m;
      gradient[log_variance + i] += 0.5f * (1 - variances[i]);
    }
    for (std::size_t k = 0; k < shape.widths[l]; ++k) {
      const double m = p[layout_.scale_mean(l) + k], square = m * m + kLeastSquare;
      const double log_alpha = p[layout_.scale_log_variance(l) + k] - std::log(square);
      const double slope = negative_jeffreys_kl_slope(log_alpha);
      sum += negative_jeffreys_kl(log_alpha);
      gradient[layout_.scale_log_variance(l) + k] += static_cast<float>(slope);
      gradient[layout_.scale_mean(l) + k] -= static_cast<float>(slope * 2 * m / square);
    }
  }
  return sum;
}

// Expected Gaussian log-likelihood and minus the divergence of q(log noise variance) = N(m, s2) from the inverse gamma,
// both exact: E[log v] = m, E[1 / v] = exp(-m + s2 / 2).
double VariationalNetwork::add_noise(std::span<const float> p, double statistic, double scale, double batch_rows,
                                     std::span<float> gradient) const {
  const double m = p[layout_.noise()], u = p[layout_.noise() + 1], s2 = std::exp(u);
  const double precision = std::exp(-m + 0.5 * s2), a = model_->noise_prior.shape, b = model_->noise_prior.rate;
  const double n = scale * batch_rows, errors = 0.5 * scale * statistic + b;
  gradient[layout_.noise()] += static_cast<float>(-0.5 * n - a + errors * precision);
  gradient[layout_.noise() + 1] += static_cast<float>(0.5 - 0.5 * s2 * errors * precision);
  return -0.5 * n * (std::log(2 * std::numbers::pi) + m) - errors * precision - a * m +
         0.5 * (std::log(2 * std::numbers::pi) + 1 + u) + a * std::log(b) - log_gamma(a);
}

VariationalNetwork::Bound VariationalNetwork::gradient(std::span<const float> p, const Batch& batch,
                                                       const VariationalNoise& noise, std::size_t rows,
                                                       std::span<float> gradient) {
  const Shape& shape = layout_.shape();
  const Likelihood& likelihood = model_->likelihood;
  pack(p);
  std::fill(gradient.begin(), gradient.end(), 0.0f);
  const double scale = static_cast<double>(rows) / static_cast<double>(batch.rows());
  double noise_variance = 1;  // such that 1 / noise_variance = E[1 / v]
  if (likelihood.has_noise()) noise_variance = std::exp(p[layout_.noise()] - 0.5 * std::exp(p[layout_.noise() + 1]));
  Bound bound;
  for (std::size_t t = 0; t < batch.x.count(); ++t) {
    const std::size_t tile_rows = batch.x.padded_rows(t);
    const float* outputs = forward(batch.x.tile(t), noise, t, tile_rows);
    bound.statistic += likelihood.tile(batch, t, outputs, shape.outputs(), noise_variance, scale, d_output_.data());
    backward(batch.x.tile(t), noise, t, tile_rows, gradient);
  }
  for (std::size_t l = 0; l < shape.affine_maps(); ++l)  // from the variance to its logarithm
    for (std::size_t i = 0; i < shape.affine_size(l); ++i)
      gradient[layout_.weight_log_variance(l) + i] *= maps_[l].variances[i];
  bound.elbo = add_divergence(p, gradient);
  bound.elbo += likelihood.has_noise()
                    ? add_noise(p, bound.statistic, scale, static_cast<double>(batch.rows()), gradient)
                    : scale * bound.statistic;
  return bound;
}

std::vector<std::vector<double>> VariationalNetwork::log_dropout_rates(std::span<const float> p) const {
  std::vector<std::vector<double>> rates;
  for (std::size_t l = 0; l < layout_.shape().affine_maps(); ++l) {
    auto& layer = rates.emplace_back();
    for (std::size_t k = 0; k < layout_.shape().widths[l]; ++k) {
      const double m = p[layout_.scale_mean(l) + k];
      layer.push_back(p[layout_.scale_log_variance(l) + k] - std::log(m * m + kLeastSquare));
    }
  }
  return rates;
}

State VariationalNetwork::draw(std::span<const float> p, const std::vector<std::vector<std::uint32_t>>& kept,
                               Rng& rng) const {
  const Shape& shape = layout_.shape();
  State state;
  state.lambda = 0;  // there is no prior of widths
  state.gates.active.assign(kept.begin() + 1, kept.end());
  std::vector<std::uint32_t> outputs(shape.outputs());
  for (std::size_t j = 0; j < outputs.size(); ++j) outputs[j] = static_cast<std::uint32_t>(j);
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    const auto& to = l + 1 < kept.size() ? kept[l + 1] : outputs;
    const float* means = p.data() + layout_.weight_mean(l);
    const float* log_variances = p.data() + layout_.weight_log_variance(l);
    auto row = [&](std::size_t k, double scale) {
      for (std::uint32_t j : to) {
        const std::size_t i = k * out + j;
        state.weights.push_back(
            static_cast<float>(scale * (means[i] + std::exp(0.5 * log_variances[i]) * rng.normal())));
      }
    };
    std::size_t next = 0;  // in kept[l], which is in order
    for (std::size_t k = 0; k < in; ++k) {
      const bool keep = next < kept[l].size() && kept[l][next] == k;
      if (keep) {
        ++next;
        row(k, p[layout_.scale_mean(l) + k] + std::exp(0.5 * p[layout_.scale_log_variance(l) + k]) * rng.normal());
      } else if (l == 0) {
        state.weights.insert(state.weights.end(), to.size(), 0.0f);
      }
    }
    row(in, 1);
  }
  if (model_->likelihood.has_noise())
    state.noise_variance = std::exp(p[layout_.noise()] + std::exp(0.5 * p[layout_.noise() + 1]) * rng.normal());
  return state;
}

}  // namespace mbnn
