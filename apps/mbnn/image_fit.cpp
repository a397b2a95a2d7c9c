// mbnn image fit: images in, a posterior over compact convolutional networks out.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>

#include "apps/mbnn/image.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/images/image_problem.h"

namespace mbnn::app {

namespace {

std::string length_of(const ImageConfiguration& c) {
  const std::int64_t epochs = c.chain.epochs();
  switch (c.method) {
    case ImageMethod::ensemble:
    case ImageMethod::ns_ens:
      return fmt::format("{} networks, {} epochs each", c.chain.draws, epochs);
    case ImageMethod::ns_vi:
      return fmt::format("{} epochs, and as many to compress", epochs);
    case ImageMethod::mbnn:
    case ImageMethod::ns_mc:
      break;
  }
  return fmt::format("{} epochs", epochs);
}

int fit_images(const FitArguments& a, const Common& common) {
  ImageConfiguration c = configured<ImageConfiguration>(a.given);
  c.data = std::filesystem::absolute(c.data).lexically_normal().string();
  ImageSet training = training_images(c);
  c.settle(training);
  ImageProblem problem(c, std::move(training));
  check_out(a.out, c.data, a.force);
  const ImageSet& images = problem.training();
  const ImageModel model = image_model(c, images);
  const ImageCost cost = image_cost(model.architecture, model.architecture.initial_gates());
  const std::string opening = fmt::format(
      "{} images of {} x {} x {}, {} classes; {} gates, {} parameters, {:.1f} million multiply-adds; {}", images.count,
      images.channels, images.height, images.width, images.classes, model.architecture.gates(), cost.parameters,
      static_cast<double>(cost.multiply_adds) / 1e6, length_of(c));
  return begin_session(problem, a, opening, common);
}

}  // namespace

void add_image_fit(CLI::App& image, Common& common, Action& action) {
  ImageConfiguration defaults;
  add_fit_verb(image, "sample masks and weights of a convolutional network, or train another method's",
               options_of(defaults), common, action, fit_images)
      .footer("Example:\n  mbnn image fit --data data/fashion-mnist --network cnn --epochs 10 --out fashion.mbnn");
}

}  // namespace mbnn::app
