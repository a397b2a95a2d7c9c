// Small image sets and their official files, made for tests: bytes in, files out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mbnn/images/image_set.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {

using Bytes = std::vector<std::uint8_t>;

// A directory of such files.
class ImageFolder {
 public:
  std::string path() const { return directory_.path(); }
  void write(const std::string& name, const Bytes& bytes) const;
  void write_gzip(const std::string& name, const Bytes& bytes) const;
  Bytes read(const std::string& name) const;
  void remove(const std::string& name) const;

 private:
  TemporaryDirectory directory_;
};

// Random pixels; image i has label i modulo the classes.
ImageSet random_images(std::size_t count, std::size_t channels, std::size_t height, std::size_t width,
                       std::size_t classes, std::uint64_t seed);

Bytes idx_images(const ImageSet& set);
Bytes idx_labels(const ImageSet& set);

// Records `first` to `last` - 1; `coarse` puts CIFAR-100's other label before the fine one.
Bytes cifar_records(const ImageSet& set, std::size_t first, std::size_t last, bool coarse);

// Stripes along rows, along columns, or neither, with noise.
ImageSet stripes(std::size_t count, std::uint64_t seed);

// 240 of them to train and 90 to test, as IDX files in a new directory.
void write_stripes(const std::filesystem::path& directory, std::uint64_t seed = 1);

}  // namespace mbnn
