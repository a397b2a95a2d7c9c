// The posterior as the refitting moves see it: a node joins or leaves, and the edges beside its own make up for it.
//
// Let h_1..h_s be the outputs of a layer's nodes without node j. Least squares with a ridge gives
//   h_j = sum_k c_k h_k + c_0 + r.
// When node j leaves, its outgoing edges v go to the others, w_k += c_k v and b += c_0 v, so that the layer above loses
// only r v where it would have lost h_j v. When it joins, the same is taken away, and the layer above gains r v. Both
// are the one shear of (w, b, v), whose Jacobian is 1.
#pragma once

#include <optional>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/net/dense/batch.h"
#include "mbnn/tables/state.h"

namespace mbnn {

class RefitDensity {
 public:
  enum class At { current, proposed };

  // What a node adds to its layer: its edges from below, what it outputs, and what of that the others cannot.
  struct Newcomer {
    std::size_t layer = 0;
    std::vector<float> incoming;  // the bias last
    std::vector<double> c;        // one for each other node of the layer, then c_0
    Tiles z, r;
  };

  // The log-likelihood as a function of v for the network without the node, to second order around v = 0 with the
  // network above linearised (Gauss-Newton): linear . v - v . precision v / 2.
  struct Expansion {
    std::vector<double> precision, linear;
  };

  explicit RefitDensity(const Model& model) : model_(&model) {}

  // A whole forward pass.
  void bind(const Batch& batch, State& state);

  const Model& model() const { return *model_; }
  const State& state() const { return *state_; }
  std::size_t layers() const { return shape_.hidden_layers(); }
  std::size_t active(std::size_t layer) const { return shape_.widths[layer]; }
  std::size_t cap(std::size_t layer) const { return model_->architecture.caps[layer - 1]; }
  std::size_t width_below(std::size_t layer) const { return shape_.widths[layer - 1]; }
  std::size_t width_above(std::size_t layer) const { return shape_.widths[layer + 1]; }

  // A node that may join, and one that may leave. Nothing where rounding leaves least squares without a solution: where
  // the Gram matrix of the layer with the node is not positive definite. A move and its reverse agree on that.
  std::optional<Newcomer> outside(std::size_t layer, std::vector<float> incoming);
  std::optional<Newcomer> inside(Node node);
  std::vector<double> outgoing(Node node) const;

  void propose_birth(const Newcomer& node, const std::vector<double>& v);
  void propose_death(Node position, const Newcomer& node);
  // log of likelihood, masks and the edges that make up for the node, proposed over current.
  double log_ratio() const;
  // The number of a newborn node is drawn uniformly from the inactive ones.
  void accept(Rng& rng);

  Expansion expand(const Newcomer& node, At smaller) const;
  // Of the precision alone, and much cheaper.
  std::vector<double> precision_diagonal(const Newcomer& node, At smaller) const;

  // What nodes with these incoming edges promise: for each the log of the evidence that the linearised network has for
  // it if its outgoing edges follow the gradient. They would join the current network or, `without` a node whose death
  // is proposed, the proposed one. Empty where least squares have no solution. A score, and not a density: all that
  // counts is that a birth and the death that undoes it see the same.
  std::vector<double> promise(std::size_t layer, const std::vector<std::vector<float>>& incoming,
                              std::optional<Node> without = {});

  // Squared errors or log-likelihood of the current state.
  double statistic() const { return statistic_; }

 private:
  // Of a layer without one of its nodes, if one is given.
  std::vector<double> inverse_gram_without(std::size_t layer, std::optional<Node> node);
  Tiles residuals(std::size_t layer, const std::vector<std::vector<float>>& incoming, std::optional<Node> without,
                  const std::vector<double>& inverse) const;
  double ridge() const;
  const std::vector<double>& inverse_gram(std::size_t layer);
  void set_residual(Newcomer& node, const std::vector<double>& coefficients, const Tiles& h_j) const;
  void finish_proposal(const Newcomer& node, const std::vector<double>& v, double sign);
  double log_edges_prior(const Shape& shape, const std::vector<float>& weights, std::size_t without) const;
  template <class Visit>
  void for_each_sensitivity(std::size_t layer, At smaller, Visit visit) const;

  const Model* model_;
  const Batch* batch_ = nullptr;
  State* state_ = nullptr;
  Shape shape_, proposed_shape_;
  std::vector<Tiles> z_, proposed_z_;  // pre-activations of layers 1..L + 1, at [l - 1]
  std::vector<Tiles> h_;               // outputs of hidden layers 1..L, at [l]; rows of padding are 0
  // At [l], of h_1..h_s and 1, with the ridge; nothing: not computed; empty: there is none.
  std::vector<std::optional<std::vector<double>>> inverse_gram_;
  std::vector<float> proposed_weights_;
  Tiles joining_, scratch_;
  std::size_t changed_ = 0, leaving_ = 0;
  bool birth_ = false;
  double edges_ratio_ = 0;
  double statistic_ = 0, proposed_statistic_ = 0;
};

}  // namespace mbnn
