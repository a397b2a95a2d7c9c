// Compact network files and their predictor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "mbnn/core/error.h"
#include "mbnn/images/predictor.h"
#include "tests/support/conv_networks.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

CompactNetwork small_network(const ImageArchitecture& architecture, Rng& rng) {
  CompactNetwork network{architecture, {}, {}};
  network.scaling.mean.assign(architecture.channels, 0.5f);
  network.scaling.sd.assign(architecture.channels, 0.25f);
  network.state.gates = random_gates(architecture, 0.5, rng);
  network.state.weights = random_weights(architecture, network.state.gates, rng);
  // Running statistics do not fit random weights: small ones keep the logits small.
  for (float& w : network.state.weights) w *= 0.2f;
  network.state.norm = random_norm(architecture, rng);
  return network;
}

// To 1e-5, against the whole network multiplied by its masks in double.
TEST(NetworkFile, PredictsWhatTheMaskedNetworkDoes) {
  Rng rng(21);
  const TemporaryDirectory directory;
  const std::string path = directory / "networks";
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 5), plain_cnn({1, 9, 7, 3}, 5)}) {
    const std::vector<CompactNetwork> networks{small_network(architecture, rng), small_network(architecture, rng)};
    const SmallImages images(architecture, 5, rng);
    std::ofstream out(path, std::ios::binary);
    for (const auto& network : networks) {
      const auto bytes = to_bytes(network);
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    out.close();
    const auto loaded = read_network_file(path);
    ASSERT_EQ(loaded.size(), 2u);
    const auto found = ImagePredictor(loaded, 1).probabilities(images.pixels, images.count);

    std::vector<double> expected(found.size(), 0.0);
    const std::vector<double> pixels(images.pixels.begin(), images.pixels.end());
    const Gates full = architecture.full_gates();
    for (const CompactNetwork& network : networks) {
      const auto whole = rearrange(architecture, network.state.gates, network.state.weights, full,
                                   [&](const ImageEdge&, std::span<float> values) { std::ranges::fill(values, 1.0f); });
      auto mask = open_gates(full);
      for (std::size_t u = 0; u < mask.size(); ++u) {
        std::ranges::fill(mask[u], 0.0);
        for (std::uint32_t c : network.state.gates.active[u]) mask[u][c] = 1;
      }
      const std::vector<double> wide(whole.begin(), whole.end());
      const auto logits = reference::image_logits<double>(architecture, full, wide, in_double(network.state.norm), mask,
                                                          pixels, images.count, true);
      for (std::size_t i = 0; i < images.count; ++i) {
        double total = 0;
        for (std::size_t k = 0; k < architecture.classes; ++k) total += std::exp(logits[i * architecture.classes + k]);
        for (std::size_t k = 0; k < architecture.classes; ++k)
          expected[i * architecture.classes + k] += std::exp(logits[i * architecture.classes + k]) / total / 2;
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
  }
}

// Every byte that is changed, and every end that is cut, is seen.
TEST(NetworkFile, DamageIsSeen) {
  Rng rng(22);
  const auto bytes = to_bytes(small_network(plain_cnn({1, 8, 8, 3}, 1), rng));
  EXPECT_NO_THROW(from_bytes(bytes, "here"));
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto changed = bytes;
    changed[i] ^= std::byte{0x10};
    EXPECT_THROW(from_bytes(changed, "here"), Error) << i;
    EXPECT_THROW(from_bytes(std::span(bytes).first(i), "here"), Error) << i;
  }
  const TemporaryDirectory directory;
  const std::string path = directory / "networks";
  std::ofstream(path) << "class,p_0\n";
  EXPECT_THROW(read_network_file(path), InputError);
  EXPECT_THROW(read_network_file(path + ".not"), InputError);
}

// Files that are whole by their checksum and yet impossible, as somebody would write them who means harm. Words of the
// content: channels, height, width, classes, units, then seven of each unit, its kernel first and its cap last.
// Seen to fail, with a write outside of memory, while sizes had no bounds.
TEST(NetworkFile, ImpossibleSizesAreSeen) {
  Rng rng(24);
  const auto good = to_bytes(small_network(plain_cnn({1, 8, 8, 3}, 2), rng));
  const auto forged = [&](const std::vector<std::pair<std::size_t, std::uint64_t>>& words) {
    auto bytes = good;
    for (const auto& [place, word] : words) std::memcpy(bytes.data() + 16 + 8 * place, &word, 8);
    std::uint64_t sum = 0xcbf29ce484222325u;  // FNV-1a
    for (std::size_t i = 16; i + 8 < bytes.size(); ++i)
      sum = (sum ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001b3u;
    std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
    return bytes;
  };
  const auto unit = [](std::size_t u, std::size_t field) { return 5 + 7 * (u - 1) + field; };
  constexpr std::uint64_t large = 1;
  EXPECT_NO_THROW(from_bytes(forged({}), "here"));
  for (const auto& words : std::vector<std::vector<std::pair<std::size_t, std::uint64_t>>>{
           {{unit(1, 6), large << 63}, {unit(2, 6), (large << 63) + 64}},  // slots of norms that wrap around to few
           {{unit(3, 6), large << 33}},
           {{unit(3, 0), 257}},
           {{unit(2, 1), 0}},
           {{unit(2, 4), 0}},
           {{1, large << 20}},
           {{3, large << 60}},
           {{4, large << 40}}})
    EXPECT_THROW(from_bytes(forged(words), "here"), Error) << words.front().first;
  try {
    from_bytes(forged({{3, 1}}), "here");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("here is not as mbnn writes it, and is not used: classes = 1"),
              std::string::npos)
        << error.what();
  }
}

TEST(ImagePredictor, RefusesImagesOfAnotherSize) {
  Rng rng(23);
  const std::vector<CompactNetwork> networks{small_network(plain_cnn({1, 8, 8, 3}, 2), rng)};
  ImagePredictor predictor(networks, 1);
  ImageSet images{2, 1, 9, 8, 3, std::vector<std::uint8_t>(2 * 72), {0, 1}};
  EXPECT_THROW(predictor.for_each_image(images, [](std::size_t, std::span<const double>) {}), InputError);
  EXPECT_THROW(predictor.probabilities(std::vector<float>(2 * 72), 2), InputError);
  EXPECT_THROW(predictor.probabilities({}, 0), InputError);
}

}  // namespace
}  // namespace mbnn
