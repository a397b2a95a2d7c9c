#include "mbnn/tables/refit_density.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/cholesky.h"
#include "mbnn/net/dense/weights.h"

namespace mbnn {

namespace {

// Rows of padding become 0, so that sums over rows may include them.
void positive_part(const Tiles& z, Tiles& h) {
  h.reset(z.rows(), z.nodes());
  for (std::size_t t = 0; t < z.count(); ++t) {
    const std::size_t valid = z.valid_rows(t), rows = z.padded_rows(t);
    for (std::size_t k = 0; k < z.nodes(); ++k) {
      const float* from = z.node(t, k);
      float* to = h.node(t, k);
      for (std::size_t i = 0; i < valid; ++i) to[i] = std::max(from[i], 0.0f);
      for (std::size_t i = valid; i < rows; ++i) to[i] = 0;
    }
  }
}

void affine(const Tiles& in, const float* w, std::size_t inputs, std::size_t outputs, Tiles& out) {
  AlignedFloats panels((inputs + 1) * outputs);
  pack_forward(w, inputs, outputs, panels.data());
  out.reset(in.rows(), outputs);
  for (std::size_t t = 0; t < in.count(); ++t)
    kernels().forward(in.tile(t), inputs, panels.data(), outputs, out.tile(t), in.padded_rows(t), false);
}

double total_statistic(const Model& model, const Batch& batch, const Tiles& outputs, double noise_variance) {
  double sum = 0;
  for (std::size_t t = 0; t < batch.x.count(); ++t)
    sum += model.likelihood.tile(batch, t, outputs.tile(t), outputs.nodes(), noise_variance, 1, nullptr);
  return sum;
}

}  // namespace

void RefitDensity::bind(const Batch& batch, State& state) {
  batch_ = &batch;
  state_ = &state;
  shape_ = state.shape(*model_);
  const std::size_t L = layers();
  z_.resize(L + 1);
  proposed_z_.resize(L + 1);
  h_.resize(L + 1);
  inverse_gram_.assign(L + 1, std::nullopt);
  for (std::size_t l = 0; l <= L; ++l) {
    if (l > 0) positive_part(z_[l - 1], h_[l]);
    affine(l == 0 ? batch.x : h_[l], state.weights.data() + shape_.offset(l), shape_.widths[l], shape_.widths[l + 1],
           z_[l]);
  }
  statistic_ = total_statistic(*model_, batch, z_[L], state.noise_variance);
}

// The ridge weighs what the layer above loses against the prior of the edges that change: an edge's prior precision
// over the precision of a row.
double RefitDensity::ridge() const {
  const Likelihood& likelihood = model_->likelihood;
  const double row_variance = (likelihood.has_noise() ? state_->noise_variance : 4) / likelihood.power;
  return row_variance / (state_->weight_scale * state_->weight_scale) + 1e-6 * static_cast<double>(batch_->rows());
}

const std::vector<double>& RefitDensity::inverse_gram(std::size_t layer) {
  auto& inverse = inverse_gram_[layer];
  if (inverse) return *inverse;
  const Tiles& h = h_[layer];
  const std::size_t s = h.nodes(), size = s + 1;
  const AlignedFloats ones(kTileRows, 1.0f);
  std::vector<double> matrix(size * size, 0.0);  // only its lower half counts
  for (std::size_t t = 0; t < h.count(); ++t) {
    constexpr std::size_t block = 3;
    for (std::size_t k = 0; k < s; k += block) {
      const std::size_t count = std::min(block, s - k);
      kernels().products(h.node(t, k), count, h.tile(t), k + count, &matrix[k * size], size, h.padded_rows(t));
    }
    kernels().products(ones.data(), 1, h.tile(t), s, &matrix[s * size], size, h.padded_rows(t));
  }
  matrix[s * size + s] = static_cast<double>(h.rows());
  for (std::size_t k = 0; k < size; ++k) matrix[k * size + k] += ridge();
  const Cholesky factor(std::move(matrix), size);
  return inverse.emplace(factor.ok() ? factor.inverse() : std::vector<double>{});
}

void RefitDensity::set_residual(Newcomer& node, const std::vector<double>& coefficients, const Tiles& h_j) const {
  const std::vector<float> c(coefficients.begin(), coefficients.end());
  const Tiles& h = h_[node.layer];
  affine(h, c.data(), h.nodes(), 1, node.r);
  for (std::size_t t = 0; t < h.count(); ++t) {
    const std::size_t valid = h.valid_rows(t), rows = h.padded_rows(t);
    float* r = node.r.node(t, 0);
    const float* output = h_j.node(t, 0);
    for (std::size_t i = 0; i < valid; ++i) r[i] = output[i] - r[i];
    for (std::size_t i = valid; i < rows; ++i) r[i] = 0;
  }
}

std::optional<RefitDensity::Newcomer> RefitDensity::outside(std::size_t layer, std::vector<float> incoming) {
  const auto& inverse = inverse_gram(layer);
  if (inverse.empty()) return std::nullopt;
  Newcomer node{layer, std::move(incoming), {}, {}, {}};
  affine(layer == 1 ? batch_->x : h_[layer - 1], node.incoming.data(), shape_.widths[layer - 1], 1, node.z);
  Tiles h_j;
  positive_part(node.z, h_j);
  const Tiles& h = h_[layer];
  const std::size_t s = h.nodes(), size = s + 1;
  const AlignedFloats ones(kTileRows, 1.0f);
  std::vector<double> products(size, 0.0);
  double square = 0;
  for (std::size_t t = 0; t < h.count(); ++t) {
    const std::size_t rows = h.padded_rows(t);
    kernels().products(h_j.tile(t), 1, h.tile(t), s, products.data(), size, rows);
    kernels().products(h_j.tile(t), 1, ones.data(), 1, &products[s], 1, rows);
    kernels().products(h_j.tile(t), 1, h_j.tile(t), 1, &square, 1, rows);
  }
  node.c.assign(size, 0.0);
  double explained = 0;
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t j = 0; j < size; ++j) node.c[k] += inverse[k * size + j] * products[j];
    explained += node.c[k] * products[k];
  }
  // What is left of the node is 1 / P_jj at its death, below.
  if (!(square + ridge() - explained > 0)) return std::nullopt;
  set_residual(node, node.c, h_j);
  return node;
}

