#include "mbnn/images/image_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/core/json_values.h"
#include "mbnn/images/batch_process.h"
#include "mbnn/images/channel_chain.h"
#include "mbnn/store/checksum.h"
#include "mbnn/store/content.h"

namespace mbnn {

namespace {

constexpr std::size_t kReferenceImages = 40;

std::int64_t checksum_of(const ImageSet& images) {
  return Checksum("images")
      .add(std::as_bytes(std::span(images.pixels)))
      .add(std::as_bytes(std::span(images.labels)))
      .value();
}

ImageScaling scaling_from(const nlohmann::json& encoding) {
  return {encoding.at("mean").get<std::vector<float>>(), encoding.at("sd").get<std::vector<float>>()};
}

}  // namespace

ImageProblem::ImageProblem(ImageConfiguration configuration, ImageSet training)
    : configuration_(std::move(configuration)) {
  configuration_.check(training);
  const ImageScaling scaling = ImageScaling::learn(training);
  encoding_ = {{"images", training.count}, {"channels", training.channels},    {"height", training.height},
               {"width", training.width},  {"classes", training.classes},      {"mean", scaling.mean},
               {"sd", scaling.sd},         {"checksum", checksum_of(training)}};
  training_ = std::make_shared<const ImageSet>(std::move(training));
}

ImageProblem::ImageProblem(ImageProblem&& other) noexcept
    : configuration_(std::move(other.configuration_)),
      encoding_(std::move(other.encoding_)),
      path_(std::move(other.path_)),
      training_(std::move(other.training_)) {}

ImageProblem ImageProblem::read(ImageConfiguration configuration) {
  ImageSet training = training_images(configuration);
  return ImageProblem(std::move(configuration), std::move(training));
}

// All that is derived from it without the images themselves: the plan of a run, and networks.
void ImageProblem::verify_encoding() const {
  const ImageScaling scaling = scaling_from(encoding_);
  const auto number = [this](const char* key, std::size_t of_old_files) {
    const auto value =
        encoding_.contains(key) ? value_in<std::int64_t>(encoding_[key]) : static_cast<std::int64_t>(of_old_files);
    require_content(value >= 1 && value <= std::int64_t{1} << 32, "its images are of a number or size that cannot be");
    return static_cast<std::size_t>(value);
  };
  const ImageSet sizes{number("images", 0),
                       number("channels", scaling.mean.size()),
                       number("height", 32),
                       number("width", 32),
                       number("classes", 10),
                       {},
                       {}};
  image_model(configuration_, sizes);
  require_content(configuration_.chain.loader.batch <= sizes.count, "a batch has more images than there are");
  require_content(scaling.mean.size() == sizes.channels && scaling.sd.size() == sizes.channels &&
                      all_finite(scaling.mean) && std::ranges::all_of(scaling.sd, positive),
                  "its scaling of pixels does not fit its channels");
  const ImageBaselineOptions& o = configuration_.baseline;
  const double epochs = static_cast<double>(configuration_.chain.epochs()) * 2;
  const double network = epochs * static_cast<double>(sizes.count) + static_cast<double>(o.norm_batches) +
                         static_cast<double>(o.candidates) * static_cast<double>(o.tuning_batches);
  require_content(network * static_cast<double>(draws()) < 9e15, "its plan has more batches than can be counted");
}

ImageProblem ImageProblem::open(const FitFile& file, const std::string& directory) {
  return read_content(file.path(), [&] {
    ImageProblem problem(ImageConfiguration::from_json(file.configuration()));
    if (!directory.empty()) problem.configuration_.data = directory;
    problem.encoding_ = file.encoding();
    problem.path_ = file.path();
    problem.verify_encoding();
    return problem;
  });
}

// Reference images are part of the fit, so that a diagnosis needs no data set.
void ImageProblem::store(FitFile& file) const {
  const ImageSet& all = training();
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
  const std::size_t count = std::min(kReferenceImages, all.count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i * all.count / count;
    const auto image = all.image(place);
    pixels.insert(pixels.end(), image.begin(), image.end());
    labels.push_back(all.labels[place]);
  }
  file.put_blob("reference/pixels", std::as_bytes(std::span(pixels)));
  file.put_blob("reference/labels", std::as_bytes(std::span(labels)));
}

std::vector<std::string> ImageProblem::traces() const { return image_trace_names(); }

std::int64_t ImageProblem::batches_per_epoch() const {
  const auto images = value_in<std::size_t>(encoding_.at("images"));
  return static_cast<std::int64_t>((images - held_back_images(configuration_.method, images)) /
                                   configuration_.chain.loader.batch);
}

std::int64_t ImageProblem::length() const { return batches_in_all(configuration_, batches_per_epoch()); }

// A chain's plan up to its last draw stays as it was: further draws must not move those before.
void ImageProblem::add_draws(std::int64_t further) {
  ImageChainOptions& chain = configuration_.chain;
  (configuration_.method == ImageMethod::mbnn ? chain.further_draws : chain.draws) += further;
  require(draws() <= 1'000'000, "draws", draws(), "must be at most 1000000 in all");
}

void ImageProblem::require_same(const ImageSet& images) const {
  const auto count = value_in<std::size_t>(encoding_.at("images"));
  if (count != images.count)
    throw InputError(
        fmt::format("{} was begun with {} training images, but there are {} now", path_, count, images.count));
  const ImageScaling scaling = scaling_from(encoding_);
  if (scaling.mean.size() != images.channels)
    throw InputError(fmt::format("{} was begun with images of {} channels, but there are {} now", path_,
                                 scaling.mean.size(), images.channels));
  // Fits of older versions have no checksum; their means and deviations tell, up to rounding.
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) <= 1e-4f * std::abs(y); });
  };
  const auto same_scaling = [&] {
    const ImageScaling now = ImageScaling::learn(images);
    return same(now.mean, scaling.mean) && same(now.sd, scaling.sd);
  };
  const bool known = encoding_.contains("checksum");
  if (known ? checksum_of(images) != value_in<std::int64_t>(encoding_["checksum"]) : !same_scaling())
    throw InputError(fmt::format(
        "{} was begun with other training images: their pixels or labels are not those that are there now", path_));
}

