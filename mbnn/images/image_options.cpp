// The options of an image fit, declared once.
#include "mbnn/core/finite.h"
#include "mbnn/core/options.h"
#include "mbnn/images/image_configuration.h"
#include "mbnn/sample/shared_options.h"

namespace mbnn {

namespace {

constexpr std::int64_t kMost = 1'000'000;

// The prior has one law and one scale: cauchy:SCALE.
OptionValue scale_value(double& scale) {
  const std::string family = "cauchy:";
  OptionValue v = value_of(scale);
  v.kind = "cauchy:SCALE";
  v.show = [&scale, family] { return fmt::format("{}{}", family, scale); };
  v.parse = [&scale, family](const std::string& text) {
    const std::string number = text.starts_with(family) ? text.substr(family.size()) : "";
    scale = expecting("cauchy:SCALE", [&] { return parse_real(number); });
  };
  return v;
}

// What it says is settled at once, so that it holds over settings that somebody else has settled.
OptionValue augment_value(ImageConfiguration& c) {
  OptionValue v = value_of(c.augment);
  v.parse = [&c, parse = v.parse](const std::string& text) {
    parse(text);
    if (c.augment != Augment::automatic) c.set_augmentation(c.augment == Augment::on);
  };
  return v;
}

OptionUse of_methods(const ImageConfiguration& c, std::vector<ImageMethod> methods, bool said = true) {
  std::vector<std::string> names;
  for (const ImageMethod m : methods) names.push_back(name_of(m));
  return {[&c, methods] { return std::ranges::find(methods, c.method) != methods.end(); },
          "with method " + one_of(names), said};
}

void add_network(OptionList& options, ImageConfiguration& c, const OptionUse& chain, const OptionUse& masks) {
  options.group("Network");
  options.add("network", c.network, "the architecture")
      .old_name("model")
      .basic()
      .known_as({"arch", "architecture", "backbone"});
  options.add("base-width", c.base_width, "channels of the first unit; 0: 64 for resnet18, 32 for cnn")
      .within(0, kMostBaseWidth)
      .basic();
  options.group("Network", "", {chain});
  options.add("headroom", c.headroom, "the most channels that a unit may have, over those at the start")
      .within(1, kMostHeadroom);
  options.add("lambda", c.lambda, "strength of the prior for narrow layers").positive().only(masks).basic();
  options.add("weight-prior", scale_value(c.prior_scale), "prior of filters and weights")
      .json("prior_scale")
      .must([&c] { return positive(c.prior_scale); }, "the scale must be positive and finite")
      .old_name("prior-scale", "cauchy:{}");
}

void add_images(OptionList& options, ImageConfiguration& c) {
  options.group("Images");
  options.add("images", c.training_images, "train on the first so many; 0: all")
      .json("training_images")
      .known_as({"limit", "num-images", "n-images", "subset"});
  options.add("batch", c.chain.loader.batch, "images of a batch")
      .known_as({"batch-size", "minibatch"})
      .must([&c] { return c.chain.loader.batch >= 2; }, "must be at least 2: batch norm needs more than one image");
  options.add("augment", augment_value(c), "crops and flips; auto: for colour images")
      .known_as({"augmentation", "data-augmentation"})
      .not_stored()
      .json("crop_padding", c.chain.loader.crop_padding)
      .must([&c] { return c.chain.loader.crop_padding <= 1024; }, "crops have at most 1024 black pixels on each side")
      .json("flip", c.chain.loader.flip);
}

void add_lengths(OptionList& options, ImageChainOptions& o) {
  options.group("Length");
  options
      .add(
          "epochs", o.total_epochs,
          "passes over the images: a chain draws in the last eighth of them, ensembles train each network for so many, "
          "ns-vi trains and then compresses for as many. 0: (warmup + draws) * thin")
      .or_from("baseline.epochs")
      .at_least(0)
      .at_most(kMost)
      .basic()
      .known_as({"n-epochs", "num-epochs", "max-epochs", "iterations", "num-iterations", "steps"});
  options.add("draws", o.draws, "draws that are kept; networks of every method")
      .known_as({"samples", "num-samples", "n-samples", "num-draws", "networks", "members", "ensemble-size"})
      .at_least(1)
      .at_most(kMost)
      .basic()
      .json("further_draws", o.further_draws)
      .json_unless(0)
      .must([&o] { return o.further_draws >= 0 && o.further_draws <= kMost - o.draws; },
            fmt::format("must be at most {} in all", kMost));
  options.group("Length", "", {{[&o] { return o.total_epochs == 0; }, "without epochs"}});
  options.add("warmup", o.burn_in, "draws that are left out before the others")
      .json("burn_in")
      .at_least(0)
      .at_most(kMost)
      .must([&o] { return o.burn_in > 0 || o.total_epochs > 0 || o.steps != ImageChainOptions::Steps::cosine; },
            "must be at least 1: the cosine falls in it")
      .old_name("burn-in")
      .known_as({"burnin", "burn", "tune", "num-warmup", "n-warmup"});
  options.add("thin", o.thin, "epochs from draw to draw").at_least(1).at_most(kMost).known_as(thin_words());
}

void add_sampler(OptionList& options, ImageChainOptions& o, const OptionUse& chain) {
  options.group("Sampler", "", {chain});
  options.add("sampler", o.sampler, "how weights move").known_as(sampler_words());
  options.add("precondition", flag_value(o.precondition), "scale steps by the mean square of each weight's gradient");
  options
      .add(
          "step-size", o.step_size,
          "step at the start, of the mean loss, as a learning rate; 0: 0.5, with precondition 0.001, a tenth of it for "
          "sghmc")
      .not_negative()
      .known_as({"lr", "learning-rate", "stepsize", "step", "rate"});
  options
      .add("step-schedule", o.steps,
           "how steps become shorter; cosine: down to a hundredth in the warm-up; cyclical: again for each draw")
      .json("steps");
  options.add("temperature", o.temperature, "temperature of the posterior; 0: 1 / sqrt(images)").not_negative();
  options.add("friction", o.friction, "share of the velocity that a step takes away")
      .must([&o] { return o.friction > 0 && o.friction <= 1; }, "must be above 0 and at most 1")
      .only({[&o] { return o.sampler == WeightMove::Kind::sghmc; }, "with sampler sghmc"});
}

void add_masks(OptionList& options, ImageChainOptions& o, const OptionUse& chain, const OptionUse& masks) {
  options.group("Masks", "", {chain});
  options.add("masks", o.masks, "off: all channels stay").old_name("no-masks", "off");
  options.group("Masks", "", {chain, masks});
  options.add("mask-every", o.mask_every, "batches from one time of mask moves to the next; the paper has 10")
      .at_least(1)
      .at_most(kMost);
  options.add("mask-moves", o.mask_moves, "births and deaths at a time by the two rules")
      .at_least(0)
      .at_most(kMost)
      .must([&o] { return !o.masks || o.mask_moves > 0 || o.refit_moves != 0; },
            "with refit-moves = 0 no mask would ever move; masks off says that all channels stay");
  options
      .add("refit-moves", o.refit_moves,
           "further ones, all in one layer, in which the other channels make up for the change; -1: half as many as it "
           "has channels at the start, at most 32")
      .at_least(-1)
      .at_most(kMost)
      .must([&o] { return o.mask_test != MaskTest::mhbt || o.refit_moves <= 0; },
            "must be 0 with mask-test mhbt: each move needs a new batch");
  options
      .add(
          "mask-test", o.mask_test,
          "how a move is judged: sequential, on as many batches as it takes; plain or mhbt, on one; tuna needs a bound "
          "that these networks do not have")
      .must([&o] { return o.mask_test != MaskTest::tuna; },
            "needs a bound on what a move may do to the log-likelihood of an image; batch norm and filters of any size "
            "leave none. Use sequential, plain or mhbt")
      .must([&o] { return o.mask_test != MaskTest::mhbt || o.mask_moves <= 1; },
            "needs a new batch for each move: mask-moves must be at most 1");
  options.add("mask-pool", o.mask_pool, "batches that may be looked at")
      .at_least(1)
      .at_most(kMost)
      .only({[&o] { return o.mask_test == MaskTest::sequential; }, "with mask-test sequential"});
  add_birth_death(options, o.birth_death, "channels", [&o] { return o.mask_moves > 0; });
}

void add_baseline(OptionList& options, ImageConfiguration& c) {
  using enum ImageMethod;
  ImageBaselineOptions& b = c.baseline;
  const auto group = [&](std::vector<ImageMethod> methods, bool said = true) {
    options.group("Other methods", "baseline.", {of_methods(c, std::move(methods), said)});
  };
  group({ensemble, ns_ens, ns_mc, ns_vi}, false);
  options
      .add("learning-rate", b.learning_rate,
           "step of Adam at the start; 0: 0.001 for resnet18, 0.005 for cnn. A cosine takes it to a hundredth")
      .not_negative()
      .known_as({"lr", "step-size", "rate"});
  options.add("weight-decay", b.weight_decay, "decay of filters and weights, not of biases and norms").not_negative();
  group({ns_ens});
  const auto searched = [&c](auto holds) { return [&c, holds] { return c.method != ns_ens || holds(c.baseline); }; };
  options.add("flops", b.flops, "share of the multiply-adds that pruning leaves")
      .must(searched([](auto& o) { return o.flops <= 1; }), "must be at most 1");
  options.add("search-population", b.population, "rankings that live at a time").json("population").at_most(kMost);
  options.add("search-tournament", b.tournament, "of which the best is the next parent")
      .json("tournament")
      .must(searched([](auto& o) { return o.tournament >= 1 && o.tournament <= o.population; }),
            "must be from 1 to the population");
  options.add("search-candidates", b.candidates, "rankings that are tried for each network")
      .json("candidates")
      .at_most(kMost)
      .must(searched([](auto& o) { return o.candidates >= o.population; }), "must be at least the population");
  options.add("search-batches", b.tuning_batches, "batches of tuning before a ranking is judged")
      .json("tuning_batches")
      .at_most(kMost)
      .must(searched([](auto& o) { return o.tuning_batches >= 1; }), "must be at least 1");
  group({ns_mc});
  options.add("drop-share", b.drop_share, "share of each gate's channels, the smallest, that may be dropped")
      .within(0, 1);
  options.add("drop-probability", b.drop_probability, "probability that each of them is dropped").within(0, 1);
  group({ns_vi});
  options.add("variational-rate", b.variational_rate, "step of Adam on means and norms").positive();
  options.add("scale-rate", b.scale_rate, "step of Adam on scales and log variances; 0: 10 / batches, at least 0.0001")
      .not_negative();
  options.add("prune-above", b.prune_above, "channels with a higher log dropout rate go").finite();
  group({ns_mc, ns_vi});
  options.add("norm-batches", b.norm_batches, "batches that settle the norms of each network")
      .at_least(1)
      .at_most(kMost);
  options.null_unless("baseline", [&c] { return c.method != mbnn; });
}

}  // namespace

OptionList options_of(ImageConfiguration& c) {
  const OptionUse chain = of_methods(c, {ImageMethod::mbnn}, false);
  const OptionUse masks{[&c] { return c.chain.masks; }, "with masks on", false};
  OptionList options;
  options.group("Options");
  options.add("preset", preset_value(c.preset, c), "paper: the paper's moves, and searches of other methods")
      .not_stored();
  options.add("data", c.data, "the directory of the training images, as scripts/data writes it")
      .kind("DIRECTORY")
      .required()
      .known_as({"dataset", "data-dir", "input", "train", "directory", "folder", "root"});
  options
      .add("method", c.method,
           "mbnn, or what it is compared with: ensemble (dense), ns-ens (pruned by LeGR), ns-mc (targeted dropout), "
           "ns-vi (Bayesian compression)")
      .basic()
      .known_as({"algorithm", "algo"});
  options.add("seed", c.chain.loader.seed, "the same seed and as many threads give the same bits")
      .basic()
      .known_as({"random-state", "random-seed", "rng-seed", "rng"});
  options.add("chains", c.chains, "independent chains; chain i, counted from 0, has the seed + i")
      .within(1, 1000)
      .json_unless(1)
      .basic()
      .known_as({"n-chains", "num-chains", "nchains"});
  add_network(options, c, chain, masks);
  add_images(options, c);
  add_lengths(options, c.chain);
  add_sampler(options, c.chain, chain);
  add_masks(options, c.chain, chain, masks);
  add_baseline(options, c);
  return options;
}

nlohmann::json ImageConfiguration::to_json() const {
  ImageConfiguration copy = *this;
  nlohmann::json json = options_of(copy).to_json();
  json["kind"] = "image";
  return json;
}

ImageConfiguration ImageConfiguration::from_json(const nlohmann::json& json) {
  ImageConfiguration c;
  options_of(c).read(json);
  options_of(c).check();
  c.augment = c.chain.loader.flip ? Augment::on : Augment::off;
  return c;
}

void ImageChainOptions::check(std::size_t images) const {
  ImageConfiguration c;
  c.chain = *this;
  options_of(c).check();
  require_option(loader.batch <= images, "batch", loader.batch,
                 fmt::format("must not exceed the {} training images", images));
}

void ImageBaselineOptions::check(ImageMethod method, const ImageArchitecture& architecture,
                                 std::int64_t training_epochs) const {
  ImageConfiguration c;
  c.method = method;
  c.baseline = *this;
  options_of(c).check();
  if (method != ImageMethod::ns_ens) return;
  require_option(training_epochs >= 2, "epochs", training_epochs,
                 "must be at least 2: one before pruning and one after");
  const double least = least_flops(architecture);
  require_option(flops >= least, "flops", flops, fmt::format("must be at least {:.4f}: pruning leaves no less", least));
}

}  // namespace mbnn
