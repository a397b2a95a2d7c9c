// The options of image fits: through JSON both ways, from files of earlier versions, and refused where of no use.
#include "mbnn/images/image_configuration.h"

#include "tests/support/declared_options.h"

namespace mbnn {
namespace {

// As version 0.1.0 wrote them, before options were declared.
const char* const kImage =
    R"({"base_width": 2, "baseline": null, "batch": 20, "birth": "uniform", "burn_in": 5, "candidates": 32,
        "crop_padding": 0, "data": "data", "death": "reciprocal", "draws": 1, "epochs": 1, "flip": false,
        "friction": 0.1, "headroom": 1.25, "kind": "image", "lambda": 0.05, "mask_every": 50, "mask_moves": 1,
        "mask_pool": 20, "mask_test": "sequential", "masks": true, "max_flips": 3, "method": "mbnn", "network": "cnn",
        "precondition": false, "prior_scale": 0.1, "refit_moves": -1, "sampler": "sgld", "seed": 1, "step_size": 0.0,
        "steps": "cosine", "temperature": 0.0, "thin": 20, "training_images": 0})";

const char* const kImageChanged =
    R"({"base_width": 2, "baseline": null, "batch": 10, "birth": "linear", "burn_in": 2, "candidates": 7,
        "crop_padding": 4, "data": "data", "death": "uniform", "draws": 1, "epochs": 0, "flip": true, "friction": 0.3,
        "headroom": 1.5, "kind": "image", "lambda": 0.2, "mask_every": 3, "mask_moves": 2, "mask_pool": 5,
        "mask_test": "sequential", "masks": true, "max_flips": 2, "method": "mbnn", "network": "resnet18",
        "precondition": true, "prior_scale": 0.3, "refit_moves": 1, "sampler": "sghmc", "seed": 4, "step_size": 0.002,
        "steps": "cyclical", "temperature": 0.1, "thin": 1, "training_images": 50})";

const char* const kImageEnsemble =
    R"({"base_width": 2, "baseline": {"candidates": 48, "drop_probability": 0.9, "drop_share": 0.4, "flops": 0.25,
        "learning_rate": 0.01, "norm_batches": 50, "population": 16, "prune_above": -3.0, "scale_rate": 0.0,
        "tournament": 4, "tuning_batches": 10, "variational_rate": 0.0001, "weight_decay": 0.001}, "batch": 20,
        "birth": "uniform", "burn_in": 5, "candidates": 32, "crop_padding": 0, "data": "data", "death": "reciprocal",
        "draws": 1, "epochs": 1, "flip": false, "friction": 0.1, "headroom": 1.25, "kind": "image", "lambda": 0.05,
        "mask_every": 50, "mask_moves": 1, "mask_pool": 20, "mask_test": "sequential", "masks": true, "max_flips": 3,
        "method": "ensemble", "network": "cnn", "precondition": false, "prior_scale": 0.1, "refit_moves": -1,
        "sampler": "sgld", "seed": 1, "step_size": 0.0, "steps": "cosine", "temperature": 0.0, "thin": 20,
        "training_images": 0})";

const char* const kImageNsEns =
    R"({"base_width": 2, "baseline": {"candidates": 4, "drop_probability": 0.9, "drop_share": 0.4, "flops": 0.5,
        "learning_rate": 0.0, "norm_batches": 50, "population": 3, "prune_above": -3.0, "scale_rate": 0.0,
        "tournament": 2, "tuning_batches": 1, "variational_rate": 0.0001, "weight_decay": 0.0005}, "batch": 20,
        "birth": "uniform", "burn_in": 5, "candidates": 32, "crop_padding": 0, "data": "data", "death": "reciprocal",
        "draws": 1, "epochs": 2, "flip": false, "friction": 0.1, "headroom": 1.25, "kind": "image", "lambda": 0.05,
        "mask_every": 50, "mask_moves": 1, "mask_pool": 20, "mask_test": "sequential", "masks": true, "max_flips": 3,
        "method": "ns-ens", "network": "cnn", "precondition": false, "prior_scale": 0.1, "refit_moves": -1,
        "sampler": "sgld", "seed": 1, "step_size": 0.0, "steps": "cosine", "temperature": 0.0, "thin": 20,
        "training_images": 0})";

