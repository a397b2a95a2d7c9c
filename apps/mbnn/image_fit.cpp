// mbnn image fit and mbnn image resume: the options of an image chain, and the run with its progress.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "apps/mbnn/declared_options.h"
#include "apps/mbnn/image.h"
#include "apps/mbnn/progress.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/images/baselines/image_methods.h"

namespace mbnn::app {

namespace {

// One line, live on a terminal and every few seconds in a pipe.
class ImageProgress {
 public:
  explicit ImageProgress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}
  ~ImageProgress() { finish(); }

  void show(const ImageReport& r) {
    const auto now = std::chrono::steady_clock::now();
    if (quiet_ || now - last_ < std::chrono::milliseconds(terminal_ ? 200 : 5000)) return;
    last_ = now;
    const std::string text = line(r);
    if (terminal_)
      fmt::print(stderr, "\r\x1b[2K{:.{}}", text, screen_columns());
    else
      fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
    drawn_ = terminal_;
  }
  void finish() {
    if (drawn_) fmt::print(stderr, "\n");
    drawn_ = false;
  }

 private:
  static std::string line(const ImageReport& r) {
    const std::int64_t epoch = (r.batch - 1) / r.batches_per_epoch + 1;
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
      return 100 * static_cast<double>(part) / static_cast<double>(whole);
    };
    return fmt::format(
        "epoch {}/{} ends in {}, all in {}  {:.0f} images/s  channels {}  capacity {:.1f}%  FLOPs {:.1f}%  loss {:.4f}",
        epoch, (r.batches - 1) / r.batches_per_epoch + 1, clock_time(r.epoch_seconds_left), clock_time(r.seconds_left),
        r.images_per_second, fmt::join(r.stages, " "), percent(r.cost.parameters, r.dense.parameters),
        percent(r.cost.multiply_adds, r.dense.multiply_adds), r.loss);
  }