// With P the inverse of the Gram matrix of all nodes of the layer, c_k = -P_kj / P_jj solves the same least squares.
std::optional<RefitDensity::Newcomer> RefitDensity::inside(Node position) {
  const std::size_t layer = position.layer, j = position.position, size = active(layer) + 1;
  const auto& inverse = inverse_gram(layer);
  if (inverse.empty()) return std::nullopt;
  Newcomer node{layer, node_edges(state_->weights, shape_, position).incoming, {}, {}, {}};
  std::vector<double> c(size, 0.0);
  for (std::size_t k = 0; k < size; ++k)
    if (k != j) c[k] = -inverse[k * size + j] / inverse[j * size + j];
  const Tiles& h = h_[layer];
  Tiles h_j(h.rows(), 1);
  for (std::size_t t = 0; t < h.count(); ++t) std::copy_n(h.node(t, j), h.padded_rows(t), h_j.node(t, 0));
  set_residual(node, c, h_j);
  c.erase(c.begin() + static_cast<std::ptrdiff_t>(j));
  node.c = std::move(c);
  return node;
}

std::vector<double> RefitDensity::outgoing(Node node) const {
  const std::size_t above = width_above(node.layer);
  const float* w = state_->weights.data() + shape_.offset(node.layer) + node.position * above;
  return {w, w + above};
}

// Of all edges that leave the changed layer, except those of one node.
double RefitDensity::log_edges_prior(const Shape& shape, const std::vector<float>& weights, std::size_t without) const {
  const std::size_t above = shape.widths[changed_ + 1], rows = shape.widths[changed_] + 1;
  const float* w = weights.data() + shape.offset(changed_);
  const WeightPrior& prior = model_->weight_prior;
  if (without >= rows) return prior.log_density({w, rows * above}, state_->weight_scale);
  return prior.log_density({w, without * above}, state_->weight_scale) +
         prior.log_density({w + (without + 1) * above, (rows - without - 1) * above}, state_->weight_scale);
}

