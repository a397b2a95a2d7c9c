// How an image chain is run; the defaults are the paper's where it says them.
#pragma once

#include <cstdint>

#include "mbnn/data/image_loader.h"
#include "mbnn/image/weight_moves.h"
#include "mbnn/sample/birth_death.h"
#include "mbnn/sample/stochastic.h"

namespace mbnn {

struct ImageChainOptions {
  LoaderOptions loader;  // batches, crops, flips; its seed is the run's
  WeightMove::Kind sampler = WeightMove::Kind::sgld;
  bool precondition = true;
  StepSchedule schedule{StepSchedule::Kind::cosine, 1e-3, 0.55};
  double friction = 0.1;       // sghmc
  double temperature = 0;      // 0: 1 / sqrt(training images)
  std::int64_t burn_in = 5;    // in units of `thin` epochs
  std::int64_t draws = 5;
  std::int64_t thin = 20;      // epochs from draw to draw
  bool masks = true;
  std::int64_t mask_every = 10;  // batches
  std::size_t mask_moves = 1;
  std::size_t refit_moves = 0;  // births and deaths that the other channels make up for
  BirthDeathOptions birth_death{Rule::uniform, Rule::reciprocal, 3, 32};
  // TunaMH needs a bound on what a move may do to the log-likelihood of an image; batch norm and filters of any size
  // leave none.
  MaskTest mask_test = MaskTest::plain;

  std::int64_t epochs() const { return (burn_in + draws) * thin; }
  // Throws InputError for what cannot be run on so many images.
  void check(std::size_t images) const;
};

}  // namespace mbnn
