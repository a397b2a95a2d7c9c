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
#include <map>
#include <memory>

#include "apps/mbnn/image.h"
#include "apps/mbnn/parse_errors.h"
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

struct FitArguments {
  ImageConfiguration c;
  std::string out, sampler, schedule, birth, death, test, method, augment = "auto";
  bool force = false, no_masks = false, precondition = false;
  double checkpoint_seconds = 300;

  // Names as the configuration has them, before options are parsed; and back again.
  void read_names() {
    sampler = name_of(c.chain.sampler);
    schedule = name_of(c.chain.steps);
    birth = name_of(c.chain.birth_death.birth);
    death = name_of(c.chain.birth_death.death);
    test = name_of(c.chain.mask_test);
    method = name_of(c.method);
    precondition = c.chain.precondition;
    no_masks = !c.chain.masks;
  }
  void write_names() {
    c.chain.sampler = named<WeightMove::Kind>(sampler, "--sampler");
    c.chain.steps = named<ImageChainOptions::Steps>(schedule, "--step-schedule");
    c.chain.birth_death.birth = named<Rule>(birth, "--birth");
    c.chain.birth_death.death = named<Rule>(death, "--death");
    c.chain.mask_test = named<MaskTest>(test, "--mask-test");
    c.method = named<ImageMethod>(method, "--method");
    c.chain.precondition = precondition;
    c.chain.masks = !no_masks;
  }
};

void add_baseline_options(CLI::App& verb, FitArguments& a) {
  ImageBaselineOptions& b = a.c.baseline;
  const char* group = "Other methods";
  verb.add_option("--method", a.method,
                  "mbnn, or what it is compared with: ensemble (dense), ns-ens (pruned by LeGR), ns-mc (targeted "
                  "dropout), ns-vi (Bayesian compression)")
      ->check(CLI::IsMember(names_of<ImageMethod>()))
      ->group(group);
  verb.add_option("--learning-rate", b.learning_rate,
                  "of Adam at the start; 0: 0.001 for resnet18, 0.005 for cnn. A cosine takes it to a hundredth")
      ->group(group);
  verb.add_option("--weight-decay", b.weight_decay, "of filters and weights, not of biases and norms")->group(group);
  verb.add_option("--flops", b.flops, "ns-ens: multiply-adds that pruning leaves, as a share")->group(group);
  verb.add_option("--search-population", b.population, "ns-ens: rankings that live at a time")->group(group);
  verb.add_option("--search-tournament", b.tournament, "ns-ens: of which the best is the next parent")->group(group);
  verb.add_option("--search-candidates", b.candidates, "ns-ens: rankings that are tried for each network")
      ->group(group);
  verb.add_option("--search-batches", b.tuning_batches, "ns-ens: of tuning before a ranking is judged")->group(group);
  verb.add_option("--drop-share", b.drop_share, "ns-mc: of each gate's channels, the smallest, that may be dropped")
      ->group(group);
  verb.add_option("--drop-probability", b.drop_probability, "ns-mc: of each of them")->group(group);
  verb.add_option("--variational-rate", b.variational_rate, "ns-vi: of Adam on means and norms")->group(group);
  verb.add_option("--scale-rate", b.scale_rate,
                  "ns-vi: of Adam on scales and log variances; 0: 10 / batches, at least 0.0001")
      ->group(group);
  verb.add_option("--prune-above", b.prune_above, "ns-vi: channels with a higher log dropout rate go")->group(group);
  verb.add_option("--norm-batches", b.norm_batches, "ns-mc, ns-vi: that settle the norms of each network")
      ->group(group);
}

void refuse_foreign_options(const CLI::App& verb, const std::string& method) {
  using Names = std::vector<std::string>;
  static const Names chain{"mbnn"}, others{"ensemble", "ns-ens", "ns-mc", "ns-vi"}, masked{"ns-mc", "ns-vi"};
  static const std::map<std::string, Names> users{{"--headroom", chain},
                                                  {"--lambda", chain},
                                                  {"--prior-scale", chain},
                                                  {"--sampler", chain},
                                                  {"--precondition", chain},
                                                  {"--step-size", chain},
                                                  {"--step-schedule", chain},
                                                  {"--temperature", chain},
                                                  {"--friction", chain},
                                                  {"--learning-rate", others},
                                                  {"--weight-decay", others},
                                                  {"--flops", {"ns-ens"}},
                                                  {"--search-population", {"ns-ens"}},
                                                  {"--search-tournament", {"ns-ens"}},
                                                  {"--search-candidates", {"ns-ens"}},
                                                  {"--search-batches", {"ns-ens"}},
                                                  {"--drop-share", {"ns-mc"}},
                                                  {"--drop-probability", {"ns-mc"}},
                                                  {"--variational-rate", {"ns-vi"}},
                                                  {"--scale-rate", {"ns-vi"}},
                                                  {"--prune-above", {"ns-vi"}},
                                                  {"--norm-batches", masked}};
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    const auto found = users.find(option->get_name());
    const bool masks = option->get_group() == "Masks";
    if (!masks && found == users.end()) continue;  // of use to all
    const Names& of = masks ? chain : found->second;
    if (std::find(of.begin(), of.end(), method) == of.end())
      throw InputError(fmt::format("{}: --method {} has no use for it", option->get_name(), method));
  }
}

