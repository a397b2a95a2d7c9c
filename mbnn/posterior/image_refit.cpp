// The part of ImageFlips in which the channels of a layer take over from one that leaves.
#include "mbnn/core/cholesky.h"
#include "mbnn/core/error.h"
#include "mbnn/posterior/image_flips.h"

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

ImageFlips::Substitutes ImageFlips::substitutes(At at, std::size_t layer) {
  if (at == At::current) look_at_current();
  const std::size_t width = active(layer, at), order = width + 1;
  auto products = network(at).product_means(layer);
  double mean_square = 0;
  Substitutes result;
  result.width = width;
  for (std::size_t j = 0; j < width; ++j) {
    result.squares.push_back(products[j * order + j]);
    mean_square += products[j * order + j] / static_cast<double>(width);
  }
  for (std::size_t j = 0; j < width; ++j)
    products[j * order + j] += kRidge * products[j * order + j] + 1e-9 * (mean_square + 1e-9);
  const Cholesky factor(std::move(products), order);
  if (!factor.ok())
    throw SamplerError("the activations of a layer are not numbers: start again with a smaller step size");
  const auto inverse = factor.inverse();
  for (std::size_t j = 0; j < width; ++j) {
    const double own = inverse[j * order + j];
    for (std::size_t k = 0; k < width; ++k) result.weights.push_back(k == j ? 0 : -inverse[j * order + k] / own);
    result.constants.push_back(-inverse[j * order + width] / own);
    result.residuals.push_back(1 / own);
  }
  return result;
}

std::vector<double> ImageFlips::losses(At at, std::size_t layer, const Substitutes& substitutes) {
  const ImageArchitecture& architecture = model_->architecture;
  const ImageShape shape(architecture, gates(at));
  const auto all = weights(at);
  std::vector<double> result(substitutes.width, 0.0);
  for_each_reader(architecture, shape, layer, [&](const FilterBlock& block, std::size_t unit, bool projection) {
    const auto gains = unit <= architecture.gates() ? network(at).gains(unit, projection) : std::span<const float>();
    for (std::size_t o = 0; o < block.out; ++o) {
      const double gain = gains.empty() ? 1.0 : static_cast<double>(gains[o]);
      for (std::size_t j = 0; j < block.in; ++j) {
        const float* filter = all.data() + block.offset + (o * block.in + j) * block.taps();
        double squares = 0;
        for (std::size_t t = 0; t < block.taps(); ++t) squares += static_cast<double>(filter[t] * filter[t]);
        result[j] += gain * gain * squares * substitutes.residuals[j];
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
                             const Substitutes& substitutes) const {
  const WeightPrior& prior = model_->weight_prior;
  const double* share = substitutes.weights.data() + node.position * substitutes.width;
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
          for (std::size_t t = 0; t < taps; ++t) row[k * taps + t] += static_cast<float>(sign * share[k] * own[t]);
    }
    change += prior.log_density(filters, prior.scale);
    if (unit <= model_->architecture.gates()) return;  // a norm takes the constant away
    const auto biases = weights.subspan(shape.biases, block.out);
    change -= prior.log_density(biases, prior.scale);
    for (std::size_t o = 0; o < block.out; ++o)
      biases[o] +=
          static_cast<float>(sign * substitutes.constants[node.position] * filters[o * block.in + node.position]);
    change += prior.log_density(biases, prior.scale);
  });
  return change;
}

double ImageFlips::propose_refitted_death(Node leaving, const Substitutes& substitutes) {
  leaving_ = {leaving};
  std::vector<float> handed(state_->weights);
  const double change = hand_over(handed, ImageShape(model_->architecture, state_->gates), leaving, 1, substitutes);
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
  proposed_.forward_unit(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch, joining.layer, current_);
  const Node node{joining.layer, active(joining.layer)};
  const double change = hand_over(proposed_weights_, ImageShape(model_->architecture, proposed_gates_), node, -1,
                                  substitutes(At::proposed, joining.layer));
  look_at_proposed();
  return change;
}

}  // namespace mbnn
