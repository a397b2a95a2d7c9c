// How an image chain is run; the defaults are the paper's where it says them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "mbnn/images/loader.h"
#include "mbnn/sample/move_options.h"

namespace mbnn {

struct ImageChainOptions {
  LoaderOptions loader;  // batches, crops, flips; its seed is the run's
  WeightMove::Kind sampler = WeightMove::Kind::sgld;
  bool precondition = false;
  double step_size = 0;  // at the start; 0: default_step_size()
  // cosine: falls to a hundredth through the burn-in and stays there; cyclical: after that rises to a half and falls
  // again for each draw.
  enum class Steps { constant, cosine, cyclical } steps = Steps::cosine;
  double friction = 0.1;   // sghmc
  double temperature = 0;  // 0: 1 / sqrt(training images)
  std::int64_t draws = 5;
  std::int64_t further_draws = 0;  // asked for afterwards: they follow at the same distance, and change nothing before
  // Epochs of the whole run, its last eighth for the draws; 0: (burn_in + draws) * thin.
  std::int64_t total_epochs = 0;
  std::int64_t burn_in = 5;  // in units of `thin` epochs
  std::int64_t thin = 20;    // epochs from draw to draw
  bool masks = true;
  std::int64_t mask_every = 50;  // batches; the paper has 10
  std::size_t mask_moves = 1;    // the paper's
  // Births and deaths that the other channels of a layer make up for, all in one layer at a time; -1: half as many as
  // it has channels at the start, at most 32, and none for mhbt.
  std::int64_t refit_moves = -1;
  BirthDeathOptions birth_death{Rule::uniform, Rule::reciprocal, 3, 32};
  // TunaMH needs a bound on what a move may do to the log-likelihood of an image; batch norm and filters of any size
  // leave none.
  MaskTest mask_test = MaskTest::sequential;
  std::size_t mask_pool = 20;  // batches that the sequential test may look at

  std::int64_t epochs() const { return total_epochs > 0 ? total_epochs : (burn_in + draws) * thin; }
  // Whole times of mask moves, if there is room, so that all draws are as far from the last ones.
  std::int64_t batches_between_draws(std::int64_t per_epoch) const {
    if (total_epochs == 0) return thin * per_epoch;
    const std::int64_t most = std::max<std::int64_t>(1, total_epochs * per_epoch / (8 * draws));
    return masks && most >= mask_every ? most - most % mask_every : most;
  }
  // The paper's 0.001 over its batch of 100, times 50,000 images: of the mean loss, 0.5.
  double default_step_size() const {
    return (precondition ? 1e-3 : 0.5) * (sampler == WeightMove::Kind::sgld ? 1 : 0.1);
  }
  // Throws InputError for what cannot be run on so many images.
  void check(std::size_t images) const;
};

constexpr auto enum_names(ImageChainOptions::Steps) { return std::array{"constant", "cosine", "cyclical"}; }

}  // namespace mbnn