// The same for the sampler and the masks of the chain.
void refuse_idle_options(const CLI::App& verb, const FitArguments& a) {
  const auto refuse = [&](const std::string& name, const char* why) {
    if (verb.count(name) > 0) throw InputError(fmt::format("{}: {}", name, why));
  };
  if (a.c.chain.total_epochs > 0)
    for (const char* name : {"--burn-in", "--thin"}) refuse(name, "with --epochs there is no use for it");
  if (a.birth == "uniform") refuse("--candidates", "with --birth uniform there is no use for it");
  if (a.c.chain.mask_moves == 0)
    for (const char* name : {"--birth", "--death", "--max-flips"})
      refuse(name, "with --mask-moves 0 there is no use for it");
  if (!a.no_masks && a.c.chain.mask_moves == 0 && a.c.chain.refit_moves == 0)
    throw InputError(
        "--mask-moves 0 and --refit-moves 0: no mask would ever move; --no-masks says that all channels stay");
  if (a.sampler != "sghmc") refuse("--friction", "only --sampler sghmc has a use for it");
  if (a.test != "sequential") refuse("--mask-pool", "only --mask-test sequential has a use for it");
  if (!a.no_masks) return;
  refuse("--lambda", "with --no-masks there is no use for it");
  for (const CLI::Option* option : verb.get_options())
    if (option->get_group() == "Masks" && option->get_name() != "--no-masks")
      refuse(option->get_name(), "with --no-masks there is no use for it");
}

// What a study passes on to its fits, too.
void add_settings(CLI::App& verb, FitArguments& a) {
  const char* group = "Network";
  verb.add_option("--network,--model", a.c.network, "resnet18 or cnn")
      ->check(CLI::IsMember({"resnet18", "cnn"}))
      ->group(group);
  verb.add_option("--base-width", a.c.base_width, "channels of the first unit; 0: 64 for resnet18, 32 for cnn")
      ->group(group);
  verb.add_option("--headroom", a.c.headroom, "the most channels that a unit may have, over those at the start")
      ->group(group);
  verb.add_option("--lambda", a.c.lambda, "how strongly narrow layers are preferred")->group(group);
  verb.add_option("--prior-scale", a.c.prior_scale, "of the Cauchy prior of filters and weights")->group(group);
  group = "Images";
  verb.add_option("--images", a.c.training_images, "train on the first so many; 0: all")->group(group);
  verb.add_option("--batch", a.c.chain.loader.batch, "images of a batch")->group(group);
  verb.add_option("--augment", a.augment, "crops and flips: on, off, or auto: for colour images")
      ->check(CLI::IsMember({"on", "off", "auto"}))
      ->group(group);
  group = "Length";
  verb.add_option(
          "--epochs", a.c.chain.total_epochs,
          "of the chain, its draws in the last eighth, or of one training; 0: (burn-in + draws) * thin. Ensembles "
          "train each network for so many, one after another; ns-vi trains, then compresses for as many")
      ->group(group);
  verb.add_option("--draws", a.c.chain.draws, "draws that are kept; networks of every method")->group(group);
  verb.add_option("--burn-in", a.c.chain.burn_in, "without --epochs: draws that are not kept")->group(group);
  verb.add_option("--thin", a.c.chain.thin, "without --epochs: epochs from draw to draw")->group(group);
  add_baseline_options(verb, a);
  group = "Sampler";
  verb.add_option("--sampler", a.sampler, "sgld or sghmc")
      ->check(CLI::IsMember(names_of<WeightMove::Kind>()))
      ->group(group);
  verb.add_flag("--precondition", a.precondition, "steps by the mean squares of each weight's gradient")->group(group);
  verb.add_option("--step-size", a.c.chain.step_size,
                  "at the start, of the mean loss; 0: 0.5, with --precondition 0.001, a tenth of that for sghmc")
      ->group(group);
  verb.add_option("--step-schedule", a.schedule,
                  "cosine: down to a hundredth through the burn-in; cyclical: and again for each draw; constant")
      ->check(CLI::IsMember(names_of<ImageChainOptions::Steps>()))
      ->group(group);
  verb.add_option("--temperature", a.c.chain.temperature, "of the weights' law; 0: 1 / sqrt(images)")->group(group);
  verb.add_option("--friction", a.c.chain.friction, "sghmc")->group(group);
  group = "Masks";
  verb.add_flag("--no-masks", a.no_masks, "all channels stay")->group(group);
  verb.add_option("--mask-every", a.c.chain.mask_every,
                  "batches from one time of mask moves to the next; the paper has 10")
      ->group(group);
  verb.add_option("--mask-moves", a.c.chain.mask_moves, "mask moves at a time, as in the paper")->group(group);
  verb.add_option("--refit-moves", a.c.chain.refit_moves,
                  "further moves at a time, all in one layer, whose other channels make up for the change; -1: half as "
                  "many as it has channels at the start, at most 32")
      ->group(group);
  verb.add_option(
          "--mask-test", a.test,
          "how a move is judged: sequential, on as many batches as it takes; plain or mhbt, on one; tuna needs a "
          "bound that these networks do not have")
      ->check(CLI::IsMember(names_of<MaskTest>()))
      ->group(group);
  verb.add_option("--mask-pool", a.c.chain.mask_pool, "sequential: the batches that may be looked at")->group(group);
  verb.add_option("--birth", a.birth, "uniform, reciprocal or linear")
      ->check(CLI::IsMember(names_of<Rule>()))
      ->group(group);
  verb.add_option("--death", a.death, "uniform, reciprocal or linear")
      ->check(CLI::IsMember(names_of<Rule>()))
      ->group(group);
  verb.add_option("--max-flips", a.c.chain.birth_death.max_flips, "channels of a move, at most")->group(group);
  verb.add_option("--candidates", a.c.chain.birth_death.candidates,
                  "inactive channels that an informed birth chooses from; 0: all")
      ->group(group);
}

