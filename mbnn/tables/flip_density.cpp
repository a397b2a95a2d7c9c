#include "mbnn/tables/flip_density.h"

#include <algorithm>

namespace mbnn {

void FlipDensity::bind(const Batch& batch, State& state, double scale) {
  batch_ = &batch;
  state_ = &state;
  scale_ = scale;
  shape_ = state.shape(*model_);
  activations_.rebuild(batch, shape_, state.weights);
  statistic_ = total_statistic(activations_.current(), shape_);
}

double FlipDensity::total_statistic(const Activations::View& view, const Shape& shape) const {
  double sum = 0;
  for (std::size_t t = 0; t < batch_->x.count(); ++t)
    sum += model_->likelihood.tile(*batch_, t, view.outputs(t), shape.outputs(), state_->noise_variance, 1, nullptr);
  return sum;
}

double FlipDensity::log_likelihood(At at) const {
  return scale_ * model_->likelihood.log_likelihood(at == At::current ? statistic_ : proposed_statistic_,
                                                    batch_->rows(), state_->noise_variance);
}

double FlipDensity::log_mask_prior(At at) const { return mbnn::log_mask_prior(*model_, shape(at), state_->lambda); }

double FlipDensity::log_width_prior(At at) const {
  double squares = 0;
  for (std::size_t l = 1; l <= layers(); ++l) {
    const double width = static_cast<double>(active(l, at));
    squares += width * width;
  }
  return -model_->width_prior.penalty(state_->lambda) * squares;
}

std::vector<double> FlipDensity::row_differences() const {
  std::vector<double> proposed(batch_->rows()), current(batch_->rows());
  for (std::size_t t = 0; t < batch_->x.count(); ++t) {
    const std::size_t first = batch_->x.first_row(t);
    model_->likelihood.rows(*batch_, t, activations_.proposed().outputs(t), proposed_shape_.outputs(),
                            state_->noise_variance, proposed.data() + first);
    model_->likelihood.rows(*batch_, t, activations_.current().outputs(t), shape_.outputs(), state_->noise_variance,
                            current.data() + first);
  }
  for (std::size_t i = 0; i < proposed.size(); ++i) proposed[i] -= current[i];
  return proposed;
}

std::vector<Candidate> FlipDensity::draw_candidates(At at, std::span<const std::size_t> counts, Rng& rng) const {
  const Shape& around = shape(at);
  std::vector<Candidate> candidates;
  for (std::size_t l = 1; l <= layers(); ++l)
    for (std::size_t i = 0; i < counts[l - 1]; ++i) {
      Candidate& candidate = candidates.emplace_back(Candidate{l, {}, {}});
      candidate.incoming.resize(around.widths[l - 1] + 1);
      candidate.outgoing.resize(around.widths[l + 1]);
      for (auto* edges : {&candidate.incoming, &candidate.outgoing})
        for (float& w : *edges) w = static_cast<float>(model_->weight_prior.draw(state_->weight_scale, rng));
    }
  return candidates;
}

std::vector<Candidate> FlipDensity::leaving_candidates() const {
  auto leaves = [&](std::size_t layer, std::size_t position) {
    return std::any_of(leaving_.begin(), leaving_.end(),
                       [&](const Node& n) { return n.layer == layer && n.position == position; });
  };
  std::vector<Candidate> candidates;
  for (const Node& node : leaving_) {
    const NodeEdges edges = node_edges(state_->weights, shape_, node);
    Candidate& candidate = candidates.emplace_back(Candidate{node.layer, {}, {}});
    for (std::size_t k = 0; k < edges.incoming.size(); ++k)
      if (k + 1 == edges.incoming.size() || !leaves(node.layer - 1, k)) candidate.incoming.push_back(edges.incoming[k]);
    for (std::size_t j = 0; j < edges.outgoing.size(); ++j)
      if (!leaves(node.layer + 1, j)) candidate.outgoing.push_back(edges.outgoing[j]);
  }
  return candidates;
}

void FlipDensity::propose_birth(std::span<const Candidate> joining, Rng& rng) {
  leaving_.clear();
  proposed_shape_ = shape_;
  std::vector<std::vector<const Candidate*>> newborn(shape_.widths.size());
  for (const Candidate& candidate : joining) {
    newborn[candidate.layer].push_back(&candidate);
    ++proposed_shape_.widths[candidate.layer];
  }
  proposed_weights_ = grow(state_->weights, shape_, proposed_shape_, [&](std::size_t l, std::size_t k, std::size_t j) {
    const std::size_t in = shape_.widths[l], out = shape_.widths[l + 1];
    if (k == proposed_shape_.widths[l]) return newborn[l + 1][j - out]->incoming.back();
    if (k < in) return newborn[l + 1][j - out]->incoming[k];
    if (j < out) return newborn[l][k - in]->outgoing[j];
    return static_cast<float>(model_->weight_prior.draw(state_->weight_scale, rng));
  });
  activations_.propose({shape_, proposed_shape_, state_->weights, proposed_weights_, {}});
  proposed_statistic_ = total_statistic(activations_.proposed(), proposed_shape_);
}

void FlipDensity::propose_death(std::vector<Node> leaving) {
  leaving_ = std::move(leaving);
  proposed_shape_ = shape_;
  for (const Node& node : leaving_) --proposed_shape_.widths[node.layer];
  proposed_weights_ = shrink(state_->weights, shape_, leaving_);
  activations_.propose({shape_, proposed_shape_, state_->weights, proposed_weights_, leaving_});
  proposed_statistic_ = total_statistic(activations_.proposed(), proposed_shape_);
}

void FlipDensity::accept(Rng& rng) {
  for (std::size_t l = 1; l <= layers(); ++l) {
    auto& active = state_->gates.active[l - 1];
    for (std::size_t i = shape_.widths[l]; i < proposed_shape_.widths[l]; ++i)
      active.push_back(draw_inactive(active, cap(l), rng));
  }
  std::sort(leaving_.begin(), leaving_.end(), [](Node a, Node b) { return a.position > b.position; });
  for (const Node& node : leaving_) {
    auto& active = state_->gates.active[node.layer - 1];
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(node.position));
  }
  activations_.accept();
  std::swap(state_->weights, proposed_weights_);
  shape_ = proposed_shape_;
  statistic_ = proposed_statistic_;
}

