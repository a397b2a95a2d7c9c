// The part of ImageFlips in which the channels of a layer take over from one that leaves.
#include "mbnn/core/cholesky.h"
#include "mbnn/core/error.h"
#include "mbnn/images/channel_flips.h"

namespace mbnn {

namespace {

// Of a channel's mean square, added to it in the regression: a batch says no more than that of what is common to two
// channels.
constexpr double kRidge = 1e-3;

// Calls visit(filters, from the projection) for each block of filters that reads tensor `layer`.
template <class Visit>
void for_each_reader(const ImageArchitecture& architecture, const ImageShape& shape, std::size_t layer, Visit visit) {
  if (layer == architecture.last()) return visit(shape.affine, architecture.gates() + 1, false);
  visit(shape.filters[layer], layer + 1, false);
  for (std::size_t u = layer + 1; u <= architecture.gates(); ++u)
    if (architecture.unit(u).projected && architecture.unit(u).shortcut == layer)
      visit(shape.projections[u - 1], u, true);
}

}  // namespace

std::vector<double> ImageFlips::Substitutes::shares(std::size_t channel) const {
  const std::size_t order = width + 1;
  std::vector<double> result(order);
  for (std::size_t k = 0; k < order; ++k)
    if (k != channel) result[k] = -inverse[channel * order + k] / inverse[channel * order + channel];
  return result;
}

std::vector<double> ImageFlips::Substitutes::shares_of_newcomer(std::span<const double> products) const {
  const std::size_t order = width + 1;
  std::vector<double> result(order + 1);  // its own place is behind the others
  for (std::size_t k = 0; k < order; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < order; ++j) sum += inverse[k * order + j] * products[j < width ? j : width + 1];
    result[k < width ? k : width + 1] = sum;
  }
  return result;
}

double ImageFlips::Substitutes::residual(std::size_t channel) const {
  return 1 / inverse[channel * (width + 1) + channel];
}

const ImageFlips::Substitutes& ImageFlips::substitutes(At at, std::size_t layer) {
  Substitutes& result = at == At::current ? of_current_ : of_proposed_;
  if (at == At::current && result.layer == layer) return result;
  if (at == At::current) look_at_current();
  const std::size_t width = active(layer, at), order = width + 1;
  auto products = network(at).product_means(layer);
  result.width = width;
  result.squares.resize(width);
  for (std::size_t j = 0; j < width; ++j) {
    double& own = products[j * order + j];
    result.squares[j] = own;
    own += kRidge * own + 1e-9;  // positive for a channel that is never on
  }
  const Cholesky factor(std::move(products), order);
  if (!factor.ok())
    throw SamplerError("the activations of a layer are not numbers: start again with a smaller step size");
  result.inverse = factor.inverse();
  result.layer = layer;
  return result;
}

std::vector<double> ImageFlips::losses(At at, std::size_t layer, const Substitutes& substitutes) {
  const ImageArchitecture& architecture = model_->architecture;
  const ImageShape shape(architecture, gates(at));
  const auto all = weights(at);
  std::vector<double> result(substitutes.width, 0.0), residuals(substitutes.width);
  for (std::size_t j = 0; j < residuals.size(); ++j) residuals[j] = substitutes.residual(j);
  for_each_reader(architecture, shape, layer, [&](const FilterBlock& block, std::size_t unit, bool projection) {
    const auto gains = unit <= architecture.gates() ? network(at).gains(unit, projection) : std::span<const float>();
    for (std::size_t o = 0; o < block.out; ++o) {
      const double gain = gains.empty() ? 1.0 : static_cast<double>(gains[o]);
      for (std::size_t j = 0; j < block.in; ++j) {
        const float* filter = all.data() + block.offset + (o * block.in + j) * block.taps();
        double squares = 0;
        for (std::size_t t = 0; t < block.taps(); ++t) squares += static_cast<double>(filter[t] * filter[t]);
        result[j] += gain * gain * squares * residuals[j];
      }
    }
  });
  for (std::size_t u = layer + 1; u <= architecture.gates(); ++u) {
    if (architecture.unit(u).shortcut != layer || architecture.unit(u).projected) continue;
    for (const ChannelPair& pair : shared_channels(gates(at).active[u - 1], gates(at).active[layer - 1]))
      result[pair.in] += substitutes.squares[pair.in];
  }
  return result;
}

// In the layout of the larger network: what `node` sends to a reader goes to the others in its layer, by their shares.
double ImageFlips::hand_over(std::span<float> weights, const ImageShape& shape, Node node, double sign,
                             std::span<const double> shares) const {
  const WeightPrior& prior = model_->weight_prior;
  double change = 0;
  for_each_reader(model_->architecture, shape, node.layer, [&](const FilterBlock& block, std::size_t unit, bool) {
    const auto filters = weights.subspan(block.offset, block.size());
    change -= prior.log_density(filters, prior.scale);
    const std::size_t taps = block.taps();
    for (std::size_t o = 0; o < block.out; ++o) {
      float* row = filters.data() + o * block.in * taps;
      const float* own = row + node.position * taps;
      for (std::size_t k = 0; k < block.in; ++k)
        if (k != node.position)
          for (std::size_t t = 0; t < taps; ++t) row[k * taps + t] += static_cast<float>(sign * shares[k] * own[t]);
    }
    change += prior.log_density(filters, prior.scale);
    if (unit <= model_->architecture.gates()) return;  // a norm takes the constant away
    const auto biases = weights.subspan(shape.biases, block.out);
    change -= prior.log_density(biases, prior.scale);
    for (std::size_t o = 0; o < block.out; ++o)
      biases[o] += static_cast<float>(sign * shares.back() * filters[o * block.in + node.position]);
    change += prior.log_density(biases, prior.scale);
  });
  return change;
}

double ImageFlips::propose_refitted_death(Node leaving, const Substitutes& substitutes) {
  leaving_ = {leaving};
  std::vector<float> handed(state_->weights);
  const double change = hand_over(handed, ImageShape(model_->architecture, state_->gates), leaving, 1,
                                  substitutes.shares(leaving.position));
  proposed_gates_ = without_channels(state_->gates, leaving_);
  proposed_weights_ = rearrange(model_->architecture, state_->gates, handed, proposed_gates_,
                                [](const ImageEdge&, std::span<float>) {});
  look_at_proposed();
  return change;
}

double ImageFlips::propose_refitted_birth(const Candidate& joining, Rng& rng) {
  look_at_current();
  place({&joining, 1}, rng);
  proposed_.set({&proposed_gates_, proposed_weights_, &state_->norm});
  proposed_.forward_unit(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch, joining.layer, *current_);
  const Node node{joining.layer, active(joining.layer)};
  const auto products = proposed_.product_means(joining.layer, node.position);
  const double change = hand_over(proposed_weights_, ImageShape(model_->architecture, proposed_gates_), node, -1,
                                  substitutes(At::current, joining.layer).shares_of_newcomer(products));
  look_at_proposed();
  return change;
}

}  // namespace mbnn
