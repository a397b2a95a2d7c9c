// The options of tables: through JSON both ways, from files of earlier versions, and refused where they are of no use.
#include "mbnn/tables/configuration.h"

#include "tests/support/declared_options.h"

namespace mbnn {
namespace {

// As version 0.1.0 wrote them, before options were declared; without the names of traces.
const char* const kTable =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 2, "friction": 0.05, "initial_step": 0.1, "leapfrog_steps": 3,
        "mask_every": 1, "mask_moves": 20, "max_depth": 8, "refit_moves": 20, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 5, "width": 40}, "target_accept": 0.9, "temperature": 1.0, "thin": 1, "warmup": 3}, "chains": 1,
        "data": "r.csv", "hidden": [1000, 1000], "lambda": 0.1, "lambda_choice": "fixed", "masks": true,
        "method": "mcmc", "missing_is_error": false, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0,
        "rate": 0.001, "shape": 1.0}, "one_logit": true, "scale_target": true, "seed": 1, "table": {"categorical": [],
        "delimiter": null, "header": true, "ignore": ["kind"], "numeric": []}, "target": "y", "task": null,
        "truncation": null, "variational": null, "weight_prior": {"degrees": 3.0, "family": "cauchy",
        "learn_scale": false, "scale": 0.3, "spread": 0.5}})";

const char* const kTableChanged =
    R"({"chain": {"batch": 20, "batches": 3, "birth_death": {"birth": "linear", "candidates": 6, "death": "linear",
        "max_flips": 2}, "draws": 3, "friction": 0.2, "initial_step": 0.1, "leapfrog_steps": 100, "mask_every": 3,
        "mask_moves": 4, "mask_test": "mhbt", "max_depth": 8, "refit_moves": 20, "sampler": "sghmc",
        "schedule": {"decay": 0.55, "initial": 0.05, "kind": "cosine"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 6, "width": 3}, "target_accept": 0.9, "temperature": 0.5, "thin": 2, "warmup": 4}, "chains": 2,
        "data": "r.csv", "hidden": [7, 5], "lambda": 0.1, "lambda_choice": "learnt", "masks": true, "method": "mcmc",
        "missing_is_error": true, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0, "rate": 0.5, "shape": 2.0},
        "one_logit": false, "outliers": false, "scale_target": false, "seed": 9, "table": {"categorical": ["b"],
        "delimiter": ",", "header": true, "ignore": ["y"], "numeric": ["a"]}, "target": "kind",
        "task": "classification", "truncation": 9.0, "variational": null, "weight_prior": {"degrees": 4.0,
        "family": "student", "learn_scale": true, "scale": 0.7, "spread": 0.5}})";

const char* const kTableNsVi =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 2, "friction": 0.05, "initial_step": 0.1,
        "leapfrog_steps": 100, "mask_every": 1, "mask_moves": 20, "max_depth": 8, "refit_moves": 20, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 2000, "width": 40}, "target_accept": 0.9, "temperature": 1.0, "thin": 5, "warmup": 1000}, "chains": 2,
        "data": "r.csv", "hidden": [6, 6], "lambda": 0.1, "lambda_choice": "fixed", "masks": true, "method": "ns-vi",
        "missing_is_error": false, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0, "rate": 0.001,
        "shape": 1.0}, "one_logit": true, "outliers": false, "scale_target": true, "seed": 1,
        "table": {"categorical": [], "delimiter": null, "header": true, "ignore": ["kind"], "numeric": []},
        "target": "y", "task": null, "truncation": null, "variational": {"batch": 30, "epochs": 4,
        "learning_rate": 0.02, "threshold": -2.0}, "weight_prior": {"degrees": 3.0, "family": "cauchy",
        "learn_scale": false, "scale": 0.3, "spread": 0.5}})";

const char* const kTableLogistic =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 1, "friction": 0.05, "initial_step": 0.1,
        "leapfrog_steps": 100, "mask_every": 1, "mask_moves": 20, "max_depth": 8, "refit_moves": 20, "sampler": "hmc",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 2000, "width": 40}, "target_accept": 0.9, "temperature": 1.0, "thin": 5, "warmup": 1000}, "chains": 1,
        "data": "r.csv", "hidden": [], "lambda": 0.1, "lambda_choice": "fixed", "masks": true, "method": "logistic",
        "missing_is_error": false, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0, "rate": 0.001,
        "shape": 1.0}, "one_logit": true, "outliers": false, "scale_target": true, "seed": 1,
        "table": {"categorical": [], "delimiter": null, "header": true, "ignore": ["y"], "numeric": []},
        "target": "kind", "task": null, "truncation": null, "variational": null, "weight_prior": {"degrees": 3.0,
        "family": "normal", "learn_scale": false, "scale": 2.0, "spread": 0.5}})";

