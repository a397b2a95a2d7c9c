// Files of compact networks, whose checksum is made right first, and predictions of those that are small.
#include <cstring>

#include "mbnn/images/predictor.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

namespace {

constexpr std::size_t kFront = 16, kSum = 8;

std::string with_checksum(std::string file) {
  if (file.size() < kFront + kSum) return file;
  std::uint64_t length = file.size() - kFront - kSum, sum = 0xcbf29ce484222325u;
  for (std::size_t i = kFront; i < kFront + length; ++i)
    sum = (sum ^ static_cast<unsigned char>(file[i])) * 0x100000001b3u;
  std::memcpy(file.data() + 8, &length, 8);
  std::memcpy(file.data() + kFront + length, &sum, 8);
  return file;
}

}  // namespace

void read_bytes(Bytes input) {
  const std::string file = with_checksum(text_of(input));
  const CompactNetwork network = from_bytes(std::as_bytes(std::span(file)), "the input");
  if (text_of(to_bytes(network)) != file) finding("a network that another file is written of");
  const ImageArchitecture& a = network.architecture;
  if (a.channels * a.pixels(0) > 1000 || a.classes > 100 ||
      image_cost(a, network.state.gates).multiply_adds > 1'000'000)
    return;
  ImagePredictor predictor({&network, 1}, 1);
  predictor.probabilities(std::vector<float>(a.channels * a.pixels(0), 0.5f), 1);
}

std::vector<std::string> seeds() {
  std::vector<std::string> files;
  Rng rng(1);
  for (const std::size_t channels : {1u, 3u})
    for (const bool residual : {false, true}) {
      const ImageSize size{channels, 6, 5, 3};
      CompactNetwork network;
      network.architecture = residual ? resnet18(size, 1) : plain_cnn(size, 2);
      network.scaling = {std::vector<float>(channels, 0.5f), std::vector<float>(channels, 0.25f)};
      network.state = initial_state({network.architecture}, rng);
      files.push_back(text_of(to_bytes(network)));
    }
  return files;
}

}  // namespace mbnn::fuzz
