#include "mbnn/images/image_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/options.h"

namespace mbnn {

// Of the publication: few moves by mini-batches, and the search of ns-ens as its authors run it.
ImageConfiguration ImageConfiguration::paper() {
  ImageConfiguration c;
  c.preset = Preset::paper;
  c.chain.mask_every = 10;
  c.chain.refit_moves = 0;
  c.chain.mask_test = MaskTest::plain;
  c.baseline.population = 64;
  c.baseline.tournament = 16;
  c.baseline.candidates = 400;
  c.baseline.tuning_batches = 200;
  return c;
}

void ImageConfiguration::set_augmentation(bool on) {
  augment = on ? Augment::on : Augment::off;
  chain.loader.crop_padding = on ? 4 : 0;
  chain.loader.flip = on;
}

void ImageConfiguration::settle(const ImageSet& training) {
  if (augment == Augment::automatic) set_augmentation(training.channels == 3);
}

ImageModel image_model(const ImageConfiguration& c, const ImageSet& training) {
  const ImageSize size{training.channels, training.height, training.width, training.classes};
  ImageModel model;
  if (c.network == NetworkKind::resnet18)
    model.architecture = resnet18(size, c.base_width > 0 ? c.base_width : 64, c.headroom);
  else
    model.architecture = plain_cnn(size, c.base_width > 0 ? c.base_width : 32, c.headroom);
  model.weight_prior.scale = c.prior_scale;
  model.width_prior.lambda = c.lambda;
  model.width_prior.rows = training.count;
  return model;
}

ImageSet training_images(const ImageConfiguration& configuration) {
  return first_images(read_images(configuration.data, ImageSplit::train), configuration.training_images);
}

ImageSet first_images(ImageSet images, std::size_t wanted) {
  if (wanted == 0) return images;
  require_option(wanted <= images.count, "images", wanted, fmt::format("there are {}", images.count));
  images.count = wanted;
  images.pixels.resize(wanted * images.image_size());
  images.labels.resize(wanted);
  return images;
}

namespace {

// SQLite ends at 10^9 bytes a value, and a checkpoint is one: the network, and what the method keeps of each weight.
double most_checkpoint_bytes(const ImageConfiguration& c, const ImageArchitecture& a) {
  const auto floats = [&] {
    switch (c.method) {
      case ImageMethod::mbnn:
        return 1 + c.chain.precondition + (c.chain.sampler == WeightMove::Kind::sghmc);
      case ImageMethod::ensemble:
        return 3;
      case ImageMethod::ns_ens:
      case ImageMethod::ns_mc:
        return 4;
      case ImageMethod::ns_vi:
        break;
    }
    return 7;
  };
  const Gates most = c.method == ImageMethod::mbnn ? a.full_gates() : a.initial_gates();
  return 4.0 * floats() * static_cast<double>(image_cost(a, most).parameters);
}

}  // namespace

void ImageConfiguration::check(const ImageSet& training) const {
  ImageConfiguration copy = *this;
  options_of(copy).check();
  const ImageModel model = image_model(*this, training);
  require_option(std::isfinite(model.width_prior.penalty(lambda)), "lambda", lambda,
                 "must be finite to the fifth power");
  chain.check(training.count - held_back_images(method, training.count));
  const double checkpoint = most_checkpoint_bytes(*this, model.architecture);
  require_option(
      checkpoint < 0.95e9, "base-width", base_width,
      fmt::format("makes checkpoints of up to {:.2f} GB, and a fit file has room for 0.95", checkpoint / 1e9));
  if (method != ImageMethod::mbnn) return baseline.check(method, model.architecture, chain.epochs());
  const std::int64_t batches = chain.epochs() * static_cast<std::int64_t>(training.count / chain.loader.batch);
  require_option(chain.draws <= std::max<std::int64_t>(1, batches / 2), "draws", chain.draws,
                 fmt::format("must be at most half of the {} batches of the run", batches));
}

}  // namespace mbnn
