// Table 2 of the paper, its table of MHBT, and the image part of Figure 3: methods and rules on convolutional networks.
#include <fmt/format.h>

#include <map>

#include "apps/reproduce/image_job.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/tables.h"
#include "mbnn/core/error.h"

namespace mbnn::studies {

namespace {

struct ImageStudy {
  std::string title, data;
  NetworkKind network;
  std::size_t base_width;
};

// Ours are what two cores finish in hours; the paper's has the full width.
const std::vector<std::pair<std::string, ImageStudy>> kProblems{
    {"fashion-cnn", {"Fashion-MNIST", "fashion-mnist", NetworkKind::cnn, 16}},
    {"fashion-resnet18", {"Fashion-MNIST", "fashion-mnist", NetworkKind::resnet18, 16}},
    {"cifar10-resnet18", {"CIFAR-10", "cifar10", NetworkKind::resnet18, 16}}};
const std::vector<std::pair<std::string, ImageStudy>> kPaperProblems{
    {"cifar10-resnet18", {"CIFAR-10", "cifar10", NetworkKind::resnet18, 64}},
    {"cifar100-resnet18", {"CIFAR-100", "cifar100", NetworkKind::resnet18, 64}}};

const std::vector<std::pair<std::string, ImageStudy>>& problems(const StudyOptions& options) {
  return options.setting == "paper" ? kPaperProblems : kProblems;
}

// Data and network of a problem, the network as the user's options leave it.
std::string network_title(const ImageStudy& problem, const StudyOptions& options) {
  ImageConfiguration c;
  c.network = problem.network;
  c.base_width = problem.base_width;
  adjust(c, options);
  return fmt::format("{}, {} {}", problem.title, c.network == NetworkKind::cnn ? "CNN" : "ResNet18", c.base_width);
}

template <class Value>
std::vector<std::string> keys_of(const std::vector<std::pair<std::string, Value>>& list) {
  std::vector<std::string> names;
  for (const auto& [name, value] : list) names.push_back(name);
  return names;
}

template <class Value>
const Value& entry(const std::vector<std::pair<std::string, Value>>& list, const std::string& name) {
  for (const auto& [key, value] : list)
    if (key == name) return value;
  throw Error(fmt::format("there is no {}", name));
}

// The paper's moves, their number and its test of them.
void as_in_the_paper(ImageConfiguration& c) {
  c.chain.mask_every = 10;
  c.chain.refit_moves = 0;
  c.chain.mask_test = MaskTest::plain;
}

const std::vector<Fixed> kPaperMoves{{"/refit_moves", "--refit-moves"}, {"/mask_test", "--mask-test"}};

struct StudiedMethod {
  void (*change)(ImageConfiguration&);
  std::vector<Fixed> fixed = {};
};
const std::vector<std::pair<std::string, StudiedMethod>> kImageMethods{
    {"mbnn", {[](ImageConfiguration&) {}}},
    {"mbnn-0.1", {[](ImageConfiguration& c) { c.lambda = 0.1; }, {{"/lambda", "--lambda"}}}},
    {"mbnn-plain", {as_in_the_paper, kPaperMoves}},
    {"mbnn-mhbt",
     {[](ImageConfiguration& c) {
        as_in_the_paper(c);
        c.chain.mask_test = MaskTest::mhbt;
      },
      kPaperMoves}},
    {"ensemble", {[](ImageConfiguration& c) { c.method = ImageMethod::ensemble; }}},
    {"ns-ens", {[](ImageConfiguration& c) { c.method = ImageMethod::ns_ens; }}},
    {"ns-mc", {[](ImageConfiguration& c) { c.method = ImageMethod::ns_mc; }}},
    {"ns-vi", {[](ImageConfiguration& c) { c.method = ImageMethod::ns_vi; }}}};
const std::map<std::string, std::string> kImageMethodTitles{{"mbnn", "mBCNN"},
                                                            {"mbnn-0.1", "mBCNN, λ = 0.1"},
                                                            {"mbnn-plain", "mBCNN, the paper's moves"},
                                                            {"mbnn-mhbt", "mBCNN, the paper's moves with MHBT"},
                                                            {"ensemble", "dense ensemble"},
                                                            {"ns-ens", "NS-Ens"},
                                                            {"ns-mc", "NS-MC"},
                                                            {"ns-vi", "NS-VI"}};

// In the paper's setting every chain has its moves, so there is no variant of them.
std::vector<std::string> method_names(const StudyOptions& options) {
  auto names = keys_of(kImageMethods);
  if (options.setting == "paper") std::erase(names, "mbnn-plain");
  return names;
}

ImageConfiguration base_of(const ImageStudy& problem, const ImageData& data, std::size_t repetition,
                           const StudyOptions& options) {
  ImageConfiguration c;
  c.network = problem.network;
  c.base_width = problem.base_width;
  c.chain.loader.seed = options.seed + repetition - 1;
  if (data.training().channels == 3) {
    c.chain.loader.crop_padding = 4;
    c.chain.loader.flip = true;
  }
  if (options.setting != "paper") {
    c.chain.total_epochs = 10;
    return c;
  }
  as_in_the_paper(c);
  if (data.name() == "cifar100") c.baseline.drop_share = 0.3;
  c.baseline.population = 64;
  c.baseline.tournament = 16;
  c.baseline.candidates = 400;
  c.baseline.tuning_batches = 200;
  return c;
}

std::vector<Job> image_jobs(const StudyOptions& options) {
  const auto& known = problems(options);
  std::vector<Job> jobs;
  std::map<std::string, ImageData> data;  // by their names: problems may share them
  const auto methods = chosen(options.methods, method_names(options), "--methods");
  const auto sets = chosen(options.sets, keys_of(known), "--sets");
  for (const auto& set : sets) data.try_emplace(entry(known, set).data, entry(known, set).data, options);
  for (std::size_t repetition : options.splits)
    for (const auto& set : sets)
      for (const auto& method : methods) {
        const ImageData& images = data.at(entry(known, set).data);
        ImageConfiguration c = base_of(entry(known, set), images, repetition, options);
        entry(kImageMethods, method).change(c);
        adjust(c, options, method, entry(kImageMethods, method).fixed);
        jobs.push_back(image_job({set, method, std::to_string(repetition)}, images, c));
      }
  return jobs;
}

struct PaperRow {
  const char *set, *method;
  const char *accuracy, *nll, *ece, *flops, *capacity;
};
constexpr PaperRow kPaperImages[] = {
    {"cifar10-resnet18", "NS-VI", "0.906", "0.298", "0.009", "44.85", "23.24"},
    {"cifar10-resnet18", "NS-Ens", "0.926", "0.255", "0.012", "22.45", "12.78"},
    {"cifar10-resnet18", "NS-MC", "0.918", "0.525", "0.020", "41.16", "41.07"},
    {"cifar10-resnet18", "mBCNN", "0.932", "0.220", "0.008", "12.26", "3.47"},
    {"cifar10-resnet18", "mBCNN with MHBT", "0.933", "0.206", "0.006", "12.92", "3.82"},
    {"cifar100-resnet18", "NS-VI", "0.600", "1.977", "0.006", "37.38", "41.61"},
    {"cifar100-resnet18", "NS-Ens", "0.735", "1.076", "0.002", "27.02", "20.08"},
    {"cifar100-resnet18", "NS-MC", "0.679", "2.792", "0.006", "53.50", "53.45"},
    {"cifar100-resnet18", "mBCNN", "0.737", "1.004", "0.002", "18.34", "12.21"},
    {"cifar100-resnet18", "mBCNN with MHBT", "0.740", "0.982", "0.002", "21.52", "14.27"}};

std::string mean_in_kilobytes(const std::vector<Row>& rows) {
  return fmt::format("{:.0f}", summarise(rows, "bytes").mean / 1000);
}

std::string images_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable table({"data, network", "method", "seeds", "accuracy", "NLL", "ECE", "marginal error", "FLOPs %",
                       "capacity %", "file, kB", "times as fast as dense", "batches", "CPU s a fit"});
  for (const auto& [set, problem] : problems(options)) {
    for (const auto& [method, change] : kImageMethods) {
      const auto mine = select(rows, {{"set", set}, {"method", method}});
      if (mine.empty()) continue;
      const auto figure = [&](const char* column, int digits) {
        return mean_and_error(summarise(mine, column), digits);
      };
      table.add({network_title(problem, options), kImageMethodTitles.at(method), std::to_string(mine.size()),
                 figure("accuracy", 4), figure("nll", 4), figure("ece", 4), figure("marginal", 4), figure("flops", 1),
                 figure("capacity", 1), mean_in_kilobytes(mine), mean_only(summarise(mine, "speedup"), 1),
                 mean_only(summarise(mine, "batches"), 0), mean_only(summarise(mine, "cpu_seconds"), 0)});
    }
    if (options.setting != "paper") continue;
    for (const PaperRow& p : kPaperImages)
      if (set == p.set)
        table.add({network_title(problem, {}), fmt::format("{}, *paper*", p.method), "*3*", p.accuracy, p.nll, "",
                   p.ece, p.flops, p.capacity, "", "", "*100000*", ""});
  }
  return fmt::format(
             "Setting `{}`; means ± standard errors over seeds. The networks of a fit predict together. FLOPs and "
             "capacity are those of one, relative to the dense one.\n\n",
             options.setting) +
         table.text();
}

std::vector<Job> channel_proposal_jobs(const StudyOptions& options) {
  const auto& known = problems(options);
  std::vector<Job> jobs;
  auto sets = chosen(options.sets, keys_of(known), "--sets");
  if (options.sets.empty()) sets.resize(1);  // the smallest
  for (const auto& set : sets) {
    const ImageData images(entry(known, set).data, options);
    for (std::size_t repetition : options.splits)
      for (const auto& pair : chosen(options.methods, rule_pairs(), "--methods")) {
        ImageConfiguration c = base_of(entry(known, set), images, repetition, options);
        c.chain.draws = 1;
        if (options.setting != "paper") {  // 5 epochs of burn-in and one more
          c.chain.total_epochs = 0;
          c.chain.thin = 1;
        }
        as_in_the_paper(c);
        set_rules(pair, c.chain.birth_death);
        adjust(c, options, pair, {{"/birth", "--birth"}, {"/death", "--death"}});
        jobs.push_back(image_job({set, pair, std::to_string(repetition)}, images, c));
      }
  }
  return jobs;
}

std::string channel_proposals_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable table({"data, network", "birth", "death", "channels left", "births accepted", "deaths accepted",
                       "accuracy", "NLL", "CPU s a fit"});
  for (const auto& [set, problem] : problems(options))
    for (const auto& pair : rule_pairs()) {
      const auto mine = select(rows, {{"set", set}, {"rules", pair}});
      if (mine.empty()) continue;
      const auto dash = pair.find('-');
      table.add({network_title(problem, options), pair.substr(0, dash), pair.substr(dash + 1),
                 fmt::format("{} of {}", mean_only(summarise(mine, "channels"), 0),
                             mean_only(summarise(mine, "dense_channels"), 0)),
                 mean_only(summarise(mine, "births"), 0), mean_only(summarise(mine, "deaths"), 0),
                 mean_only(summarise(mine, "accuracy"), 4), mean_only(summarise(mine, "nll"), 4),
                 mean_only(summarise(mine, "cpu_seconds"), 0)});
    }
  return fmt::format("Setting `{}`. The paper's own choice is birth uniform, death reciprocal.\n\n", options.setting) +
         table.text();
}

}  // namespace

Study images_study(const StudyOptions& options) {
  Study study;
  study.name = "images";
  study.sets = keys_of(problems(options));
  study.methods = method_names(options);
  study.repetitions = std::string("1");
  study.keys = {"set", "method", "split"};
  study.figures = kImageFigures;
  study.headline = {"accuracy", "nll", "ece", "flops", "capacity"};
  study.jobs = [=] { return image_jobs(options); };
  study.table = [=](const std::vector<Row>& rows) { return images_table(rows, options); };
  return study;
}

Study image_proposals_study(const StudyOptions& options) {
  Study study;
  study.name = "image-proposals";
  study.sets = keys_of(problems(options));
  study.methods = rule_pairs();
  study.repetitions = std::string("1");
  study.keys = {"set", "rules", "split"};
  study.figures = kImageFigures;
  study.headline = {"accuracy", "channels", "births", "deaths"};
  study.jobs = [=] { return channel_proposal_jobs(options); };
  study.table = [=](const std::vector<Row>& rows) { return channel_proposals_table(rows, options); };
  return study;
}

}  // namespace mbnn::studies
