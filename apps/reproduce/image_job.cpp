#include "apps/reproduce/image_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "apps/reproduce/engine.h"
#include "apps/reproduce/fit_job.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/images/image_problem.h"
#include "mbnn/images/scores.h"
#include "mbnn/run/run.h"

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
  // `dense` are the channels at the start.
  void add(const Status& s, std::int64_t per_epoch, double dense, double seconds) {
    if (s.done % per_epoch != 0 || s.done == last_) return;
    last_ = s.done;
    double channels = 0;
    for (std::size_t width : s.widths) channels += static_cast<double>(width);
    file_ << fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{:.2f}\n", s.done / per_epoch, channels / dense,
                         s.figure("FLOPs %") / 100, s.figure("capacity %") / 100, s.figure("loss"), s.figure("births"),
                         s.figure("deaths"), seconds)
          << std::flush;
  }

 private:
  std::int64_t last_ = 0;
  std::ofstream file_;
};

std::optional<JobResult> run_image_job(const ImageData& data, const ImageConfiguration& c, const JobContext& context) {
  const std::string path = fit_path(context.directory, context.name);
  data.test();  // if it cannot be read, that is said before the work
  const ImageProblem problem(c, first_images(data.training(), c.training_images));
  const bool fresh = !fs::exists(path);
  const Cost earlier = fresh ? Cost{} : earlier_cost(context);
  FitFile file = fresh ? create(problem, path, false) : FitFile::open(path, FitFile::Mode::append);
  Trace trace(context, fresh);
  const ImageArchitecture architecture = image_model(c, problem.training()).architecture;
  const auto dense = static_cast<double>(active_nodes(architecture.initial_gates()).size());
  const std::int64_t per_epoch = problem.batches_per_epoch();
  Stopwatch since_said;
  const auto report = [&](const Status& s) {
    if (s.done > 0) trace.add(s, per_epoch, dense, earlier.seconds + context.spent().seconds);
    if (since_said.seconds() < 60) return;
    since_said.restart();
    keep_cost(context, earlier);  // if the program is killed
    context.say(fmt::format("{}, {:.0f} images/s, loss {:.3f}, capacity {:.0f}%", s.place, s.figure("images/s"),
                            s.figure("loss"), s.figure("capacity %")));
  };
  const std::size_t before = threads_so_far(file);  // with as many it goes on to the same bits
  if (!run(file, problem,
           {.threads = before > 0 ? before : context.threads,
            .report = report,
            .stop = context.stop,
            .report_seconds = 0})) {
    keep_cost(context, earlier);
    return {};
  }
  const auto networks = stored_networks(file);
  const nlohmann::json totals = file.statistics(0).value().values;
  const ImageScores scores = score_images(networks, data.test(), context.threads);
  const ImageSavings savings = measure_savings(networks, 100, context.threads);
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
                    {"births", cell(totals.at("accepted_births").get<double>())},
                    {"deaths", cell(totals.at("accepted_deaths").get<double>())},
                    {"batches", cell(static_cast<double>(problem.length()))}},
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
    for (const char* own : {"data", "traces", "kind"}) stored.erase(own), wanted.erase(own);
    if (stored != wanted)
      throw InputError(fmt::format("{} was begun with other settings: choose another --out, or remove it", path));
  };
  job.clear = clear_fit;
  job.key = std::move(key);
  job.run = [=](const JobContext& context) { return run_image_job(data, configuration, context); };
  return job;
}

}  // namespace mbnn::studies
