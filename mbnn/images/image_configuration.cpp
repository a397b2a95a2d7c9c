#include "mbnn/images/image_configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/core/names_json.h"
#include "mbnn/store/checksum.h"

namespace mbnn {

nlohmann::json ImageConfiguration::to_json() const {
  const ImageChainOptions& c = chain;
  nlohmann::json json{{"kind", "image"},
                      {"method", method},
                      {"baseline", method == ImageMethod::mbnn ? nlohmann::json(nullptr) : baseline.to_json()},
                      {"data", data},
                      {"network", network},
                      {"base_width", base_width},
                      {"headroom", headroom},
                      {"lambda", lambda},
                      {"prior_scale", prior_scale},
                      {"training_images", training_images},
                      {"seed", c.loader.seed},
                      {"batch", c.loader.batch},
                      {"crop_padding", c.loader.crop_padding},
                      {"flip", c.loader.flip},
                      {"sampler", c.sampler},
                      {"precondition", c.precondition},
                      {"step_size", c.step_size},
                      {"steps", c.steps},
                      {"friction", c.friction},
                      {"temperature", c.temperature},
                      {"draws", c.draws},
                      {"epochs", c.total_epochs},
                      {"burn_in", c.burn_in},
                      {"thin", c.thin},
                      {"masks", c.masks},
                      {"mask_every", c.mask_every},
                      {"mask_moves", c.mask_moves},
                      {"refit_moves", c.refit_moves},
                      {"mask_test", c.mask_test},
                      {"mask_pool", c.mask_pool},
                      {"birth", c.birth_death.birth},
                      {"death", c.birth_death.death},
                      {"max_flips", c.birth_death.max_flips},
                      {"candidates", c.birth_death.candidates}};
  // Not written where fits of earlier versions lack them.
  if (chains != 1) json["chains"] = chains;
  if (c.further_draws > 0) json["further_draws"] = c.further_draws;
  return json;
}

ImageConfiguration ImageConfiguration::from_json(const nlohmann::json& json) {
  try {
    ImageConfiguration result;
    ImageChainOptions& c = result.chain;
    result.method = json.at("method");
    if (result.method != ImageMethod::mbnn) result.baseline = ImageBaselineOptions::from_json(json.at("baseline"));
    json.at("data").get_to(result.data);
    json.at("network").get_to(result.network);
    json.at("base_width").get_to(result.base_width);
    json.at("headroom").get_to(result.headroom);
    json.at("lambda").get_to(result.lambda);
    json.at("prior_scale").get_to(result.prior_scale);
    json.at("training_images").get_to(result.training_images);
    json.at("seed").get_to(c.loader.seed);
    json.at("batch").get_to(c.loader.batch);
    json.at("crop_padding").get_to(c.loader.crop_padding);
    json.at("flip").get_to(c.loader.flip);
    json.at("sampler").get_to(c.sampler);
    json.at("precondition").get_to(c.precondition);
    json.at("step_size").get_to(c.step_size);
    json.at("steps").get_to(c.steps);
    json.at("friction").get_to(c.friction);
    json.at("temperature").get_to(c.temperature);
    json.at("draws").get_to(c.draws);
    // Fits of older versions have it, if at all, among the options of other methods.
    c.total_epochs = json.value("epochs", json.at("baseline").is_null() ? 0 : json["baseline"].value("epochs", 0));
    json.at("burn_in").get_to(c.burn_in);
    json.at("thin").get_to(c.thin);
    json.at("masks").get_to(c.masks);
    json.at("mask_every").get_to(c.mask_every);
    json.at("mask_moves").get_to(c.mask_moves);
    json.at("refit_moves").get_to(c.refit_moves);
    json.at("mask_test").get_to(c.mask_test);
    json.at("mask_pool").get_to(c.mask_pool);
    json.at("birth").get_to(c.birth_death.birth);
    json.at("death").get_to(c.birth_death.death);
    json.at("max_flips").get_to(c.birth_death.max_flips);
    json.at("candidates").get_to(c.birth_death.candidates);
    result.chains = json.value("chains", result.chains);
    c.further_draws = json.value("further_draws", c.further_draws);
    return result;
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("the configuration of the image fit cannot be read, perhaps one by an older version: {}",
                            e.what()));
  }
}

ImageModel image_model(const ImageConfiguration& c, const ImageSet& training) {
  const ImageSize size{training.channels, training.height, training.width, training.classes};
  ImageModel model;
  if (c.network == "resnet18")
    model.architecture = resnet18(size, c.base_width > 0 ? c.base_width : 64, c.headroom);
  else if (c.network == "cnn")
    model.architecture = plain_cnn(size, c.base_width > 0 ? c.base_width : 32, c.headroom);
  else
    throw InputError(fmt::format("network '{}': expected resnet18 or cnn", c.network));
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
  require(wanted <= images.count, "--images", wanted, fmt::format("there are {}", images.count));
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
  require(base_width <= kMostBaseWidth, "--base-width", base_width,
          fmt::format("must be from 1 to {}, or 0 for the network's own", kMostBaseWidth));
  require(headroom >= 1 && headroom <= kMostHeadroom, "--headroom", headroom,
          fmt::format("must be from 1 to {}", kMostHeadroom));
  const ImageModel model = image_model(*this, training);
  require(positive(lambda) && std::isfinite(model.width_prior.penalty(lambda)), "--lambda", lambda,
          "must be positive, and finite to the fifth power");
  require(positive(prior_scale), "--prior-scale", prior_scale, "must be positive and finite");
  require(chains >= 1 && chains <= 1000, "chains", chains, "must be from 1 to 1000");
  chain.check(training.count - held_back_images(method, training.count));
  const double checkpoint = most_checkpoint_bytes(*this, model.architecture);
  require(checkpoint < 0.95e9, "--base-width", base_width,
          fmt::format("makes checkpoints of up to {:.2f} GB, and a fit file has room for 0.95", checkpoint / 1e9));
  if (method != ImageMethod::mbnn) return baseline.check(method, model.architecture, chain.epochs());
  const std::int64_t batches = chain.epochs() * static_cast<std::int64_t>(training.count / chain.loader.batch);
  require(chain.draws <= std::max<std::int64_t>(1, batches / 2), "--draws", chain.draws,
          fmt::format("must be at most half of the {} batches of the run", batches));
}

}  // namespace mbnn
