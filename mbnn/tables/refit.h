// Birth and death of one hidden node by Metropolis-Hastings in which the node's neighbours make up for it.
//
// A birth draws the newcomer's incoming edges from the prior, and its outgoing edges v from the normal law that is
// their posterior when the network above is linearised. The prior of v is a mixture of normal laws over precisions ω
// (one for each edge; Cauchy and Student are such mixtures): a birth draws ω from its prior, a death given v, and both
// use the conditional law of v given ω. With q for the proposal the ratio of a birth is
//
//   L(after) p(masks, other edges after) / [L(before) p(masks, other edges before)]
//     * p(v | ω) / q(v | ω) * P(death chooses the node) / P(birth chooses its number),
//
// that of a death its inverse. For the last hidden layer of a regression v integrates out: the ratio is one of marginal
// likelihoods and does not depend on the v that was drawn, up to the change of the other edges.
//
// With several candidates a birth draws the incoming edges of K nodes and chooses one with a probability P(j) in
// proportion to exp(promise). The death that undoes it draws the K - 1 others and scores them, with the node, where it
// has left. The ratio of a birth is then divided by K P(j), that of a death multiplied with it.
#pragma once

#include "mbnn/sample/birth_death.h"
#include "mbnn/tables/refit_density.h"

namespace mbnn {

// Chooses birth or death, a layer, and in it the node to leave, all uniformly.
MoveInfo refit_step(RefitDensity& density, std::size_t candidates, Rng& rng);

}  // namespace mbnn
