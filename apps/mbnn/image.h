// The verbs behind mbnn image, and what they share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/mbnn/verbs.h"
#include "mbnn/images/image_set.h"

namespace mbnn::app {

void add_image_fit(CLI::App& image, Common& common, Action& action);
void add_image_evaluate(CLI::App& image, Common& common, Action& action);
void add_image_predict(CLI::App& image, Common& common, Action& action);
void add_image_export(CLI::App& image, Common& common, Action& action);

// What the verbs that read image fits are given.
struct ImageArguments {
  std::vector<std::string> fits;
  std::string data, out = kStandardOutput;
  ImageSplit split = ImageSplit::test;
  std::optional<std::size_t> draw = {}, limit = {};
  std::size_t latency_images = 100;
};
int evaluate_images(const ImageArguments& arguments, const Common& common);
int predict_images(const ImageArguments& arguments, const Common& common);

}  // namespace mbnn::app