std::shared_ptr<const ImageSet> ImageProblem::loaded() const {
  const std::lock_guard guard(mutex_);
  if (!training_) {
    auto images = std::make_shared<const ImageSet>(training_images(configuration_));
    require_same(*images);
    configuration_.check(*images);
    training_ = std::move(images);
  }
  return training_;
}

std::unique_ptr<Process> ImageProblem::process(std::size_t chain, const Resources& resources) const {
  auto setting = std::make_unique<BatchSetting>();
  setting->configuration = configuration_;
  setting->configuration.chain.loader.seed += chain;
  setting->training = loaded();
  setting->model = image_model(configuration_, *setting->training);
  setting->scaling = scaling_from(encoding_);
  setting->threads = resources.threads;
  if (const std::size_t held = held_back_images(configuration_.method, setting->training->count); held > 0) {
    ImageSet stays = *setting->training;
    Rng rng(setting->configuration.chain.loader.seed, 3);
    setting->held_back = std::make_shared<const ImageSet>(hold_back(stays, held, rng));
    setting->training = std::make_shared<const ImageSet>(std::move(stays));
  }
  return std::make_unique<BatchProcess>(std::move(setting));
}

std::vector<CompactNetwork> stored_networks(const FitFile& file) {
  std::vector<CompactNetwork> networks;
  file.for_each_draw([&](StoredDraw draw) {
    networks.push_back(from_bytes(draw.state, fmt::format("draw {} of {}", networks.size() + 1, file.path())));
  });
  return networks;
}

}  // namespace mbnn
