// Birth and death of one channel by Metropolis-Hastings in which the other channels of its layer make up for it.
//
// A dying channel is regressed on the others of its layer over the pixels of the batch, and what reads it reads them
// instead, in these proportions: a shear of the weights above, without change of volume. A birth draws all edges of the
// newcomer from the prior and takes from the others what they would be given at its death. With the dying channel of a
// layer chosen in proportion to a power of the estimated loss, the ratio of a death is
//
//   L(after) p(masks, other weights after) / [L(before) p(masks, other weights before)]
//     * P(birth chooses its number) / P(death chooses the channel),
//
// that of a birth its inverse. Regressions and losses are those of the larger network in both.
#pragma once

#include "mbnn/images/channel_flips.h"
#include "mbnn/sample/birth_death.h"

namespace mbnn {

static_assert(RowDensity<ImageFlips> && PooledDensity<ImageFlips>);

// In a layer that is chosen without regard to the state.
MoveInfo refit_step(ImageFlips& density, std::size_t layer, const BatchTest& test, Rng& rng);

}  // namespace mbnn
