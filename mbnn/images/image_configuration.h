// Every choice of an image fit in one value, and the model that they make.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mbnn/images/image_set.h"
#include "mbnn/images/method.h"
#include "mbnn/images/model.h"
#include "mbnn/images/options.h"

namespace mbnn {

struct ImageConfiguration {
  std::string data;             // the directory of the training images
  std::string network = "cnn";  // or resnet18
  std::size_t base_width = 0;   // 0: 64 for resnet18, 32 for cnn
  double headroom = kHeadroom;
  double lambda = 0.05;
  double prior_scale = 0.1;
  std::size_t training_images = 0;  // the first so many; 0: all
  ImageChainOptions chain;          // its draws, batches and seed are those of every method
  std::size_t chains = 1;           // chain i is the fit that the seed + i makes alone
  ImageMethod method = ImageMethod::mbnn;
  ImageBaselineOptions baseline;  // of the other methods

  // Throws InputError for what cannot be run on these images.
  void check(const ImageSet& training) const;
  nlohmann::json to_json() const;
  static ImageConfiguration from_json(const nlohmann::json& json);
};

// The model for these images. Throws InputError for a network that cannot be.
ImageModel image_model(const ImageConfiguration& configuration, const ImageSet& training);

// The training images that the configuration asks for: the first so many; 0: all.
ImageSet training_images(const ImageConfiguration& configuration);
ImageSet first_images(ImageSet images, std::size_t wanted);

}  // namespace mbnn
