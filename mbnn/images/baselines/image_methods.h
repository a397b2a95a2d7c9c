// Runs an image fit by whatever method its configuration names, into the same kind of fit file.
#pragma once

#include "mbnn/images/image_fit.h"

namespace mbnn {

// As run_image_fit, for every method. Returns false if stopped early; running again continues to the same bits.
bool run_image_method(FitFile& file, ImageSet training, const ImageRunOptions& options);

// Takes `count` images, drawn at random, out of a set; they are returned. What stays is in another order.
ImageSet hold_back(ImageSet& images, std::size_t count, Rng& rng);

}  // namespace mbnn