// The derivative by the gate of node j is the sum over rows of h_j times the derivative by h_j. Since the latter passes
// through the outgoing edges, it equals the sum over them of weight times the weight's own derivative.
std::vector<double> FlipDensity::gate_derivatives(At at, std::span<const Candidate> candidates) {
  const Shape& s = shape(at);
  const float* weights = (at == At::current ? state_->weights : proposed_weights_).data();
  const Activations::View view = at == At::current ? activations_.current() : activations_.proposed();
  const std::size_t L = layers(), widest = *std::max_element(s.widths.begin(), s.widths.end());

  // Per layer l: its outgoing affine map for backward passes, its gradient, and the candidates as a layer beside it.
  struct Layer {
    AlignedFloats backward, h, candidate_panels, candidate_h;
    std::vector<float> gradient, candidate_gradient;
    std::vector<const Candidate*> candidates;
  };
  std::vector<Layer> layer(L + 1);
  for (const Candidate& candidate : candidates) layer[candidate.layer].candidates.push_back(&candidate);
  for (std::size_t l = 1; l <= L; ++l) {
    Layer& y = layer[l];
    y.h.resize(s.widths[l] * kTileRows);
    y.gradient.assign(s.affine_size(l), 0.0f);
    y.backward.resize(s.widths[l] * s.widths[l + 1]);
    pack_backward(weights + s.offset(l), s.widths[l], s.widths[l + 1], y.backward.data());
    const std::size_t count = y.candidates.size(), below = s.widths[l - 1];
    if (count == 0) continue;
    std::vector<float> block((below + 1) * count);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t k = 0; k <= below; ++k) block[k * count + c] = y.candidates[c]->incoming[k];
    y.candidate_panels.resize(block.size());
    pack_forward(block.data(), below, count, y.candidate_panels.data());
    y.candidate_h.resize(count * kTileRows);
    y.candidate_gradient.assign((count + 1) * s.widths[l + 1], 0.0f);
  }

  AlignedFloats above(std::max(widest, s.outputs()) * kTileRows), below(widest * kTileRows);
  for (std::size_t t = 0; t < batch_->x.count(); ++t) {
    const std::size_t rows = batch_->x.padded_rows(t);
    for (std::size_t l = 1; l <= L; ++l) view.positive_part(l, t, rows, layer[l].h.data());
    model_->likelihood.tile(*batch_, t, view.outputs(t), s.outputs(), state_->noise_variance, scale_, above.data());
    for (std::size_t l = L; l >= 1; --l) {
      Layer& y = layer[l];
      const std::size_t width = s.widths[l], out = s.widths[l + 1], count = y.candidates.size();
      kernels().backward_weights(y.h.data(), width, above.data(), out, y.gradient.data(), rows);
      if (count > 0) {
        const float* under = l == 1 ? batch_->x.tile(t) : layer[l - 1].h.data();
        kernels().forward(under, s.widths[l - 1], y.candidate_panels.data(), count, y.candidate_h.data(), rows, true);
        kernels().backward_weights(y.candidate_h.data(), count, above.data(), out, y.candidate_gradient.data(), rows);
      }
      if (l > 1) {
        kernels().backward_input(above.data(), out, y.backward.data(), width, y.h.data(), below.data(), rows);
        std::swap(above, below);
      }
    }
  }

  std::vector<double> derivatives;
  for (std::size_t l = 1; l <= L; ++l) {
    const std::size_t out = s.widths[l + 1];
    const float* w = weights + s.offset(l);
    for (std::size_t j = 0; j < s.widths[l]; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < out; ++k) sum += static_cast<double>(w[j * out + k]) * layer[l].gradient[j * out + k];
      derivatives.push_back(sum);
    }
  }
  std::vector<std::size_t> seen(L + 1, 0);
  for (const Candidate& candidate : candidates) {
    const std::size_t c = seen[candidate.layer]++, out = candidate.outgoing.size();
    double sum = 0;
    for (std::size_t k = 0; k < out; ++k)
      sum += static_cast<double>(candidate.outgoing[k]) * layer[candidate.layer].candidate_gradient[c * out + k];
    derivatives.push_back(sum);
  }
  return derivatives;
}

}  // namespace mbnn
