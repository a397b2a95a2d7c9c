// Training steps and predictions of masked ResNet18 networks, dense and with a share of their channels.
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "bench/measures.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/rng.h"
#include "mbnn/images/model.h"
#include "mbnn/images/predictor.h"
#include "mbnn/sample/langevin.h"

namespace mbnn::bench {

namespace {

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

template <class F>
double least_seconds(std::size_t times, F&& f) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times; ++i) {
    const Stopwatch watch;
    f();
    least = std::min(least, watch.seconds());
  }
  return least;
}

}  // namespace

// A step: gradient of the log posterior on a batch of 100 images of 32 x 32, and a plain move along it, as PyTorch's
// reference does. One step before compiles the kernels. The chain's own move, with its noise, is timed by itself, and
// so is the prediction of such a batch. Peak memory is that of the steps: what the process had before is taken off.
nlohmann::json images(double share, std::size_t threads, std::size_t steps) {
  const long before = peak_kilobytes();
  const std::size_t batch = 100;
  ImageModel model;
  model.architecture = resnet18({3, 32, 32, 10}, 64);
  model.width_prior.rows = 50000;
  for (ImageUnit& unit : model.architecture.units)
    unit.width = static_cast<std::size_t>(share * static_cast<double>(unit.width) + 0.5);
  Rng rng(1);
  ImageState state = initial_state(model, rng);
  std::vector<float> pixels(batch * 3 * 32 * 32), gradient(state.weights.size());
  std::vector<std::int32_t> labels(batch);
  for (float& p : pixels) p = static_cast<float>(rng.normal());
  for (auto& l : labels) l = static_cast<std::int32_t>(rng.below(10));
  ConvEngine engine(threads);
  ImageDensity density(model, engine);
  const auto step = [&] {
    density.bind({pixels, labels}, state, 1.0 / static_cast<double>(batch));
    density.gradient(state.weights, gradient);
    density.network().update_running(state.norm);
    for (std::size_t i = 0; i < gradient.size(); ++i) state.weights[i] += 1e-3f * gradient[i];
  };
  step();
  const double least = least_seconds(steps, step);
  const long peak = peak_kilobytes() - before;
  WeightMemory memory;
  const WeightMove langevin{WeightMove::Kind::sgld, false, 1e-6, 0.01, 0.1, 50000, 1};
  engine.activate();
  const double move =
      least_seconds(steps, [&] { move_weights(langevin, gradient, state.weights, memory, rng.bits()); });
  const CompactNetwork network{model.architecture, {{0, 0, 0}, {1, 1, 1}}, state};
  return {{"share", share},
          {"threads", threads},
          {"seconds", least},
          {"images_per_second", static_cast<double>(batch) / least},
          {"peak_kilobytes", peak},
          {"move_seconds", move},
          {"prediction_seconds", prediction_seconds(network, batch, 2 * steps, threads)},
          {"parameters", image_cost(model.architecture, state.gates).parameters}};
}

}  // namespace mbnn::bench