void RefitDensity::propose_birth(const Newcomer& node, const std::vector<double>& v) {
  changed_ = node.layer;
  birth_ = true;
  const std::size_t s = active(changed_), above = v.size();
  proposed_shape_ = shape_;
  ++proposed_shape_.widths[changed_];
  proposed_weights_ = grow(state_->weights, shape_, proposed_shape_, [&](std::size_t l, std::size_t k, std::size_t j) {
    if (l == changed_) return static_cast<float>(v[j]);
    return k == proposed_shape_.widths[l] ? node.incoming.back() : node.incoming[k];
  });
  float* w = proposed_weights_.data() + proposed_shape_.offset(changed_);
  for (std::size_t k = 0; k <= s; ++k)
    for (std::size_t j = 0; j < above; ++j) w[(k < s ? k : s + 1) * above + j] -= static_cast<float>(node.c[k] * v[j]);
  edges_ratio_ =
      log_edges_prior(proposed_shape_, proposed_weights_, s) - log_edges_prior(shape_, state_->weights, s + 1);
  joining_ = node.z;
  finish_proposal(node, v, 1);
}

void RefitDensity::propose_death(Node position, const Newcomer& node) {
  changed_ = node.layer;
  birth_ = false;
  leaving_ = position.position;
  const auto v = outgoing(position);
  const std::size_t s = active(changed_) - 1, above = v.size();
  proposed_shape_ = shape_;
  --proposed_shape_.widths[changed_];
  const Node leaving[] = {position};
  proposed_weights_ = shrink(state_->weights, shape_, leaving);
  float* w = proposed_weights_.data() + proposed_shape_.offset(changed_);
  for (std::size_t k = 0; k <= s; ++k)
    for (std::size_t j = 0; j < above; ++j) w[k * above + j] += static_cast<float>(node.c[k] * v[j]);
  edges_ratio_ =
      log_edges_prior(proposed_shape_, proposed_weights_, s + 1) - log_edges_prior(shape_, state_->weights, leaving_);
  finish_proposal(node, v, -1);
}

// The layer above changes by r v, the layers further up are computed anew.
void RefitDensity::finish_proposal(const Newcomer& node, const std::vector<double>& v, double sign) {
  const Tiles& from = z_[changed_];
  Tiles& to = proposed_z_[changed_];
  to.reset(from.rows(), from.nodes());
  for (std::size_t t = 0; t < from.count(); ++t) {
    const std::size_t rows = from.padded_rows(t);
    const float* r = node.r.node(t, 0);
    for (std::size_t k = 0; k < v.size(); ++k) {
      const float factor = static_cast<float>(sign * v[k]);
      const float* before = from.node(t, k);
      float* after = to.node(t, k);
      for (std::size_t i = 0; i < rows; ++i) after[i] = before[i] + factor * r[i];
    }
  }
  const Shape& shape = proposed_shape_;
  for (std::size_t l = changed_ + 1; l <= layers(); ++l) {
    positive_part(proposed_z_[l - 1], scratch_);
    affine(scratch_, proposed_weights_.data() + shape.offset(l), shape.widths[l], shape.widths[l + 1], proposed_z_[l]);
  }
  proposed_statistic_ = total_statistic(*model_, *batch_, proposed_z_[layers()], state_->noise_variance);
}

double RefitDensity::log_ratio() const {
  const auto log_likelihood = [&](double statistic) {
    return model_->likelihood.log_likelihood(statistic, batch_->rows(), state_->noise_variance);
  };
  return log_likelihood(proposed_statistic_) - log_likelihood(statistic_) +
         log_mask_prior(*model_, proposed_shape_, state_->lambda) - log_mask_prior(*model_, shape_, state_->lambda) +
         edges_ratio_;
}

void RefitDensity::accept(Rng& rng) {
  auto& active = state_->gates.active[changed_ - 1];
  if (birth_) {
    active.push_back(draw_inactive(active, cap(changed_), rng));
    z_[changed_ - 1].append(joining_);
  } else {
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(leaving_));
    z_[changed_ - 1].remove(leaving_);
  }
  for (std::size_t l = changed_; l <= layers(); ++l) {
    std::swap(z_[l], proposed_z_[l]);
    positive_part(z_[l - 1], h_[l]);
    inverse_gram_[l].reset();
  }
  std::swap(state_->weights, proposed_weights_);
  shape_ = proposed_shape_;
  statistic_ = proposed_statistic_;
}