const char* const kImageNsMc =
    R"({"base_width": 2, "baseline": {"candidates": 48, "drop_probability": 0.8, "drop_share": 0.3, "flops": 0.25,
        "learning_rate": 0.0, "norm_batches": 2, "population": 16, "prune_above": -3.0, "scale_rate": 0.0,
        "tournament": 4, "tuning_batches": 10, "variational_rate": 0.0001, "weight_decay": 0.0005}, "batch": 20,
        "birth": "uniform", "burn_in": 5, "candidates": 32, "crop_padding": 0, "data": "data", "death": "reciprocal",
        "draws": 1, "epochs": 1, "flip": false, "friction": 0.1, "headroom": 1.25, "kind": "image", "lambda": 0.05,
        "mask_every": 50, "mask_moves": 1, "mask_pool": 20, "mask_test": "sequential", "masks": true, "max_flips": 3,
        "method": "ns-mc", "network": "cnn", "precondition": false, "prior_scale": 0.1, "refit_moves": -1,
        "sampler": "sgld", "seed": 1, "step_size": 0.0, "steps": "cosine", "temperature": 0.0, "thin": 20,
        "training_images": 0})";

const char* const kImageNsVi =
    R"({"base_width": 2, "baseline": {"candidates": 48, "drop_probability": 0.9, "drop_share": 0.4, "flops": 0.25,
        "learning_rate": 0.0, "norm_batches": 2, "population": 16, "prune_above": -2.0, "scale_rate": 0.01,
        "tournament": 4, "tuning_batches": 10, "variational_rate": 0.001, "weight_decay": 0.0005}, "batch": 20,
        "birth": "uniform", "burn_in": 5, "candidates": 32, "crop_padding": 0, "data": "data", "death": "reciprocal",
        "draws": 1, "epochs": 1, "flip": false, "friction": 0.1, "headroom": 1.25, "kind": "image", "lambda": 0.05,
        "mask_every": 50, "mask_moves": 1, "mask_pool": 20, "mask_test": "sequential", "masks": true, "max_flips": 3,
        "method": "ns-vi", "network": "cnn", "precondition": false, "prior_scale": 0.1, "refit_moves": -1,
        "sampler": "sgld", "seed": 1, "step_size": 0.0, "steps": "cosine", "temperature": 0.0, "thin": 20,
        "training_images": 0})";

const std::vector<GivenOptions> kSettings{{},
                                          {{"epochs", "3"}},
                                          {{"sampler", "sghmc"}},
                                          {{"birth", "linear"}},
                                          {{"method", "ns-ens"}},
                                          {{"method", "ns-mc"}},
                                          {{"method", "ns-vi"}}};

TEST(ImageOptions, GoThroughJsonBothWays) {
  expect_options_survive<ImageConfiguration>(
      kSettings, [](const ImageConfiguration& c) { return c.to_json(); }, ImageConfiguration::from_json);
}

TEST(ImageOptions, OfNoUseAreRefused) {
  std::vector<GivenOptions> settings = kSettings;
  for (const GivenOption& one : {GivenOption{"masks", "off"}, {"mask-test", "plain"}, {"mask-moves", "0"}})
    settings.push_back(GivenOptions{one});
  expect_idle_ones_refused<ImageConfiguration>(settings, {"preset", "data", "method", "seed", "network", "base-width",
                                                          "images", "chains", "batch", "augment", "epochs", "draws"});
}

TEST(ImageOptions, FilesOfEarlierVersionsStayAsTheyWere) {
  for (const char* text : {kImage, kImageChanged, kImageEnsemble, kImageNsEns, kImageNsMc, kImageNsVi})
    EXPECT_EQ(ImageConfiguration::from_json(nlohmann::json::parse(text)).to_json().dump(),
              nlohmann::json::parse(text).dump());
}