const char* const kTableNuts =
    R"({"chain": {"batch": 128, "batches": 50, "birth_death": {"birth": "uniform", "candidates": 32,
        "death": "reciprocal", "max_flips": 1}, "draws": 2, "friction": 0.05, "initial_step": 0.1,
        "leapfrog_steps": 100, "mask_every": 1, "mask_moves": 20, "max_depth": 3, "refit_moves": 20, "sampler": "nuts",
        "schedule": {"decay": 0.55, "initial": 0.1, "kind": "constant"}, "start": {"batch": 512, "learning_rate": 0.01,
        "steps": 5, "width": 40}, "target_accept": 0.7, "temperature": 1.0, "thin": 1, "warmup": 3}, "chains": 1,
        "data": "r.csv", "hidden": [4], "lambda": 0.1, "lambda_choice": "fixed", "masks": false, "method": "mcmc",
        "missing_is_error": false, "no_hidden_layers": false, "noise_prior": {"fixed": 0.0, "rate": 0.001,
        "shape": 1.0}, "one_logit": true, "scale_target": true, "seed": 1, "table": {"categorical": [],
        "delimiter": null, "header": true, "ignore": ["kind"], "numeric": []}, "target": "y", "task": null,
        "truncation": null, "variational": null, "weight_prior": {"degrees": 3.0, "family": "cauchy",
        "learn_scale": false, "scale": 0.3, "spread": 0.5}})";

const std::vector<GivenOptions> kSettings{
    {}, {{"sampler", "nuts"}}, {{"sampler", "sghmc"}}, {{"birth", "linear"}}, {{"rungs", "3"}}, {{"method", "ns-vi"}}};

TEST(TableOptions, GoThroughJsonBothWays) {
  expect_options_survive<Configuration>(
      kSettings, [](const Configuration& c) { return to_json(c); }, configuration_from_json);
}

// One start width is stored as the number that it has always been, several as a list.
TEST(TableOptions, StartWidthsAreTakenInTurn) {
  const auto several = configured<Configuration>({{"start-width", "8,64"}});
  EXPECT_EQ(to_json(several)["chain"]["start"]["width"], nlohmann::json({8, 64}));
  const Configuration read = configuration_from_json(to_json(several));
  EXPECT_EQ(read.chain.start.width_of(0), 8u);
  EXPECT_EQ(read.chain.start.width_of(3), 64u);
  EXPECT_EQ(to_json(configured<Configuration>({{"start-width", "12"}}))["chain"]["start"]["width"], 12);
  EXPECT_THROW(configured<Configuration>({{"start-width", "8,0"}}).check(), OptionError);
}

TEST(TableOptions, OfNoUseAreRefused) {
  std::vector<GivenOptions> settings = kSettings;
  for (const GivenOption& one : {GivenOption{"masks", "off"}, {"method", "logistic"}, {"mask-moves", "0"}})
    settings.push_back(GivenOptions{one});
  expect_idle_ones_refused<Configuration>(
      settings, {"preset", "method", "data", "target", "seed", "ignore", "categorical", "numeric", "no-header",
                 "delimiter", "type", "max-levels", "task", "missing", "raw-target", "two-logits"});
}

TEST(TableOptions, FilesOfEarlierVersionsStayAsTheyWere) {
  for (const char* text : {kTable, kTableChanged, kTableNsVi, kTableLogistic, kTableNuts}) {
    nlohmann::json json = to_json(configuration_from_json(nlohmann::json::parse(text)));
    EXPECT_EQ(json.at("kind"), "table");
    json.erase("kind");
    EXPECT_EQ(json.dump(), nlohmann::json::parse(text).dump());  // the dump tells 1 from 1.0, too
  }
}

