// Every choice of an image fit in one value, and the model that they make.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mbnn/images/image_chain_options.h"
#include "mbnn/images/image_set.h"
#include "mbnn/images/method.h"
#include "mbnn/images/model.h"
#include "mbnn/sample/preset.h"

namespace mbnn {

enum class NetworkKind { cnn, resnet18 };
constexpr auto enum_names(NetworkKind) { return std::array{"cnn", "resnet18"}; }

// Crops and flips of training images; automatic: for colour images.
enum class Augment { automatic, off, on };
constexpr auto enum_names(Augment) { return std::array{"auto", "off", "on"}; }

struct ImageConfiguration {
  Preset preset = Preset::ours;  // where the rest comes from; not stored
  std::string data;              // the directory of the training images
  NetworkKind network = NetworkKind::cnn;
  std::size_t base_width = 0;  // 0: 64 for resnet18, 32 for cnn
  double headroom = kHeadroom;
  double lambda = 0.05;
  double prior_scale = 0.1;         // of the Cauchy prior
  std::size_t training_images = 0;  // the first so many; 0: all
  Augment augment = Augment::automatic;
  ImageChainOptions chain;  // its draws, batches and seed are those of every method
  std::size_t chains = 1;   // chain i is the fit that the seed + i makes alone
  ImageMethod method = ImageMethod::mbnn;
  ImageBaselineOptions baseline;  // of the other methods

  static ImageConfiguration paper();  // the paper's moves
  void set_augmentation(bool on);
  void settle(const ImageSet& training);  // decides what is automatic
  // Throws InputError for what cannot be run on these images.
  void check(const ImageSet& training) const;
  nlohmann::json to_json() const;
  static ImageConfiguration from_json(const nlohmann::json& json);
};

// Its options, declared in mbnn/images/image_options.cpp (see mbnn/core/options.h).
class OptionList;
OptionList options_of(ImageConfiguration& configuration);

// The model for these images. Throws InputError for a network that cannot be.
ImageModel image_model(const ImageConfiguration& configuration, const ImageSet& training);

// The training images that the configuration asks for: the first so many; 0: all.
ImageSet training_images(const ImageConfiguration& configuration);
ImageSet first_images(ImageSet images, std::size_t wanted);

}  // namespace mbnn