TEST(ImageOptions, FilesOfEarlierVersionsAreRead) {
  const ImageConfiguration c = ImageConfiguration::from_json(nlohmann::json::parse(kImageChanged));
  EXPECT_EQ(c.network, NetworkKind::resnet18);
  EXPECT_EQ(c.base_width, 2u);
  EXPECT_EQ(c.headroom, 1.5);
  EXPECT_EQ(c.lambda, 0.2);
  EXPECT_EQ(c.prior_scale, 0.3);
  EXPECT_EQ(c.training_images, 50u);
  const ImageChainOptions& o = c.chain;
  EXPECT_EQ(std::vector({o.loader.batch, o.loader.crop_padding, o.loader.seed}), (std::vector<std::size_t>{10, 4, 4}));
  EXPECT_TRUE(o.loader.flip && o.precondition && o.masks);
  EXPECT_EQ(o.sampler, WeightMove::Kind::sghmc);
  EXPECT_EQ(o.steps, ImageChainOptions::Steps::cyclical);
  EXPECT_EQ(o.step_size, 0.002);
  EXPECT_EQ(o.temperature, 0.1);
  EXPECT_EQ(o.friction, 0.3);
  EXPECT_EQ(std::vector({o.draws, o.burn_in, o.thin, o.mask_every, o.refit_moves}),
            (std::vector<std::int64_t>{1, 2, 1, 3, 1}));
  EXPECT_EQ(std::vector({o.mask_moves, o.mask_pool, o.birth_death.max_flips, o.birth_death.candidates}),
            (std::vector<std::size_t>{2, 5, 2, 7}));
  EXPECT_EQ(o.birth_death.birth, Rule::linear);
  EXPECT_EQ(o.birth_death.death, Rule::uniform);

  const auto baseline = [](const char* text) {
    return ImageConfiguration::from_json(nlohmann::json::parse(text)).baseline;
  };
  EXPECT_EQ(baseline(kImageEnsemble).learning_rate, 0.01);
  EXPECT_EQ(baseline(kImageEnsemble).weight_decay, 0.001);
  const ImageBaselineOptions pruned = baseline(kImageNsEns);
  EXPECT_EQ(pruned.flops, 0.5);
  EXPECT_EQ(std::vector({pruned.population, pruned.tournament, pruned.candidates}),
            (std::vector<std::size_t>{3, 2, 4}));
  EXPECT_EQ(pruned.tuning_batches, 1);
  EXPECT_EQ(baseline(kImageNsMc).drop_share, 0.3);
  EXPECT_EQ(baseline(kImageNsMc).drop_probability, 0.8);
  EXPECT_EQ(baseline(kImageNsMc).norm_batches, 2);
  EXPECT_EQ(baseline(kImageNsVi).variational_rate, 0.001);
  EXPECT_EQ(baseline(kImageNsVi).scale_rate, 0.01);
  EXPECT_EQ(baseline(kImageNsVi).prune_above, -2);
}

// Their epochs stood among the options of other methods.
TEST(ImageOptions, EpochsOfOlderFilesAreFound) {
  nlohmann::json json = nlohmann::json::parse(kImageEnsemble);
  json["baseline"]["epochs"] = json.at("epochs");
  json.erase("epochs");
  EXPECT_EQ(ImageConfiguration::from_json(json).chain.total_epochs, 1);
}

TEST(ImageOptions, AugmentationIsSettledByThePicturesUnlessItIsSaid) {
  ImageSet colour, grey;
  colour.channels = 3;
  grey.channels = 1;
  const auto flips = [](const GivenOptions& given, const ImageSet& images) {
    auto c = configured<ImageConfiguration>(given);
    c.settle(images);
    EXPECT_EQ(c.chain.loader.crop_padding, c.chain.loader.flip ? 4u : 0u);
    return c.chain.loader.flip;
  };
  EXPECT_TRUE(flips({}, colour));
  EXPECT_FALSE(flips({}, grey));
  EXPECT_TRUE(flips({{"augment", "on"}}, grey));
  EXPECT_FALSE(flips({{"augment", "off"}}, colour));
}

}  // namespace
}  // namespace mbnn