// What the fixture says, field by field: a place that is written and read under a wrong name would not be seen above.
TEST(TableOptions, FilesOfEarlierVersionsAreRead) {
  const Configuration c = configuration_from_json(nlohmann::json::parse(kTableChanged));
  EXPECT_EQ(c.data, "r.csv");
  EXPECT_EQ(c.encoding.target, "kind");
  EXPECT_EQ(c.encoding.task, Task::classification);
  EXPECT_TRUE(c.table.header && c.encoding.missing_is_error && c.masks && !c.encoding.scale_target && !c.one_logit);
  EXPECT_EQ(c.table.delimiter, ',');
  EXPECT_EQ(c.table.numeric, std::vector<std::string>{"a"});
  EXPECT_EQ(c.table.categorical, std::vector<std::string>{"b"});
  EXPECT_EQ(c.table.ignore, std::vector<std::string>{"y"});
  EXPECT_EQ(c.hidden, (std::vector<std::size_t>{7, 5}));
  EXPECT_EQ(c.lambda_choice, LambdaChoice::learnt);
  EXPECT_EQ(c.weight_prior.family, WeightPrior::Family::student);
  EXPECT_EQ(c.weight_prior.scale, 0.7);
  EXPECT_EQ(c.weight_prior.degrees, 4);
  EXPECT_TRUE(c.weight_prior.learn_scale);
  EXPECT_EQ(c.noise_prior.shape, 2);
  EXPECT_EQ(c.noise_prior.rate, 0.5);
  EXPECT_FALSE(c.outliers);
  EXPECT_EQ(c.truncation, 9);
  EXPECT_EQ(c.chains, 2u);
  EXPECT_EQ(c.seed, 9u);
  const ChainOptions& o = c.chain;
  EXPECT_EQ(std::vector({o.warmup, o.draws, o.thin, o.mask_every}), (std::vector<std::int64_t>{4, 3, 2, 3}));
  EXPECT_EQ(o.sampler, Sampler::sghmc);
  EXPECT_EQ(std::vector({o.start.widths.at(0), o.start.steps, o.batch, o.batches}),
            (std::vector<std::size_t>{3, 6, 20, 3}));
  EXPECT_EQ(o.schedule.initial, 0.05);
  EXPECT_EQ(o.schedule.kind, StepSchedule::Kind::cosine);
  EXPECT_EQ(o.friction, 0.2);
  EXPECT_EQ(o.temperature, 0.5);
  EXPECT_EQ(o.birth_death.birth, Rule::linear);
  EXPECT_EQ(o.birth_death.death, Rule::linear);
  EXPECT_EQ(o.birth_death.max_flips, 2u);
  EXPECT_EQ(o.birth_death.candidates, 6u);
  EXPECT_EQ(o.mask_moves, 4u);
  EXPECT_EQ(o.mask_test, MaskTest::mhbt);

  const Configuration nuts = configuration_from_json(nlohmann::json::parse(kTableNuts));
  EXPECT_EQ(nuts.chain.max_depth, 3u);
  EXPECT_EQ(nuts.chain.target_accept, 0.7);
  EXPECT_FALSE(nuts.masks);
  const Configuration table = configuration_from_json(nlohmann::json::parse(kTable));
  EXPECT_EQ(table.chain.leapfrog_steps, 3u);
  // What there was not yet: chains of today must not do it when they resume a fit of that time.
  EXPECT_EQ(table.chain.anneal_from, 1);
  EXPECT_EQ(table.chain.refit_candidates, 1u);
  const Configuration vi = configuration_from_json(nlohmann::json::parse(kTableNsVi));
  EXPECT_EQ(vi.method, Method::ns_vi);
  EXPECT_EQ(vi.variational.epochs, 4);
  EXPECT_EQ(vi.variational.batch, 30u);
  EXPECT_EQ(vi.variational.learning_rate, 0.02);
  EXPECT_EQ(vi.variational.threshold, -2);
}

// A file from before there were all of these.
TEST(TableOptions, AbsentFieldsHaveTheirDefaults) {
  const Configuration c = configuration_from_json(nlohmann::json::parse(R"({"target": "y", "variational": null})"));
  Configuration usual;
  usual.encoding.target = "y";
  EXPECT_EQ(to_json(c), to_json(usual));
}

TEST(TableOptions, AMethodBringsItsDefaultsAndWhatIsGivenStays) {
  const auto c = configured<Configuration>({{"hidden", "7"}, {"outliers", "allow"}, {"method", "ns-vi"}});
  EXPECT_EQ(c.hidden, std::vector<std::size_t>{7});
  EXPECT_TRUE(c.outliers);
  EXPECT_EQ(c.chains, 1u);
  EXPECT_EQ(configured<Configuration>({{"method", "ns-vi"}}).hidden, (std::vector<std::size_t>{100, 100}));
  const auto paper = configured<Configuration>({{"method", "ns-vi"}, {"preset", "paper"}});
  EXPECT_EQ(paper.hidden, (std::vector<std::size_t>{1000, 1000}));  // as the paper starts it
  EXPECT_EQ(paper.method, Method::ns_vi);
}

}  // namespace
}  // namespace mbnn
