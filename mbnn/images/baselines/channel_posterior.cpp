#include "mbnn/images/baselines/channel_posterior.h"
#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

#include <algorithm>
#include <cmath>

#include "mbnn/net/conv/filters.h"

namespace mbnn {

namespace {

constexpr float kFirstLogVariance = -9;

// Where each gate begins in values that are stored gate after gate.
std::vector<std::size_t> gate_offsets(const Gates& gates) {
  std::vector<std::size_t> offsets{0};
  for (const auto& active : gates.active) offsets.push_back(offsets.back() + active.size());
  return offsets;
}

// visit(offset, count, channel) for runs of weights that read the same channel, by its place gate after gate, or
// kNowhere for the image's channels and for biases.
template <class Visit>
void for_each_reader(const ImageArchitecture& architecture, const Gates& gates, Visit visit) {
  const auto offsets = gate_offsets(gates);
  for_each_edge(architecture, ImageShape(architecture, gates),
                [&](const ImageEdge& edge, std::size_t offset, std::size_t count) {
                  visit(offset, count, edge.in_tensor == 0 ? kNowhere : offsets[edge.in_tensor - 1] + edge.in);
                });
}

std::vector<std::vector<float>> by_gate(const Gates& gates, std::span<const float> values) {
  std::vector<std::vector<float>> result;
  for (const auto& active : gates.active) {
    const auto own = values.first(active.size());
    result.emplace_back(own.begin(), own.end());
    values = values.subspan(active.size());
  }
  return result;
}

}  // namespace

ImagePosterior ImagePosterior::around(const ImageArchitecture& architecture, const ImageState& state) {
  const ImageShape shape(architecture, state.gates);
  ImagePosterior q{state.gates, state.weights, std::vector<float>(state.weights.size(), kFirstLogVariance), {},
                   {},          state.norm};
  const auto narrow = [&](const FilterBlock& block) {
    double squares = 1e-12;
    for (std::size_t i = 0; i < block.size(); ++i)
      squares += std::pow(state.weights[block.offset + i], 2) / static_cast<double>(block.size());
    const float log_variance = std::min(kFirstLogVariance, static_cast<float>(std::log(0.01 * squares)));
    std::fill_n(q.log_variance.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size(), log_variance);
  };
  for (const auto& block : shape.filters) narrow(block);
  for (const auto& block : shape.projections) narrow(block);
  narrow(shape.affine);
  q.scale_mean.assign(gate_offsets(q.gates).back(), 1.0f);
  q.scale_log_variance.assign(q.scale_mean.size(), kFirstLogVariance);
  return q;
}

ChannelValues ImagePosterior::log_dropout_rates() const {
  ChannelValues rates;
  std::size_t c = 0;
  for (const auto& active : gates.active) {
    auto& gate = rates.emplace_back();
    for (std::size_t j = 0; j < active.size(); ++j, ++c)
      gate.push_back(scale_log_variance[c] - 2 * std::log(std::abs(static_cast<double>(scale_mean[c]))));
  }
  return rates;
}

Gates ImagePosterior::kept(double threshold) const {
  const ChannelValues rates = log_dropout_rates();
  Gates result;
  for (std::size_t l = 0; l < rates.size(); ++l) {
    auto& active = result.active.emplace_back();
    for (std::size_t j = 0; j < rates[l].size(); ++j)
      if (rates[l][j] <= threshold) active.push_back(gates.active[l][j]);
    if (active.empty())
      active.push_back(gates.active[l][static_cast<std::size_t>(std::min_element(rates[l].begin(), rates[l].end()) -
                                                                rates[l].begin())]);
  }
  return result;
}

ImageSample standard_normals(const ImagePosterior& posterior, Rng& rng) {
  ImageSample noise{std::vector<float>(posterior.mean.size()), std::vector<float>(posterior.scale_mean.size())};
  for (auto* values : {&noise.weights, &noise.scales})
    for (float& v : *values) v = static_cast<float>(rng.normal());
  return noise;
}

ImageSample sample_of(const ImagePosterior& q, const ImageSample& noise) {
  ImageSample sample = noise;
  for (std::size_t i = 0; i < q.mean.size(); ++i)
    sample.weights[i] = q.mean[i] + std::exp(0.5f * q.log_variance[i]) * noise.weights[i];
  for (std::size_t c = 0; c < q.scale_mean.size(); ++c)
    sample.scales[c] = q.scale_mean[c] + std::exp(0.5f * q.scale_log_variance[c]) * noise.scales[c];
  return sample;
}

std::vector<float> scaled_weights(const ImageArchitecture& architecture, const Gates& gates,
                                  std::span<const float> weights, std::span<const float> scales) {
  std::vector<float> result(weights.begin(), weights.end());
  for_each_reader(architecture, gates, [&](std::size_t offset, std::size_t count, std::size_t channel) {
    if (channel == kNowhere) return;
    for (std::size_t i = offset; i < offset + count; ++i) result[i] *= scales[channel];
  });
  return result;
}

// With c the factor of a unit and z its scale, a shortcut from t to u carries z_t h_t = (z_t / c_t) H_t, where H_t =
// c_t h_t is what the folded unit t gives. The folded unit u adds H_t as it is, so c_u = c_t / z_t. `rest` is z / c,
// what the filters above are left with. A unit with such a shortcut has one norm: there is no projection.
ImageState folded(const ImageArchitecture& architecture, const Gates& gates, const NormState& norm,
                  std::span<const float> weights, std::span<const float> scales) {
  ImageState state{gates, {}, norm};
  const auto offsets = gate_offsets(gates);
  std::vector<float> rest(scales.begin(), scales.end());
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    const ImageUnit& unit = architecture.unit(u);
    if (unit.shortcut == 0 || unit.projected) continue;
    const auto& active = gates.active[u - 1];
    for (const ChannelPair& pair : shared_channels(active, gates.active[unit.shortcut - 1])) {
      const float c = 1 / rest[offsets[unit.shortcut - 1] + pair.in];
      const std::size_t slot = architecture.norm_slot(u) + active[pair.out];
      state.norm.scale[slot] *= c;
      state.norm.shift[slot] *= c;
      rest[offsets[u - 1] + pair.out] /= c;
    }
  }
  state.weights = scaled_weights(architecture, gates, weights, rest);
  return state;
}

