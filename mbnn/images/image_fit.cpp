#include "mbnn/images/image_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/core/names_json.h"
#include "mbnn/store/checksum.h"

namespace mbnn {

namespace {

std::int64_t checksum_of(const ImageSet& images) {
  return Checksum("images")
      .add(std::as_bytes(std::span(images.pixels)))
      .add(std::as_bytes(std::span(images.labels)))
      .value();
}

}  // namespace

FitFile create_image_fit(const std::string& path, const ImageConfiguration& configuration, const ImageSet& training,
                         bool overwrite) {
  configuration.check(training);
  const ImageScaling scaling = ImageScaling::learn(training);
  return FitFile::create(
      path, configuration.to_json(),
      {{"images", training.count}, {"mean", scaling.mean}, {"sd", scaling.sd}, {"checksum", checksum_of(training)}},
      overwrite);
}

bool is_image_fit(const FitFile& file) { return file.configuration().value("kind", "") == "image"; }

std::vector<CompactNetwork> image_draws(const FitFile& file) {
  std::vector<CompactNetwork> networks;
  file.for_each_draw([&](StoredDraw draw) {
    networks.push_back(from_bytes(draw.state, fmt::format("draw {} of {}", networks.size() + 1, file.path())));
  });
  return networks;
}

ImageTask image_task(const FitFile& file, const ImageSet& training) {
  const ImageConfiguration configuration = ImageConfiguration::from_json(file.configuration());
  const auto images = file.encoding().at("images").get<std::size_t>();
  if (images != training.count)
    throw InputError(
        fmt::format("{} was begun with {} training images, but there are {} now", file.path(), images, training.count));
  configuration.check(training);
  const ImageScaling scaling{file.encoding().at("mean").get<std::vector<float>>(),
                             file.encoding().at("sd").get<std::vector<float>>()};
  if (scaling.mean.size() != training.channels || scaling.sd.size() != training.channels)
    throw Error(fmt::format("{} is damaged: its scaling of pixels has another number of channels", file.path()));
  const std::int64_t checksum = checksum_of(training);
  // Fits of older versions have none; their means and deviations tell, up to rounding.
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) <= 1e-4f * std::abs(y); });
  };
  const auto same_scaling = [&] {
    const ImageScaling now = ImageScaling::learn(training);
    return same(now.mean, scaling.mean) && same(now.sd, scaling.sd);
  };
  const bool known = file.encoding().contains("checksum");
  if (known ? file.encoding()["checksum"] != checksum : !same_scaling())
    throw InputError(
        fmt::format("{} was begun with other training images: their pixels or labels are not those that are there now",
                    file.path()));
  return {configuration, image_model(configuration, training), scaling};
}

std::optional<std::size_t> checkpoint_threads(const FitFile& file) {
  const auto statistics = file.statistics(0);
  if (!statistics || !statistics->values.contains("threads")) return {};  // none yet, or an older version's
  const auto threads = statistics->values["threads"].get<std::size_t>();
  if (threads < 1 || threads > 1024) return {};
  return threads;
}