// visit(tile, rows, d, gradient): d holds the derivatives of one output by the pre-activations of the layer above the
// node, gradient the derivative of the log-likelihood by that output.
template <class Visit>
void RefitDensity::for_each_sensitivity(std::size_t layer, At smaller, Visit visit) const {
  const bool current = smaller == At::current;
  const std::vector<Tiles>& z = current ? z_ : proposed_z_;
  const Shape& shape = current ? shape_ : proposed_shape_;
  const float* weights = (current ? state_->weights : proposed_weights_).data();
  const std::size_t L = layers(), outputs = shape.outputs();
  const std::size_t widest = *std::max_element(shape.widths.begin() + 1, shape.widths.end());
  std::vector<AlignedFloats> panels(L + 1);
  for (std::size_t l = layer + 1; l <= L; ++l) {
    panels[l].resize(shape.widths[l] * shape.widths[l + 1]);
    pack_backward(weights + shape.offset(l), shape.widths[l], shape.widths[l + 1], panels[l].data());
  }
  AlignedFloats gradient(outputs * kTileRows), d(widest * kTileRows), below(widest * kTileRows);
  for (std::size_t t = 0; t < batch_->x.count(); ++t) {
    const std::size_t rows = batch_->x.padded_rows(t);
    model_->likelihood.tile(*batch_, t, z[L].tile(t), outputs, state_->noise_variance, 1, gradient.data());
    for (std::size_t c = 0; c < outputs; ++c) {
      std::fill_n(d.data(), outputs * kTileRows, 0.0f);
      std::fill_n(d.data() + c * kTileRows, rows, 1.0f);
      for (std::size_t l = L; l > layer; --l) {
        kernels().backward_input(d.data(), shape.widths[l + 1], panels[l].data(), shape.widths[l], z[l - 1].tile(t),
                                 below.data(), rows);
        std::swap(d, below);
      }
      visit(t, rows, d.data(), gradient.data() + c * kTileRows);
    }
  }
}

RefitDensity::Expansion RefitDensity::expand(const Newcomer& node, At smaller) const {
  const std::size_t above = width_above(node.layer), columns = above + 1;
  std::vector<float> sums(columns * columns, 0.0f);
  AlignedFloats right(columns * kTileRows);
  for_each_sensitivity(node.layer, smaller, [&](std::size_t t, std::size_t rows, float* d, const float* gradient) {
    float curvature[kTileRows];
    model_->likelihood.curvature(gradient, rows, state_->noise_variance, curvature);
    const float* r = node.r.node(t, 0);
    for (std::size_t k = 0; k < above; ++k)
      for (std::size_t i = 0; i < rows; ++i) {
        d[k * kTileRows + i] *= r[i];
        right[k * kTileRows + i] = d[k * kTileRows + i] * curvature[i];
      }
    std::copy_n(gradient, rows, right.data() + above * kTileRows);
    kernels().backward_weights(d, above, right.data(), columns, sums.data(), rows);
  });
  Expansion expansion{std::vector<double>(above * above), std::vector<double>(above)};
  for (std::size_t k = 0; k < above; ++k) {
    for (std::size_t j = 0; j < above; ++j) expansion.precision[k * above + j] = sums[k * columns + j];
    expansion.linear[k] = sums[k * columns + above];
  }
  return expansion;
}

std::vector<double> RefitDensity::precision_diagonal(const Newcomer& node, At smaller) const {
  const std::size_t above = width_above(node.layer);
  std::vector<double> diagonal(above, 0.0);
  for_each_sensitivity(node.layer, smaller,
                       [&](std::size_t t, std::size_t rows, const float* d, const float* gradient) {
                         float weight[kTileRows];
                         model_->likelihood.curvature(gradient, rows, state_->noise_variance, weight);
                         const float* r = node.r.node(t, 0);
                         for (std::size_t i = 0; i < rows; ++i) weight[i] *= r[i] * r[i];
                         for (std::size_t k = 0; k < above; ++k) {
                           float sums[8] = {};
                           for (std::size_t i = 0; i < rows; i += 8)
                             for (std::size_t m = 0; m < 8; ++m)
                               sums[m] += weight[i + m] * d[k * kTileRows + i + m] * d[k * kTileRows + i + m];
                           for (float sum : sums) diagonal[k] += sum;
                         }
                       });
  return diagonal;
}

std::vector<double> RefitDensity::inverse_gram_without(std::size_t layer, std::optional<Node> node) {
  std::vector<double> inverse = inverse_gram(layer);
  if (!node || inverse.empty()) return inverse;
  const std::size_t size = active(layer) + 1, j = node->position;
  std::vector<double> smaller;
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      if (k != j && i != j)
        smaller.push_back(inverse[k * size + i] -
                          inverse[k * size + j] * inverse[j * size + i] / inverse[j * size + j]);
  return smaller;
}

