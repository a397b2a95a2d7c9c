#include "apps/reproduce/image_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "apps/reproduce/engine.h"
#include "apps/reproduce/fit_job.h"
#include "mbnn/core/error.h"
#include "mbnn/images/baselines/image_methods.h"
#include "mbnn/images/scores.h"

namespace mbnn::studies {

namespace fs = std::filesystem;

struct ImageData::Loaded {
  std::once_flag training_once, test_once;
  ImageSet training, test;
};

ImageData::ImageData(const std::string& name, const StudyOptions& options)
    : name_(name), directory_(options.data_directory + "/" + name), loaded_(std::make_shared<Loaded>()) {
  if (fs::is_directory(directory_)) return;
  throw InputError(
      fmt::format("{0} is not there: --data-dir (or MBNN_DATA) must name a directory that holds {1}/. scripts/data {1} "
                  "fetches it or says where it is; --sets leaves out what you do not have",
                  directory_, name));
}

const ImageSet& ImageData::training() const {
  std::call_once(loaded_->training_once, [&] { loaded_->training = read_images(directory_, ImageSplit::train); });
  return loaded_->training;
}

const ImageSet& ImageData::test() const {
  std::call_once(loaded_->test_once, [&] { loaded_->test = read_images(directory_, ImageSplit::test); });
  return loaded_->test;
}

namespace {

// One line for each epoch, added as it ends; after an interruption an epoch may appear again, and its last line counts.
class Trace {
 public:
  Trace(const JobContext& context, bool fresh) {
    fs::create_directories(context.directory + "/traces");
    const std::string path = fmt::format("{}/traces/{}.csv", context.directory, context.name);
    fresh = fresh || !fs::exists(path);
    file_.open(path, fresh ? std::ios::trunc : std::ios::app);
    if (fresh) file_ << "epoch,share,flops,capacity,loss,births,deaths,seconds\n" << std::flush;
  }
  void add(const ImageReport& r, double seconds) {
    if (r.batch % r.batches_per_epoch != 0) return;
    double channels = 0;
    for (std::size_t width : r.widths) channels += static_cast<double>(width);
    file_ << fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{:.2f}\n", r.batch / r.batches_per_epoch,
                         channels / static_cast<double>(r.dense_channels),
                         static_cast<double>(r.cost.multiply_adds) / static_cast<double>(r.dense.multiply_adds),
                         static_cast<double>(r.cost.parameters) / static_cast<double>(r.dense.parameters), r.loss,
                         r.masks.accepted_births, r.masks.accepted_deaths, seconds)
          << std::flush;
  }

 private:
  std::ofstream file_;
};

std::optional<JobResult> run_image_job(const ImageData& data, const ImageConfiguration& c, const JobContext& context) {
  const std::string path = fit_path(context.directory, context.name);
  data.test();  // if it cannot be read, that is said before the work
  ImageSet training = first_images(data.training(), c.training_images);
  const bool fresh = !fs::exists(path);
  const Cost earlier = fresh ? Cost{} : earlier_cost(context);
  FitFile file = fresh ? create_image_fit(path, c, training, false) : FitFile::open(path, FitFile::Mode::append);
  Trace trace(context, fresh);
  ImageReport last;
  auto said = std::chrono::steady_clock::now();
  const auto report = [&](const ImageReport& r) {
    last = r;
    trace.add(r, earlier.seconds + context.spent().seconds);
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(60)) return;
    said = now;
    keep_cost(context, earlier);  // if the program is killed
    context.say(fmt::format("epoch {} of {}, {:.0f} images/s, loss {:.3f}, capacity {:.0f}%",
                            1 + (r.batch - 1) / r.batches_per_epoch, r.batches / r.batches_per_epoch,
                            r.images_per_second, r.loss,
                            100 * static_cast<double>(r.cost.parameters) / static_cast<double>(r.dense.parameters)));
  };
  const std::size_t threads = checkpoint_threads(file).value_or(context.threads);  // for the same bits
  if (!run_image_method(file, std::move(training), {threads, 300, report, context.stop})) {
    keep_cost(context, earlier);
    return {};
  }
  const auto networks = image_draws(file);
  const ImageScores scores = score_images(networks, data.test(), context.threads);
  const ImageSavings savings = measure_savings(networks, 100, context.threads);
  const auto& masks = last.masks;
  JobResult result{{{"n", std::to_string(scores.metrics.n)},
                    {"accuracy", cell(scores.metrics.accuracy)},
                    {"nll", cell(scores.metrics.nll)},
                    {"ece", cell(scores.metrics.ece)},
                    {"marginal", cell(scores.marginal.error)},
                    {"flops", cell(savings.flops_percent)},
                    {"capacity", cell(savings.capacity_percent)},
                    {"channels", cell(savings.channels)},
                    {"dense_channels", cell(savings.dense_channels)},
                    {"speedup", cell(savings.dense_seconds / savings.seconds)},
                    {"bytes", cell(savings.bytes)},
                    {"dense_bytes", cell(savings.dense_bytes)},
                    {"births", cell(static_cast<double>(masks.accepted_births))},
                    {"deaths", cell(static_cast<double>(masks.accepted_deaths))},
                    {"batches", cell(static_cast<double>(last.batches))}},
                   earlier};
  return result;
}

}  // namespace

const std::vector<std::string> kImageFigures{
    "n",       "accuracy", "nll",         "ece",    "marginal", "flops",  "capacity", "channels", "dense_channels",
    "speedup", "bytes",    "dense_bytes", "births", "deaths",   "batches"};

Job image_job(std::vector<std::string> key, const ImageData& data, ImageConfiguration configuration) {
  Job job;
  job.seed = configuration.chain.loader.seed;
  const ImageSet& all = data.training();
  require(configuration.training_images <= all.count, "--images", configuration.training_images,
          fmt::format("there are {}", all.count));
  const std::size_t wanted = configuration.training_images > 0 ? configuration.training_images : all.count;
  configuration.check({wanted, all.channels, all.height, all.width, all.classes, {}, {}});
  configuration.data = data.name();  // the same row on every machine
  job.common = configuration.to_json();
  job.settings = {{"configuration", job.common}};
  job.common.erase("seed");
  configuration.data = fs::absolute(data.directory()).lexically_normal().string();
  const std::string name = fmt::format("{}", fmt::join(key, "-"));
  job.check = [c = configuration, name](const std::string& directory) {
    const std::string path = fit_path(directory, name);
    if (!fs::exists(path)) return;
    auto stored = FitFile::open(path, FitFile::Mode::read).configuration(), wanted = c.to_json();
    stored.erase("data"), wanted.erase("data");
    if (stored != wanted)
      throw InputError(fmt::format("{} was begun with other settings: choose another --out, or remove it", path));
  };
  job.clear = clear_fit;
  job.key = std::move(key);
  job.run = [=](const JobContext& context) { return run_image_job(data, configuration, context); };
  return job;
}

}  // namespace mbnn::studies
