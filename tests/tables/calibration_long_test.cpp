// Simulation-based calibration of the whole sampler: weights, masks, noise and the learnt parameters together.
//
// A state drawn from the prior, with data drawn given that state, is an exact draw from the posterior of that data. A
// chain that starts there and runs its kernels must leave the joint law of state and data as it was. So after some
// iterations every function of state and data is compared, over many independent replicates, with fresh draws from the
// joint law. No mixing time, no warm-up and no autocorrelation enter: any departure is an error of a kernel.
//
// Each comparison is a two-sample Kolmogorov-Smirnov test at level 1e-4, fixed seeds. A sampler that does not move
// would pass, so acceptances are checked, too. experiments/calibration runs it with many more replicates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "mbnn/tables/chain.h"
#include "mbnn/tables/density.h"
#include "tests/support/kolmogorov.h"
#include "tests/support/prior_draw.h"

namespace mbnn {
namespace {

struct Setting {
  const char* name;
  Model model;
  ChainOptions options;
};

std::size_t replicates() {
  const char* text = std::getenv("MBNN_CALIBRATION_REPLICATES");
  return text ? static_cast<std::size_t>(std::atol(text)) : 6000;
}

Dataset random_inputs(Rng& rng) {
  Dataset data;
  data.rows = 14;
  data.inputs = 2;
  for (std::size_t i = 0; i < data.rows * data.inputs; ++i) data.x.push_back(static_cast<float>(rng.normal()));
  return data;
}

// Named functions of state and data. Heavy tails are squashed: only ranks matter to the test.
using Values = std::map<std::string, double>;

Values functions(const Model& model, const State& state, const Dataset& data) {
  const Batch batch = Batch::all(data);
  NetworkDensity density(model);
  density.bind(batch, state);
  density.log_density(state.weights);
  Mlp mlp;
  mlp.set(state.shape(model), state.weights.data(), false);
  const double f0 = mlp.forward(batch.x.tile(0), batch.x.padded_rows(0))[0];
  double size = 0, first = 0;
  for (float w : state.weights) size += std::log1p(std::abs(w)) / static_cast<double>(state.weights.size());
  const Shape shape = state.shape(model);
  for (std::size_t j = 0; j < shape.widths[1]; ++j) first += std::abs(state.weights[j]);
  Values v{{"log-likelihood", density.log_likelihood()},
           {"mean |w|", size},
           {"first input", first},
           {"f(x0)", f0},
           {"nodes", static_cast<double>(shape.active_nodes())},
           {"width 1", static_cast<double>(shape.widths[1])},
           {"width 2", static_cast<double>(shape.widths[2])},
           {"edges", static_cast<double>(shape.size())}};
  if (model.likelihood.has_noise()) {
    v["noise"] = state.noise_variance;
    v["y0 f(x0)"] = data.y[0] * f0;
    v["errors"] = density.statistic();
    v["errors / noise"] = density.statistic() / state.noise_variance;
  } else {
    v["label0 f(x0)"] = data.labels[0] == 0 ? -f0 : f0;
  }
  if (model.weight_prior.learn_scale) v["scale"] = state.weight_scale;
  if (model.width_prior.learn_lambda) v["lambda"] = state.lambda;
  return v;
}

Setting base(const char* name) {
  Setting s{name, {}, {}};
  s.model.architecture = {2, {5, 4}, 1};
  s.model.weight_prior = {.family = WeightPrior::Family::normal, .scale = 0.8};
  s.model.width_prior = {.lambda = 0.25, .rows = 14};
  s.model.noise_prior = {2, 1};
  s.options.warmup = 0;
  s.options.draws = 1;
  s.options.thin = 25;
  s.options.leapfrog_steps = 6;
  s.options.initial_step = 0.15;
  s.options.mask_moves = 4;
  s.options.refit_moves = 0;
  s.options.max_depth = 4;
  return s;
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  all.push_back(base("HmcLearntScaleAndLambda"));
  all.back().model.weight_prior.learn_scale = true;
  all.back().model.width_prior.learn_lambda = true;
  all.back().options.refit_moves = 2;

  all.push_back(base("NutsCauchyTruncatedLinear"));
  all.back().model.weight_prior = {.family = WeightPrior::Family::cauchy, .scale = 0.4};
  all.back().model.likelihood.lower = -4;
  all.back().model.likelihood.upper = 4;
  all.back().options.sampler = Sampler::nuts;
  all.back().options.birth_death = {Rule::linear, Rule::linear, 2, 3};

  all.push_back(base("HmcBinaryStudentReciprocal"));
  all.back().model.likelihood.kind = Likelihood::Kind::binary;
  all.back().model.weight_prior = {.family = WeightPrior::Family::student, .scale = 0.6, .degrees = 4};
  all.back().options.birth_death = {Rule::reciprocal, Rule::reciprocal, 3, 0};

  all.push_back(base("HmcSoftmaxUniform"));
  all.back().model.likelihood.kind = Likelihood::Kind::softmax;
  all.back().model.architecture.outputs = 3;
  all.back().options.birth_death = {Rule::uniform, Rule::uniform, 3, 0};

  // The refitting moves alone, on each kind of likelihood and each family of weight priors.
  all.push_back(base("RefitCauchy"));
  all.back().model.weight_prior = {.family = WeightPrior::Family::cauchy, .scale = 0.4};
  all.push_back(base("RefitBinaryStudent"));
  all.back().model.likelihood.kind = Likelihood::Kind::binary;
  all.back().model.weight_prior = {.family = WeightPrior::Family::student, .scale = 0.6, .degrees = 4};
  all.push_back(base("RefitSoftmaxNormal"));
  all.back().model.likelihood.kind = Likelihood::Kind::softmax;
  all.back().model.architecture.outputs = 3;
  for (std::size_t i = all.size() - 3; i < all.size(); ++i) {
    all[i].options.mask_moves = 0;
    all[i].options.refit_moves = 4;
  }
  // ... and with births that choose.
  for (std::size_t i = 3; i > 0; --i) {
    all.push_back(all[all.size() - 3]);
    all.back().options.refit_candidates = 5;
    all.back().options.initial_step = 0.12;
  }
  all[all.size() - 3].name = "ChoosingRefitCauchy";
  all[all.size() - 2].name = "ChoosingRefitBinaryStudent";
  all[all.size() - 1].name = "ChoosingRefitSoftmaxNormal";
  return all;
}

void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

class Calibration : public ::testing::TestWithParam<Setting> {};

// Caught when broken: noise drawn with rate b + SSE, half a degree of freedom too many, no likelihood ratio in
// birth-death, λ drawn without its normaliser, the scale without its hyperprior, HMC that always accepts.
TEST_P(Calibration, ChainsKeepTheJointLaw) {
  const Setting& s = GetParam();
  const std::size_t count = replicates();
  std::map<std::string, std::vector<double>> fresh, moved;
  double acceptance = 0, flips = 0;
  for (std::size_t r = 0; r < count; ++r) {
    Rng rng(2024, r);
    for (int copy = 0; copy < 3; ++copy) {
      Dataset data = random_inputs(rng);
      const State state = draw_prior_state(s.model, rng);
      draw_targets(s.model, state, data, rng);
      for (const auto& [name, value] : functions(s.model, state, data)) fresh[name].push_back(value);
    }
    Dataset rows = random_inputs(rng);
    State state = draw_prior_state(s.model, rng);
    draw_targets(s.model, state, rows, rng);
    const TrainingData data = TrainingData::make(std::move(rows), s.options);
    Chain chain(s.model, data, s.options, 99, r);
    chain.start_from(std::move(state));
    while (chain.iteration() < s.options.iterations()) chain.iterate();
    for (const auto& [name, value] : functions(s.model, chain.state(), data.rows)) moved[name].push_back(value);
    const PhaseStatistics& statistics = chain.sampling_statistics();
    acceptance += statistics.acceptance() / static_cast<double>(count);
    for (std::size_t n = 0; n < PhaseStatistics::kMaxFlips; ++n)
      flips += static_cast<double>(statistics.births_accepted[n] + statistics.deaths_accepted[n]) /
               static_cast<double>(count);
    flips += static_cast<double>(statistics.refits[1] + statistics.refits[3]) / static_cast<double>(count);
  }
  EXPECT_GT(acceptance, 0.5);
  EXPECT_GT(flips, 5);
  const double n = static_cast<double>(count), m = 3 * n;
  const double limit = 2.23 * std::sqrt((n + m) / (n * m));  // level 1e-4
  for (const auto& [name, values] : moved) EXPECT_LT(kolmogorov_distance(fresh.at(name), values), limit) << name;
}

INSTANTIATE_TEST_SUITE_P(All, Calibration, ::testing::ValuesIn(settings()),
                         [](const ::testing::TestParamInfo<Setting>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace mbnn