ImageState draw_network(const ImageArchitecture& architecture, const ImagePosterior& posterior, const Gates& kept,
                        Rng& rng) {
  const auto nothing = [](const ImageEdge&, std::span<float>) {};
  ImagePosterior q{kept,
                   rearrange(architecture, posterior.gates, posterior.mean, kept, nothing),
                   rearrange(architecture, posterior.gates, posterior.log_variance, kept, nothing),
                   {},
                   {},
                   posterior.norm};
  const auto offsets = gate_offsets(posterior.gates);
  for (std::size_t l = 0; l < kept.active.size(); ++l)
    for (const ChannelPair& pair : shared_channels(kept.active[l], posterior.gates.active[l])) {
      q.scale_mean.push_back(posterior.scale_mean[offsets[l] + pair.in]);
      q.scale_log_variance.push_back(posterior.scale_log_variance[offsets[l] + pair.in]);
    }
  ImageSample sample = sample_of(q, standard_normals(q, rng));
  for (std::size_t c = 0; c < sample.scales.size(); ++c)
    if (!std::isfinite(q.scale_mean[c]) || !std::isfinite(q.scale_log_variance[c]))
      throw SamplerError("a scale of the variational posterior is not a number: start again with a smaller scale-rate");
  for (std::size_t c = 0; c < sample.scales.size(); ++c)
    while (!(sample.scales[c] > 0))
      sample.scales[c] = q.scale_mean[c] + std::exp(0.5f * q.scale_log_variance[c]) * static_cast<float>(rng.normal());
  return folded(architecture, kept, q.norm, sample.weights, sample.scales);
}

ImageBound::Value ImageBound::evaluate(const ImagePosterior& q, const ImageSample& noise, const ImageRows& rows,
                                       double images, Gradient& gradient) {
  ImageSample sample = sample_of(q, noise);
  for (float& z : sample.scales)  // derivatives by a scale are found by dividing by it
    if (std::abs(z) < 1e-12f) z = 1e-12f;
  weights_ = scaled_weights(*architecture_, q.gates, sample.weights, sample.scales);
  network_.set({&q.gates, weights_, &q.norm, by_gate(q.gates, sample.scales)});
  network_.forward(rows.pixels, rows.count(), ImageNetwork::Norm::batch);
  d_logits_.resize(network_.logits().size());
  const double count = static_cast<double>(rows.count());
  Value value;
  for (double l : softmax_log_likelihoods(network_.logits(), rows.labels, -1 / count, d_logits_))
    value.cross_entropy -= l / count;
  by_weight_.resize(weights_.size());
  std::vector<double> by_gate_value;
  network_.backward(d_logits_, {by_weight_, &gradient.norm_scale, &gradient.norm_shift, &by_gate_value});

  gradient.mean = by_weight_;
  for_each_reader(*architecture_, q.gates, [&](std::size_t offset, std::size_t run, std::size_t channel) {
    if (channel == kNowhere) return;
    for (std::size_t i = offset; i < offset + run; ++i) gradient.mean[i] *= sample.scales[channel];
  });
  gradient.log_variance.resize(q.mean.size());
  for (std::size_t i = 0; i < q.mean.size(); ++i)
    gradient.log_variance[i] = 0.5f * gradient.mean[i] * (sample.weights[i] - q.mean[i]);
  gradient.scale_mean.resize(q.scale_mean.size());
  gradient.scale_log_variance.resize(q.scale_mean.size());
  for (std::size_t c = 0; c < q.scale_mean.size(); ++c) {
    gradient.scale_mean[c] = static_cast<float>(by_gate_value[c] / sample.scales[c]);
    gradient.scale_log_variance[c] = 0.5f * gradient.scale_mean[c] * (sample.scales[c] - q.scale_mean[c]);
  }
  value.loss = value.cross_entropy + add_divergence(q, images, gradient);
  return value;
}

// The divergences of weights and scales from their priors, over the images, and their gradient; see VariationalNetwork.
double ImageBound::add_divergence(const ImagePosterior& q, double images, Gradient& gradient) const {
  const auto each = static_cast<float>(1 / images);
  double sum = 0;
  for (std::size_t i = 0; i < q.mean.size(); ++i) {
    const float m = q.mean[i], u = q.log_variance[i], variance = std::exp(u);
    sum -= 0.5 * (1 + u - variance - m * m);
    gradient.mean[i] += each * m;
    gradient.log_variance[i] -= each * 0.5f * (1 - variance);
  }
  for (std::size_t c = 0; c < q.scale_mean.size(); ++c) {
    const double m = q.scale_mean[c], log_alpha = q.scale_log_variance[c] - std::log(m * m);
    const double slope = negative_jeffreys_kl_slope(log_alpha);
    sum -= negative_jeffreys_kl(log_alpha);
    gradient.scale_log_variance[c] -= static_cast<float>(slope / images);
    gradient.scale_mean[c] += static_cast<float>(slope * 2 / m / images);
  }
  return sum / images;
}

}  // namespace mbnn