bool run_image_process(FitFile& file, const ImageTask& task, const ImageSet& training, ImageProcess& process,
                       const ImageRunOptions& options) {
  using Clock = std::chrono::steady_clock;
  const LoaderOptions& loading = task.configuration.chain.loader;
  const ImageArchitecture& architecture = task.model.architecture;
  if (const auto bytes = file.checkpoint(0))
    process.restore(*bytes);
  else
    process.start();

  const ImageCost dense = image_cost(architecture, architecture.initial_gates());
  const std::int64_t again = std::min(process.batches_done(), process.batches_to_remember());
  ImageLoader loader(training, task.scaling, loading, static_cast<std::uint64_t>(process.batches_done() - again));
  for (std::int64_t i = 0; i < again; ++i) {
    const ImageBatch& batch = loader.next();
    process.remember({batch.pixels, batch.labels});
  }
  const auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  auto last_save = Clock::now();
  std::int64_t saved = process.batches_done();
  // A mean over the last batches, as it falls while masks shrink; over so many that times of mask moves even out.
  double batch_seconds = 0;
  std::int64_t timed = 0;
  const auto report = [&] {
    ImageReport r;
    r.batch = process.batches_done();
    r.batches = process.batches_in_all();
    r.batches_per_epoch = static_cast<std::int64_t>(loader.batches_per_epoch());
    r.images_per_second = batch_seconds > 0 ? static_cast<double>(loading.batch) / batch_seconds : 0;
    r.seconds_left = batch_seconds * static_cast<double>(r.batches - r.batch);
    r.epoch_seconds_left = batch_seconds * static_cast<double>(r.batches_per_epoch - r.batch % r.batches_per_epoch);
    r.loss = process.training_loss();
    r.step_size = process.step_size();
    for (std::size_t u = 1; u <= architecture.gates(); ++u) {
      r.widths.push_back(process.state().gates.active[u - 1].size());
      if (u == 1 || architecture.unit(u).stride > 1) r.stages.push_back(0);
      r.stages.back() += r.widths.back();
    }
    r.cost = image_cost(architecture, process.state().gates);
    r.dense = dense;
    r.dense_channels = active_nodes(architecture.initial_gates()).size();
    r.masks = process.mask_counts();
    return r;
  };
  // What is stored is what a later run goes on from: never a network whose sums would overflow.
  const auto require_numbers = [&] {
    const ImageState& state = process.state();
    const auto within = [](const std::vector<float>& values, float most) {
      return std::ranges::all_of(values, [=](float value) { return std::abs(value) < most; });
    };
    const NormState& norm = state.norm;
    if (within(state.weights, 1e15f) && within(norm.scale, 1e15f) && within(norm.shift, 1e15f) &&
        within(norm.mean, 1e30f) && within(norm.variance, 1e30f))
      return;
    throw SamplerError(
        fmt::format("the network's weights left all bounds at batch {} of {}: the moves are too long; start again with "
                    "a smaller step size or learning rate",
                    process.batches_done(), process.batches_in_all()));
  };
  const auto save = [&](std::vector<StoredDraw> draws) {
    require_numbers();
    const ImageReport r = report();
    const nlohmann::json statistics{{"loss", r.loss},
                                    {"threads", options.threads},
                                    {"widths", r.widths},
                                    {"multiply_adds", r.cost.multiply_adds},
                                    {"parameters", r.cost.parameters},
                                    {"births", r.masks.births},
                                    {"deaths", r.masks.deaths},
                                    {"accepted_births", r.masks.accepted_births},
                                    {"accepted_deaths", r.masks.accepted_deaths}};
    file.commit(0, process.batches_done(), draws, statistics, process.checkpoint());
    last_save = Clock::now();
    saved = process.batches_done();
  };

  const auto step = [&] {
    const auto begin = Clock::now();
    const ImageBatch& batch = loader.next();
    process.step({batch.pixels, batch.labels});
    const double seconds = since(begin);
    batch_seconds += (seconds - batch_seconds) / static_cast<double>(std::min<std::int64_t>(++timed, 200));
    if (const ImageState* draw = process.draw_due()) {
      const auto bytes = to_bytes({architecture, task.scaling, *draw});
      save({StoredDraw{0, process.batches_done(), bytes, {process.training_loss()}}});
    } else if (since(last_save) > options.checkpoint_seconds) {
      save({});
    }
  };

  if (options.report && process.batches_done() > 0) options.report(report());
  while (process.batches_done() < process.batches_in_all()) {
    if (options.stop.stop_requested()) {
      if (process.batches_done() > saved) save({});
      return false;
    }
    try {
      step();
    } catch (const SamplerError& e) {
      throw SamplerError(saved == 0 ? fmt::format("{}. Nothing was stored yet", e.what())
                                    : fmt::format("{}. What is stored stays: a checkpoint at batch {}, {} draws",
                                                  e.what(), saved, file.draw_count(0)));
    }
    if (options.report) options.report(report());
  }
  return true;
}

bool run_image_fit(FitFile& file, const ImageSet& training, const ImageRunOptions& options) {
  const ImageTask task = image_task(file, training);
  if (task.configuration.method != ImageMethod::mbnn)
    throw InputError(fmt::format("{} is no fit by the chain: run_image_method runs it", file.path()));
  const ImageChainOptions& options_of_chain = task.configuration.chain;
  ImageChain chain(task.model, options_of_chain, training.count / options_of_chain.loader.batch, options.threads);
  return run_image_process(file, task, training, chain, options);
}

}  // namespace mbnn
