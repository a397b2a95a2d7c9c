#include "tests/support/images.h"

#include <fstream>
#include <iterator>

#include "mbnn/core/rng.h"

namespace mbnn {

namespace {

void put_word(Bytes& bytes, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

void write_file(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

void ImageFolder::write(const std::string& name, const Bytes& bytes) const { write_file(directory_ / name, bytes); }

void ImageFolder::write_gzip(const std::string& name, const Bytes& bytes) const {
  mbnn::write_gzip(directory_ / name, {bytes.begin(), bytes.end()});
}

Bytes ImageFolder::read(const std::string& name) const {
  std::ifstream file(directory_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ImageFolder::remove(const std::string& name) const { std::filesystem::remove(directory_ / name); }

ImageSet random_images(std::size_t count, std::size_t channels, std::size_t height, std::size_t width,
                       std::size_t classes, std::uint64_t seed) {
  ImageSet set{count, channels, height, width, classes, {}, {}};
  Rng rng(seed);
  for (std::size_t i = 0; i < count * set.image_size(); ++i)
    set.pixels.push_back(static_cast<std::uint8_t>(rng.below(256)));
  for (std::size_t i = 0; i < count; ++i) set.labels.push_back(static_cast<std::uint16_t>(i % classes));
  return set;
}

Bytes idx_images(const ImageSet& set) {
  Bytes bytes;
  for (std::size_t word : {std::size_t{0x803}, set.count, set.height, set.width})
    put_word(bytes, static_cast<std::uint32_t>(word));
  bytes.insert(bytes.end(), set.pixels.begin(), set.pixels.end());
  return bytes;
}

Bytes idx_labels(const ImageSet& set) {
  Bytes bytes;
  put_word(bytes, 0x801);
  put_word(bytes, static_cast<std::uint32_t>(set.count));
  bytes.insert(bytes.end(), set.labels.begin(), set.labels.end());
  return bytes;
}

Bytes cifar_records(const ImageSet& set, std::size_t first, std::size_t last, bool coarse) {
  Bytes bytes;
  for (std::size_t i = first; i < last; ++i) {
    if (coarse) bytes.push_back(static_cast<std::uint8_t>(set.labels[i] / 5));
    bytes.push_back(static_cast<std::uint8_t>(set.labels[i]));
    bytes.insert(bytes.end(), set.image(i).begin(), set.image(i).end());
  }
  return bytes;
}

ImageSet stripes(std::size_t count, std::uint64_t seed) {
  ImageSet set = random_images(count, 1, 12, 12, 3, seed);
  for (std::size_t i = 0; i < set.pixels.size(); ++i) {
    const std::size_t label = set.labels[i / 144], row = i / 12 % 12, column = i % 12;
    const bool bright = label == 0 ? row % 2 : label == 1 ? column % 2 : false;
    set.pixels[i] = static_cast<std::uint8_t>(set.pixels[i] / 2 + (bright ? 127 : 0));
  }
  return set;
}

void write_stripes(const std::filesystem::path& directory, std::uint64_t seed) {
  std::filesystem::create_directory(directory);
  const ImageSet train = stripes(240, seed), test = stripes(90, seed + 1);
  write_file(directory / "train-images-idx3-ubyte", idx_images(train));
  write_file(directory / "train-labels-idx1-ubyte", idx_labels(train));
  write_file(directory / "t10k-images-idx3-ubyte", idx_images(test));
  write_file(directory / "t10k-labels-idx1-ubyte", idx_labels(test));
}

}  // namespace mbnn
