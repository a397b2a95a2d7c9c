#include "apps/mbnn/image_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>

#include "apps/mbnn/parse_errors.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"

namespace mbnn::app {

namespace {

void add_baseline_options(CLI::App& verb, ImageFitArguments& a) {
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
void refuse_idle_options(const CLI::App& verb, const ImageFitArguments& a) {
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
void add_settings(CLI::App& verb, ImageFitArguments& a) {
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

void parse_settings(CLI::App& parser, const std::vector<std::string>& options, ImageFitArguments& arguments) {
  arguments.read_names();
  parser.set_help_flag();
  add_settings(parser, arguments);
  parse_behind_dashes(parser, options, "mbnn image fit");
  if (parser.count("--method") > 0)
    throw InputError("options of mbnn image fit behind --: --method is what --methods of the study says");
}

}  // namespace

void set_augmentation(LoaderOptions& loader, bool on) {
  loader.crop_padding = on ? 4 : 0;
  loader.flip = on;
}

void add_image_options(CLI::App& verb, ImageFitArguments& a) {
  verb.option_defaults()->always_capture_default();
  verb.add_option("--data", a.c.data, "the directory of the training images, as scripts/data writes it")->required();
  verb.add_option("--out", a.out, "the fit to write")->required();
  verb.add_flag("--force", a.force, "replace an existing fit");
  verb.add_option("--seed", a.c.chain.loader.seed, "of all randomness");
  add_settings(verb, a);
  verb.add_option("--checkpoint-seconds", a.checkpoint_seconds, "from checkpoint to checkpoint")->group("Output");
}

void refuse_image_options(const CLI::App& verb, const ImageFitArguments& a) {
  refuse_foreign_options(verb, a.method);
  refuse_idle_options(verb, a);
}

void check_image_options(const std::vector<std::string>& options) {
  ImageFitArguments arguments;
  CLI::App parser;
  parse_settings(parser, options, arguments);
}

void apply_image_options(const std::vector<std::string>& options, ImageConfiguration& configuration) {
  ImageFitArguments arguments;
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

}  // namespace mbnn::app
