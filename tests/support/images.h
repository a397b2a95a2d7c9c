// Small image sets and their official files, made for tests: bytes in, files out, in a folder that is removed again.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/images/image_set.h"

namespace mbnn {

using Bytes = std::vector<std::uint8_t>;

class ImageFolder {
 public:
  ImageFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mbnn_images_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ImageFolder() { std::filesystem::remove_all(path_); }
  ImageFolder(const ImageFolder&) = delete;

  std::string path() const { return path_.string(); }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void write_gzip(const std::string& name, const Bytes& bytes) const {
    gzFile file = gzopen((path_ / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }
  Bytes read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path path_;
};

// Random pixels; image i has label i modulo the classes.
inline ImageSet random_images(std::size_t count, std::size_t channels, std::size_t height, std::size_t width,
                              std::size_t classes, std::uint64_t seed) {
  ImageSet set{count, channels, height, width, classes, {}, {}};
  Rng rng(seed);
  for (std::size_t i = 0; i < count * set.image_size(); ++i)
    set.pixels.push_back(static_cast<std::uint8_t>(rng.below(256)));
  for (std::size_t i = 0; i < count; ++i) set.labels.push_back(static_cast<std::uint16_t>(i % classes));
  return set;
}

inline void put_word(Bytes& bytes, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

inline Bytes idx_images(const ImageSet& set) {
  Bytes bytes;
  for (std::size_t word : {std::size_t{0x803}, set.count, set.height, set.width})
    put_word(bytes, static_cast<std::uint32_t>(word));
  bytes.insert(bytes.end(), set.pixels.begin(), set.pixels.end());
  return bytes;
}

inline Bytes idx_labels(const ImageSet& set) {
  Bytes bytes;
  put_word(bytes, 0x801);
  put_word(bytes, static_cast<std::uint32_t>(set.count));
  bytes.insert(bytes.end(), set.labels.begin(), set.labels.end());
  return bytes;
}

// Records `first` to `last` - 1; `coarse` puts CIFAR-100's other label before the fine one.
inline Bytes cifar_records(const ImageSet& set, std::size_t first, std::size_t last, bool coarse) {
  Bytes bytes;
  for (std::size_t i = first; i < last; ++i) {
    if (coarse) bytes.push_back(static_cast<std::uint8_t>(set.labels[i] / 5));
    bytes.push_back(static_cast<std::uint8_t>(set.labels[i]));
    bytes.insert(bytes.end(), set.image(i).begin(), set.image(i).end());
  }
  return bytes;
}

// Stripes along rows, along columns, or neither, with noise.
inline ImageSet stripes(std::size_t count, std::uint64_t seed) {
  ImageSet set = random_images(count, 1, 12, 12, 3, seed);
  for (std::size_t i = 0; i < set.pixels.size(); ++i) {
    const std::size_t label = set.labels[i / 144], row = i / 12 % 12, column = i % 12;
    const bool bright = label == 0 ? row % 2 : label == 1 ? column % 2 : false;
    set.pixels[i] = static_cast<std::uint8_t>(set.pixels[i] / 2 + (bright ? 127 : 0));
  }
  return set;
}

// 240 of them to train and 90 to test, as IDX files in a new directory.
inline void write_stripes(const std::filesystem::path& directory, std::uint64_t seed = 1) {
  std::filesystem::create_directory(directory);
  const auto put = [&](const char* name, const Bytes& bytes) {
    std::ofstream(directory / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  const ImageSet train = stripes(240, seed), test = stripes(90, seed + 1);
  put("train-images-idx3-ubyte", idx_images(train));
  put("train-labels-idx1-ubyte", idx_labels(train));
  put("t10k-images-idx3-ubyte", idx_images(test));
  put("t10k-labels-idx1-ubyte", idx_labels(test));
}

}  // namespace mbnn
