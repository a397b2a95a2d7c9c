// mbnn image: masked convolutional networks; the verbs that read a fit are here, those that write one in image_fit.cpp.
#include "apps/mbnn/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "apps/common/details.h"
#include "apps/mbnn/session.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/images/image_problem.h"
#include "mbnn/images/scores.h"

namespace mbnn::app {

void add_image(CLI::App& app, Common& common, Action& action) {
  auto* image = app.add_subcommand("image", "masked convolutional networks: images in, a compact posterior out");
  image->require_subcommand(1);
  add_image_fit(*image, common, action);
  add_resume(*image, common, action);  // as it was called before all fits had one verb
  image->get_subcommand("resume")->group("");
  add_image_evaluate(*image, common, action);
  add_image_predict(*image, common, action);
  add_image_export(*image, common, action);
  details_of(*image).known_as = {"images", "picture", "pictures", "cnn"};
  image->footer(
      "mbnn image VERB --help shows a verb's options. resume, diagnose and summary work on these fits, too.\n"
      "Example:\n"
      "  mbnn image fit --data data/fashion-mnist --network cnn --epochs 5 --out fashion.mbnn\n"
      "  mbnn image evaluate fashion.mbnn --data data/fashion-mnist");
}

namespace {

// The draws of a fit, or the networks of a file that image export wrote.
std::vector<CompactNetwork> networks_in(const std::string& path) {
  std::ifstream begin(path, std::ios::binary);
  std::string magic(4, ' ');
  if (begin.read(magic.data(), 4) && magic == "mbnn") return read_network_file(path);
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  const auto problem = problem_of(file);
  if (problem->kind() != "image")
    throw InputError(fmt::format("{} is a fit of a table or a series, not of images", path));
  std::vector<std::string> unfinished;
  require_draws(file, *problem, unfinished);
  return stored_networks(file);
}

// Of all files together: chains with seeds of their own are one sample, whichever machines they ran on.
std::vector<CompactNetwork> load_networks(const ImageArguments& arguments) {
  std::vector<CompactNetwork> all;
  std::set<std::filesystem::path> known;
  for (const std::string& path : arguments.fits) {
    std::error_code none;
    if (!known.insert(std::filesystem::weakly_canonical(path, none)).second)
      throw InputError(fmt::format("{} is named twice: its networks would count twice", path));
    auto networks = networks_in(path);
    if (arguments.draw) {
      require_option(*arguments.draw <= networks.size(), "draw", *arguments.draw,
                     fmt::format("there are {} draws in {}", networks.size(), path));
      networks = {networks[*arguments.draw - 1]};
    }
    if (!all.empty() && !may_be_averaged(all.front(), networks.front()))
      throw InputError(fmt::format(
          "{} and {} differ in their network or in the scaling of pixels: their predictions cannot be averaged",
          arguments.fits.front(), path));
    std::ranges::move(networks, std::back_inserter(all));
  }
  return all;
}

ImageSet read_split(const ImageArguments& arguments, Labels wanted) {
  ImageSet images = read_images(arguments.data, arguments.split, wanted);
  images.count = std::min(images.count, arguments.limit.value_or(images.count));
  return images;
}

}  // namespace

int evaluate_images(const ImageArguments& arguments, const Common& common) {
  const auto networks = load_networks(arguments);
  const ImageSet images = read_split(arguments, Labels::required);
  const std::size_t threads = common.thread_count();
  const auto [m, calibration] = score_images(networks, images, threads);
  const ImageSavings savings = measure_savings(networks, arguments.latency_images, threads);
  if (common.json) {
    const nlohmann::json json{{"images", m.n},
                              {"draws", networks.size()},
                              {"accuracy", m.accuracy},
                              {"nll", m.nll},
                              {"ece", m.ece},
                              {"marginal_calibration_error", calibration.error},
                              {"marginal_calibration_error_squared", calibration.squared},
                              {"brier", m.brier},
                              {"flops_percent", savings.flops_percent},
                              {"capacity_percent", savings.capacity_percent},
                              {"latency_images", arguments.latency_images},
                              {"latency_seconds", savings.seconds},
                              {"dense_latency_seconds", savings.dense_seconds},
                              {"bytes", savings.bytes},
                              {"dense_bytes", savings.dense_bytes},
                              {"threads", threads}};
    fmt::print("{}\n", json.dump(2));
    return good;
  }
  fmt::print(
      "images      {}, {} draws\naccuracy    {:.4f}\nnll         {:.4f}\nece         {:.4f} (predicted class, 15 "
      "bins)\n"
      "marginal    {:.4f} (debiased calibration error of all classes)\nbrier       {:.4f}\n",
      m.n, networks.size(), m.accuracy, m.nll, m.ece, calibration.error, m.brier);
  fmt::print("FLOPs       {:.2f}% of the network at the start\ncapacity    {:.2f}%\n", savings.flops_percent,
             savings.capacity_percent);
  fmt::print("latency     {:.1f} ms for {} images, {:.1f} dense: {:.1f} times as fast\n", 1e3 * savings.seconds,
             arguments.latency_images, 1e3 * savings.dense_seconds, savings.dense_seconds / savings.seconds);
  fmt::print("size        {:.0f} kB a draw, {:.0f} dense\n", savings.bytes / 1e3, savings.dense_bytes / 1e3);
  return good;
}

int predict_images(const ImageArguments& arguments, const Common& common) {
  const auto networks = load_networks(arguments);
  const ImageSet images = read_split(arguments, Labels::optional);
  ImagePredictor predictor(networks, common.thread_count());
  OutputFile out(arguments.out);
  out.print("class");
  for (std::size_t k = 0; k < predictor.classes(); ++k) out.print(fmt::format(",p_{}", k));
  out.print("\n");
  predictor.for_each_image(images, [&](std::size_t, std::span<const double> p) {
    out.print(fmt::format("{},{:.6g}\n", std::max_element(p.begin(), p.end()) - p.begin(), fmt::join(p, ",")));
  });
  out.place();
  out.report({{"file", arguments.out}, {"rows", images.count}}, common);
  return good;
}

namespace {

int export_networks(const ImageArguments& arguments, const Common& common) {
  const auto networks = load_networks(arguments);
  OutputFile out(arguments.out);
  for (const CompactNetwork& network : networks) {
    const auto bytes = to_bytes(network);
    out.print({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  out.place();
  out.report({{"file", arguments.out}, {"networks", networks.size()}}, common, "networks");
  return good;
}

void declare_networks(OptionList& options, ImageArguments& a) {
  OptionValue paths = value_of(a.fits);
  paths.parse = [&a](const std::string& path) { a.fits.push_back(path); };  // which may have commas
  options.group("Options");
  options.add("fit", paths, "image fits, or files that image export wrote; the networks of several predict together")
      .kind("FIT")
      .positional()
      .required()
      .known_as({"model", "fits", "load"});
}

void declare_images(OptionList& options, ImageArguments& a) {
  options.add("data", a.data, "the directory of the images")
      .kind("DIRECTORY")
      .required()
      .known_as({"dataset", "data-dir", "input", "directory"});
  options.add("split", a.split, "which of its images").basic();
  options.add("images", value_of(a.limit, "all"), "only the first so many").old_name("limit").at_least(1).basic();
}

OptionList scoring_options(ImageArguments& a) {
  OptionList options;
  declare_networks(options, a);
  declare_images(options, a);
  options.add("latency-images", a.latency_images, "images of a batch whose time is measured").within(1, 100000).basic();
  return options;
}

OptionList prediction_options(ImageArguments& a) {
  OptionList options;
  declare_networks(options, a);
  declare_images(options, a);
  declare_output(options, a.out, "CSV to write, a row for each image: class,p_0,p_1,...");
  return options;
}

OptionList export_options(ImageArguments& a) {
  OptionList options;
  declare_networks(options, a);
  a.out.clear();  // a network is no text for the screen
  declare_output(options, a.out, "the file to write").required();
  options.add("draw", value_of(a.draw, "all"), "only this draw of each file, counted from 1").at_least(1).basic();
  return options;
}

}  // namespace

void add_image_evaluate(CLI::App& image, Common& common, Action& action) {
  add_verb<ImageArguments>(image, "evaluate", "score a fit, and measure what its networks save", common, action,
                           scoring_options, evaluate_images)
      .footer("Example:\n  mbnn image evaluate fashion.mbnn --data data/fashion-mnist");
}

void add_image_predict(CLI::App& image, Common& common, Action& action) {
  add_verb<ImageArguments>(image, "predict", "class probabilities of images, as a table; labels need not be there",
                           common, action, prediction_options, predict_images)
      .footer("Example:\n  mbnn image predict fashion.mbnn --data data/fashion-mnist --out classes.csv");
}

void add_image_export(CLI::App& image, Common& common, Action& action) {
  add_verb<ImageArguments>(image, "export", "write draws as a compact network file", common, action, export_options,
                           export_networks)
      .footer("Example:\n  mbnn image export fashion.mbnn --out fashion.networks");
}

}  // namespace mbnn::app
