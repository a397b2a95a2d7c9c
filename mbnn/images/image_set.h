// Labelled images as their official files hold them, bytes in memory: IDX (MNIST and its kin), CIFAR-10, CIFAR-100.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mbnn {

struct ImageSet {
  std::size_t count = 0, channels = 0, height = 0, width = 0, classes = 0;
  std::vector<std::uint8_t> pixels;   // [image][channel][row][column]
  std::vector<std::uint16_t> labels;  // below `classes`; empty if there are none

  std::size_t image_size() const { return channels * height * width; }
  std::span<const std::uint8_t> image(std::size_t i) const { return {pixels.data() + i * image_size(), image_size()}; }
};

enum class ImageSplit { train, test };
constexpr auto enum_names(ImageSplit) { return std::array{"train", "test"}; }

// Reads one half of the data set whose official files lie in the directory, and tells by their names which it is:
//   IDX         {train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte, each plain or with .gz; 10 classes
//   CIFAR-10    data_batch_1.bin to data_batch_5.bin, test_batch.bin
//   CIFAR-100   train.bin, test.bin; the fine labels
// A file may hold any number of images. What is missing, cut, too long or out of range is an InputError that names the
// file and the byte or record. The file of labels that IDX has may be absent where they are optional.
enum class Labels { required, optional };
ImageSet read_images(const std::string& directory, ImageSplit split, Labels wanted = Labels::required);

// What the training images teach: pixels are mapped to (value / 255 - mean) / sd, for each channel.
struct ImageScaling {
  std::vector<float> mean, sd;

  static ImageScaling learn(const ImageSet& training);
  // The image of each of the 256 values, channel after channel: scaling is a look-up.
  std::vector<float> table() const;
};

}  // namespace mbnn