  bool quiet_, terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

constexpr const char* kResume = "mbnn image resume";

int run(FitFile& file, ImageSet training, double checkpoint_seconds, std::size_t threads, const Common& common) {
  ImageProgress progress(common.quiet);
  ImageReport last;
  const auto begin = std::chrono::steady_clock::now();
  const ImageRunOptions options{threads, checkpoint_seconds,
                                [&](const ImageReport& r) {
                                  last = r;
                                  progress.show(r);
                                },
                                stop_on_signal()};
  const bool finished =
      run_resumable(file, kResume, [&] { return run_image_method(file, std::move(training), options); });
  progress.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::int64_t draws = file.draw_count(0);
  if (common.json) {
    const nlohmann::json json{{"file", file.path()},
                              {"finished", finished},
                              {"seconds", seconds},
                              {"draws", draws},
                              {"loss", last.loss},
                              {"widths", last.widths},
                              {"multiply_adds", last.cost.multiply_adds},
                              {"parameters", last.cost.parameters},
                              {"images_per_second", last.images_per_second},
                              {"births", last.masks.births},
                              {"accepted_births", last.masks.accepted_births},
                              {"deaths", last.masks.deaths},
                              {"accepted_deaths", last.masks.accepted_deaths}};
    fmt::print("{}\n", json.dump(2));
  } else if (!common.quiet) {
    fmt::print("{} draws in {}, stored in {}\nchannels {}\n", draws, clock_time(seconds), file.path(),
               fmt::join(last.widths, " "));
    if (ImageConfiguration::from_json(file.configuration()).method == ImageMethod::mbnn)
      fmt::print("births   {} of {} accepted, deaths {} of {}\n", last.masks.accepted_births, last.masks.births,
                 last.masks.accepted_deaths, last.masks.deaths);
    if (finished) fmt::print("next:    mbnn image evaluate {} --data DIR\n", file.path());
  }
  return end_of_run(finished, file, kResume);
}

std::string length_of(const ImageConfiguration& c) {
  const std::int64_t epochs = c.chain.epochs();
  switch (c.method) {
    case ImageMethod::ensemble:
    case ImageMethod::ns_ens:
      return fmt::format("{} networks, {} epochs each", c.chain.draws, epochs);
    case ImageMethod::ns_vi:
      return fmt::format("{} epochs, and as many to compress", epochs);
    case ImageMethod::mbnn:
    case ImageMethod::ns_mc:
      break;
  }
  return fmt::format("{} epochs", epochs);
}

int fit(const FitArguments& a, double checkpoint_seconds, const Common& common) {
  require(checkpoint_seconds >= 0, "--checkpoint-seconds", checkpoint_seconds, "must not be negative");
  ImageConfiguration c = configured<ImageConfiguration>(a.given);
  c.data = std::filesystem::absolute(c.data).lexically_normal().string();
  ImageSet training = training_images(c);
  c.settle(training);
  FitFile file = create_image_fit(a.out, c, training, a.force);
  if (!common.quiet) {
    const ImageModel model = image_model(c, training);
    const ImageCost cost = image_cost(model.architecture, model.architecture.initial_gates());
    fmt::print(
        stderr, "{} images of {} x {} x {}, {} classes; {} gates, {} parameters, {:.1f} million multiply-adds; {}\n",
        training.count, training.channels, training.height, training.width, training.classes,
        model.architecture.gates(), cost.parameters, static_cast<double>(cost.multiply_adds) / 1e6, length_of(c));
  }
  return run(file, std::move(training), checkpoint_seconds, common.thread_count(), common);
}

struct ResumeArguments {
  std::string fit, data;
  double checkpoint_seconds = 300;
};

int resume(const ResumeArguments& a, const Common& common) {
  require(a.checkpoint_seconds >= 0, "--checkpoint-seconds", a.checkpoint_seconds, "must not be negative");
  FitFile file = FitFile::open(a.fit, FitFile::Mode::append);
  if (!is_image_fit(file)) throw InputError(fmt::format("{} is no fit of images: use mbnn resume", a.fit));
  ImageConfiguration c = ImageConfiguration::from_json(file.configuration());
  if (!a.data.empty()) c.data = a.data;
  const auto earlier = checkpoint_threads(file);
  const std::size_t threads = common.threads > 0 ? common.threads : earlier.value_or(common.thread_count());
  if (earlier && threads != *earlier && !common.quiet)
    fmt::print(stderr, "{} so far ran with --threads {}; with {} it goes on, but not to the same bits\n", a.fit,
               *earlier, threads);
  return run(file, training_images(c), a.checkpoint_seconds, threads, common);
}

}  // namespace

void add_image_fit(CLI::App& image, Common& common, Action& action) {
  auto* verb =
      image.add_subcommand("fit", "sample masks and weights of a convolutional network, or train another method's");
  struct Arguments : FitArguments {
    double checkpoint_seconds = 300;
  };
  auto arguments = std::make_shared<Arguments>();
  ImageConfiguration defaults;
  add_fit_options(*verb, options_of(defaults), *arguments);
  verb->add_option("--checkpoint-seconds", arguments->checkpoint_seconds, "from checkpoint to checkpoint [300]")
      ->group(all_options_shown() ? "Output" : "");
  add_common_options(*verb, common);
  verb->footer("Example:\n  mbnn image fit --data data/fashion-mnist --network cnn --epochs 10 --out fashion.mbnn");
  verb->callback([=, &common, &action] {
    action = [=, &common] { return fit(*arguments, arguments->checkpoint_seconds, common); };
  });
}

void add_image_resume(CLI::App& image, Common& common, Action& action) {
  auto* verb = image.add_subcommand(
      "resume", "continue an image fit, with as many threads as before if not told otherwise: to the same bits");
  auto arguments = std::make_shared<ResumeArguments>();
  verb->add_option("fit", arguments->fit, "the fit")->required();
  verb->add_option("--data", arguments->data, "where the training images are now [where they were]");
  verb->add_option("--checkpoint-seconds", arguments->checkpoint_seconds, "from checkpoint to checkpoint [300]");
  add_common_options(*verb, common);
  verb->callback([=, &common, &action] { action = [=, &common] { return resume(*arguments, common); }; });
}

}  // namespace mbnn::app