void add_options(CLI::App& verb, FitArguments& a) {
  verb.option_defaults()->always_capture_default();
  verb.add_option("--data", a.c.data, "the directory of the training images, as scripts/data writes it")->required();
  verb.add_option("--out", a.out, "the fit to write")->required();
  verb.add_flag("--force", a.force, "replace an existing fit");
  verb.add_option("--seed", a.c.chain.loader.seed, "of all randomness");
  add_settings(verb, a);
  verb.add_option("--checkpoint-seconds", a.checkpoint_seconds, "from checkpoint to checkpoint")->group("Output");
}

void set_augmentation(LoaderOptions& loader, bool on) {
  loader.crop_padding = on ? 4 : 0;
  loader.flip = on;
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

int fit(FitArguments a, const Common& common) {
  require(a.checkpoint_seconds >= 0, "--checkpoint-seconds", a.checkpoint_seconds, "must not be negative");
  ImageChainOptions& chain = a.c.chain;
  a.write_names();
  a.c.data = std::filesystem::absolute(a.c.data).lexically_normal().string();
  ImageSet training = training_images(a.c);
  set_augmentation(chain.loader, a.augment == "on" || (a.augment == "auto" && training.channels == 3));
  FitFile file = create_image_fit(a.out, a.c, training, a.force);
  if (!common.quiet) {
    const ImageModel model = image_model(a.c, training);
    const ImageCost cost = image_cost(model.architecture, model.architecture.initial_gates());
    fmt::print(
        stderr, "{} images of {} x {} x {}, {} classes; {} gates, {} parameters, {:.1f} million multiply-adds; {}\n",
        training.count, training.channels, training.height, training.width, training.classes,
        model.architecture.gates(), cost.parameters, static_cast<double>(cost.multiply_adds) / 1e6, length_of(a.c));
  }
  return run(file, std::move(training), a.checkpoint_seconds, common.thread_count(), common);
}

void parse_settings(CLI::App& parser, const std::vector<std::string>& options, FitArguments& arguments) {
  arguments.read_names();
  parser.set_help_flag();
  add_settings(parser, arguments);
  parse_behind_dashes(parser, options, "mbnn image fit");
  if (parser.count("--method") > 0)
    throw InputError("options of mbnn image fit behind --: --method is what --methods of the study says");
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

void check_image_options(const std::vector<std::string>& options) {
  FitArguments arguments;
  CLI::App parser;
  parse_settings(parser, options, arguments);
}

void apply_image_options(const std::vector<std::string>& options, ImageConfiguration& configuration) {
  FitArguments arguments;
  arguments.c = configuration;
  CLI::App parser;
  parse_settings(parser, options, arguments);
  if (configuration.chain.total_epochs > 0 && arguments.c.chain.total_epochs > 0)
    for (const char* name : {"--burn-in", "--thin"})
      if (parser.count(name) > 0)
        throw InputError(
            fmt::format("{} behind --: the study sets the number of epochs; give -- --epochs N instead", name));
  try {
    refuse_foreign_options(parser, arguments.method);
    refuse_idle_options(parser, arguments);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("options of mbnn image fit behind --: {}; run it by --methods of its own", error.what()));
  }
  arguments.write_names();
  configuration = arguments.c;
  if (arguments.augment != "auto") set_augmentation(configuration.chain.loader, arguments.augment == "on");
}

void add_image_fit(CLI::App& image, Common& common, Action& action) {
  auto* verb =
      image.add_subcommand("fit", "sample masks and weights of a convolutional network, or train another method's");
  auto arguments = std::make_shared<FitArguments>();
  arguments->read_names();
  add_options(*verb, *arguments);
  add_common_options(*verb, common);
  verb->footer("Example:\n  mbnn image fit --data data/fashion-mnist --network cnn --epochs 10 --out fashion.mbnn");
  verb->callback([=, &common, &action] {
    action = [=, &common] {
      refuse_foreign_options(*verb, arguments->method);
      refuse_idle_options(*verb, *arguments);
      return fit(*arguments, common);
    };
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
