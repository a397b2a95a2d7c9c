// Checkpoints of the chain on images and of each method beside it, and the batch that follows.
#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"
#include "mbnn/images/batch_process.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

namespace {

constexpr unsigned kMethods = 6;

struct Begun {
  std::unique_ptr<Process> process;
  std::int64_t length;
};

Begun begin(unsigned kind) {
  static const auto images = [] {
    ImageSet set{24, 1, 4, 4, 3, {}, {}};
    for (std::size_t i = 0; i < set.count * 16; ++i) set.pixels.push_back(static_cast<std::uint8_t>(37 * i));
    for (std::size_t i = 0; i < set.count; ++i) set.labels.push_back(static_cast<std::uint16_t>(i % 3));
    return std::make_shared<const ImageSet>(std::move(set));
  }();
  auto setting = std::make_unique<BatchSetting>();
  ImageConfiguration& c = setting->configuration;
  c.base_width = 2;
  c.chain.loader.batch = 4;
  c.chain.total_epochs = 2;
  c.chain.draws = 2;
  c.chain.mask_every = 2;
  c.method = kind < 2 ? ImageMethod::mbnn : static_cast<ImageMethod>(kind - 1);
  if (kind == 1) {
    c.chain.sampler = WeightMove::Kind::sghmc;
    c.chain.precondition = true;
  }
  c.baseline.population = 2;
  c.baseline.tournament = 1;
  c.baseline.candidates = 3;
  c.baseline.tuning_batches = 1;
  c.baseline.norm_batches = 1;
  c.baseline.flops = 0.9;
  setting->training = setting->held_back = images;
  setting->model = image_model(c, *images);
  setting->scaling = ImageScaling::learn(*images);
  const std::int64_t length = batches_in_all(c, setting->batches_per_epoch());
  return {std::make_unique<BatchProcess>(std::move(setting)), length};
}

}  // namespace

void read_bytes(Bytes input) {
  if (input.empty()) return;
  const auto [restored, length] = begin(input[0] % kMethods);
  restored->restore(0, as_bytes(input.subspan(1)));
  try {
    restored->checkpoint();
  } catch (const SamplerError&) {  // large, and yet finite
    return;
  }
  restored->statistics();
  if (restored->done() >= length) return;
  restored->advance();
  restored->draw();
  restored->status();
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (unsigned kind = 0; kind < kMethods; ++kind) {
    const auto [begun, length] = begin(kind);
    begun->start();
    while (begun->done() < length) {
      begun->advance();
      if (begun->done() % 5 == 1) all.push_back(static_cast<char>(kind) + text_of(begun->checkpoint()));
    }
  }
  return all;
}

}  // namespace mbnn::fuzz
