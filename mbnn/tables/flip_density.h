// The posterior as birth-death sees it: the likelihood of a flip, derivatives by gates, nodes that join and leave.
#pragma once

#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/net/dense/activations.h"
#include "mbnn/sample/birth_death.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// An inactive node with weights drawn from the prior: its edges to the nodes that are active where it is scored.
struct Candidate {
  std::size_t layer;
  std::vector<float> incoming, outgoing;  // from below with the bias last; to above
};

class FlipDensity {
 public:
  enum class At { current, proposed };
  using Candidate = mbnn::Candidate;

  explicit FlipDensity(const Model& model) : model_(&model) {}

  // A whole forward pass. Afterwards flips are low-rank changes of what it left.
  void bind(const Batch& batch, State& state, double scale = 1);

  std::size_t layers() const { return shape_.hidden_layers(); }
  std::size_t active(std::size_t layer, At at = At::current) const { return shape(at).widths[layer]; }
  std::size_t cap(std::size_t layer) const { return model_->architecture.caps[layer - 1]; }
  double log_likelihood(At at = At::current) const;
  double log_mask_prior(At at = At::current) const;
  double log_width_prior(At at = At::current) const;  // its part that the widths have, without 1 / C(p, s)
  // Log-likelihoods of the bound rows, proposed minus current, not scaled.
  std::vector<double> row_differences() const;

  // `counts[l - 1]` candidates for layer l, with weights from the prior.
  std::vector<Candidate> draw_candidates(At at, std::span<const std::size_t> counts, Rng& rng) const;
  // The leaving nodes of the proposal as candidates for coming back.
  std::vector<Candidate> leaving_candidates() const;

  // Edges between newborns in adjacent layers come from the prior.
  void propose_birth(std::span<const Candidate> joining, Rng& rng);
  void propose_death(std::vector<Node> leaving);
  // The numbers of newborn nodes are drawn uniformly from the inactive ones.
  void accept(Rng& rng);

  // Derivatives of the log-likelihood by the gates: of the active nodes, layer after layer, then of the candidates.
  std::vector<double> gate_derivatives(At at, std::span<const Candidate> candidates = {});

  // Squared errors or log-likelihood of the current state.
  double statistic() const { return statistic_; }

 private:
  const Shape& shape(At at) const { return at == At::current ? shape_ : proposed_shape_; }
  double total_statistic(const Activations::View& view, const Shape& shape) const;

  const Model* model_;
  const Batch* batch_ = nullptr;
  State* state_ = nullptr;
  double scale_ = 1;
  Shape shape_, proposed_shape_;
  std::vector<float> proposed_weights_;
  std::vector<Node> leaving_;
  double statistic_ = 0, proposed_statistic_ = 0;
  Activations activations_;
};

static_assert(GateDensity<FlipDensity> && RowDensity<FlipDensity>);

}  // namespace mbnn