// Of what nodes with these incoming edges output, the part that the layer cannot.
Tiles RefitDensity::residuals(std::size_t layer, const std::vector<std::vector<float>>& incoming,
                              std::optional<Node> without, const std::vector<double>& inverse) const {
  const std::size_t count = incoming.size(), inputs = width_below(layer);
  std::vector<float> edges((inputs + 1) * count);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i <= inputs; ++i) edges[i * count + k] = incoming[k][i];
  Tiles z, outputs, explained, h = h_[layer];
  affine(layer == 1 ? batch_->x : h_[layer - 1], edges.data(), inputs, count, z);
  positive_part(z, outputs);
  if (without) h.remove(without->position);
  const std::size_t s = h.nodes(), size = s + 1;
  const AlignedFloats ones(kTileRows, 1.0f);
  std::vector<double> products(count * size, 0.0);
  for (std::size_t t = 0; t < h.count(); ++t) {
    const std::size_t rows = h.padded_rows(t);
    kernels().products(outputs.tile(t), count, h.tile(t), s, products.data(), size, rows);
    kernels().products(outputs.tile(t), count, ones.data(), 1, &products[s], size, rows);
  }
  std::vector<float> c(size * count);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += inverse[i * size + j] * products[k * size + j];
      c[i * count + k] = static_cast<float>(sum);
    }
  affine(h, c.data(), s, count, explained);
  for (std::size_t t = 0; t < h.count(); ++t)
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < h.valid_rows(t); ++i) outputs.node(t, k)[i] -= explained.node(t, k)[i];
  return outputs;
}

// With g the gradient by the outgoing edges at 0 and q the curvature along it, v = a g / |g| has the log-likelihood
// |g| a - q a^2 / 2 |g|^2 and the prior precision 1 / τ².
std::vector<double> RefitDensity::promise(std::size_t layer, const std::vector<std::vector<float>>& incoming,
                                          std::optional<Node> without) {
  const std::vector<double> inverse = inverse_gram_without(layer, without);
  if (inverse.empty()) return {};
  const At smaller = without ? At::proposed : At::current;
  const std::size_t count = incoming.size(), above = width_above(layer);
  const Tiles r = residuals(layer, incoming, without, inverse);
  std::vector<float> gradients((count + 1) * above, 0.0f);
  for_each_sensitivity(layer, smaller, [&](std::size_t t, std::size_t rows, float* d, const float* gradient) {
    for (std::size_t k = 0; k < above; ++k)
      for (std::size_t i = 0; i < rows; ++i) d[k * kTileRows + i] *= gradient[i];
    kernels().backward_weights(r.tile(t), count, d, above, gradients.data(), rows);
  });
  std::vector<float> directions((above + 1) * count, 0.0f);  // the last row: no bias
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t j = 0; j < above; ++j) directions[j * count + k] = gradients[k * above + j];
  AlignedFloats panels((above + 1) * count), along(count * kTileRows);
  pack_forward(directions.data(), above, count, panels.data());
  std::vector<double> curvatures(count, 0.0);
  for_each_sensitivity(layer, smaller, [&](std::size_t t, std::size_t rows, const float* d, const float* gradient) {
    float weight[kTileRows];
    model_->likelihood.curvature(gradient, rows, state_->noise_variance, weight);
    kernels().forward(d, above, panels.data(), count, along.data(), rows, false);
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < r.valid_rows(t); ++i) {
        const double change = static_cast<double>(along[k * kTileRows + i]) * r.node(t, k)[i];
        sum += weight[i] * change * change;
      }
      curvatures[k] += sum;
    }
  });
  std::vector<double> promises(count, 0.0);
  const double variance = state_->weight_scale * state_->weight_scale;
  for (std::size_t k = 0; k < count; ++k) {
    double square = 0;  // |g|^2
    for (std::size_t j = 0; j < above; ++j) square += std::pow(static_cast<double>(gradients[k * above + j]), 2);
    if (!(square > 0)) continue;  // a node that never fires promises nothing
    const double precision = curvatures[k] / square;
    promises[k] = 0.5 * square / (precision + 1 / variance) - 0.5 * std::log1p(variance * precision);
  }
  return promises;
}

}  // namespace mbnn
