// Files of images: IDX, plain and compressed, CIFAR-10 and CIFAR-100, and the batches that are made of them.
#include <filesystem>

#include "mbnn/images/loader.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

// The first byte chooses the data set; two further ones say where the second of two files begins.
void read_bytes(Bytes input) {
  if (input.size() < 3) return;
  const std::string directory = scratch_directory() + "/images";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  const unsigned kind = input[0] % 4;
  const std::size_t cut = std::min<std::size_t>(input[1] + 256u * input[2], input.size() - 3);
  const Bytes first = input.subspan(3, cut), second = input.subspan(3 + cut);
  const char* ending = kind == 1 ? ".gz" : "";
  if (kind < 2) {
    write_file(directory + "/train-images-idx3-ubyte" + ending, first);
    write_file(directory + "/train-labels-idx1-ubyte" + ending, second);
  } else if (kind == 2) {
    for (int i = 1; i <= 5; ++i)
      write_file(directory + "/data_batch_" + std::to_string(i) + ".bin", i % 2 ? first : second);
  } else {
    write_file(directory + "/train.bin", first);
  }
  const ImageSet set = read_images(directory, ImageSplit::train, input[0] & 64 ? Labels::optional : Labels::required);
  if (set.pixels.size() != set.count * set.image_size()) finding("images of another size than they say");
  const ImageScaling scaling = ImageScaling::learn(set);
  if (scaling.table().size() != 256 * set.channels) finding("a scaling of another size");
  if (set.count > 4 || set.image_size() > 10'000 || set.labels.empty()) return;
  ImageLoader loader(set, scaling, {.batch = 1, .crop_padding = 2, .flip = true});
  for (int i = 0; i < 3; ++i) loader.next();
}

std::vector<std::string> seeds() {
  const auto word = [](unsigned value) { return std::string{0, 0, 0, static_cast<char>(value)}; };
  const std::string images = std::string("\0\0\x08\x03", 4) + word(2) + word(3) + word(2) + std::string(12, '\x7f');
  const std::string labels = std::string("\0\0\x08\x01", 4) + word(2) + std::string("\x01\x09", 2);
  const auto lead = [](char kind, std::size_t cut) {
    return std::string{kind, static_cast<char>(cut & 255), static_cast<char>(cut >> 8)};
  };
  std::string ten(3073, '\x20'), hundred(3074, '\x20');
  ten[0] = '\x03';
  return {lead(0, images.size()) + images + labels, lead(1, images.size()) + images + labels,
          lead(2, ten.size()) + ten + ten, lead(3, hundred.size()) + hundred, lead(64, images.size()) + images};
}

}  // namespace mbnn::fuzz
