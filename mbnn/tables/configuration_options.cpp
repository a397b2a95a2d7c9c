#include "mbnn/tables/configuration_options.h"

#include <algorithm>

#include "mbnn/core/finite.h"
#include "mbnn/core/json_values.h"
#include "mbnn/sample/shared_options.h"

namespace mbnn {

namespace {

constexpr std::size_t kMostNodes = 1'000'000;  // of a hidden layer
constexpr std::size_t kMostLayers = 100;
constexpr std::int64_t kMostIterations = std::int64_t{1} << 30;  // of a phase; draws * thin stay within 64 bits
constexpr double kMostMoves = 1'000'000;                         // of whatever an iteration repeats

}  // namespace

OptionValue delimiter_value(std::optional<char>& delimiter, const std::string& told) {
  static const std::vector<std::string> names{"comma", "semicolon", "tab", "blank"};
  static const std::string marks = ",;\t ";
  OptionValue v;
  v.choices = names;
  v.kind = "comma|semicolon|tab|blank";
  v.show = [&delimiter, told] { return delimiter ? names.at(marks.find(*delimiter)) : told; };
  v.parse = [&delimiter, told](const std::string& text) {
    if (text == told)
      delimiter.reset();
    else
      delimiter = marks[parse_choice(text, names)];
  };
  v.get = [&delimiter] { return delimiter ? nlohmann::json(std::string(1, *delimiter)) : nlohmann::json(nullptr); };
  v.set = [&delimiter](const nlohmann::json& json) {
    delimiter.reset();
    if (json.is_null()) return;
    const auto text = json.get<std::string>();
    require_content(text.size() == 1 && marks.find(text) != marks.npos, "its delimiter is none that there is");
    delimiter = text[0];
  };
  return v;
}

namespace {

OptionValue hidden_value(std::vector<std::size_t>& hidden) {
  OptionValue v = value_of(hidden);
  v.kind = "SIZES|auto";
  v.clear = {};
  v.show = [&hidden] { return hidden.empty() ? "auto" : fmt::format("{}", fmt::join(hidden, ",")); };
  v.parse = [&hidden](const std::string& text) {
    const bool rule = text == "auto";
    hidden = expecting("sizes such as 1000,1000, or auto",
                       [&] { return rule ? std::vector<std::size_t>() : parse_counts(text); });
  };
  return v;
}

OptionValue lambda_value(Configuration& c, bool can_validate) {
  OptionValue v;
  v.kind = can_validate ? "X|auto|validate" : "X|auto";
  v.show = [&c]() -> std::string {
    if (c.lambda_choice == LambdaChoice::learnt) return "auto";
    return c.lambda_choice == LambdaChoice::validated ? "validate" : fmt::format("{}", c.lambda);
  };
  v.parse = [&c, can_validate](const std::string& text) {
    using enum LambdaChoice;
    c.lambda_choice = text == "auto" ? learnt : text == "validate" ? validated : fixed;
    if (c.lambda_choice == fixed)
      c.lambda = expecting(can_validate ? "a positive number, auto or validate" : "a positive number, or auto",
                           [&] { return parse_real(text); });
  };
  return v;
}

// Changing the method changes defaults, too.
OptionValue method_value(Configuration& c) {
  OptionValue v = value_of(c.method);
  v.parse = [&c, parse = v.parse](const std::string& text) {
    parse(text);
    c.set_method(c.method, c.preset == Preset::paper);
  };
  return v;
}

OptionUse of_samplers(const ChainOptions& chain, std::vector<Sampler> samplers) {
  std::vector<std::string> names;
  for (const Sampler s : samplers) names.push_back(name_of(s));
  return {[&chain, samplers] { return std::ranges::find(samplers, chain.sampler) != samplers.end(); },
          "with sampler " + one_of(names)};
}

OptionUse of_methods(const Configuration& c, std::vector<Method> methods, bool said = false) {
  std::vector<std::string> names;
  for (const Method m : methods) names.push_back(name_of(m));
  return {[&c, methods] { return std::ranges::find(methods, c.method) != methods.end(); },
          "with method " + one_of(names), said};
}

void add_batches(OptionList& options, Configuration& c) {
  using enum Sampler;
  ChainOptions& chain = c.chain;
  options.group("Mini-batches", "chain.", {of_methods(c, {Method::mcmc}), of_samplers(chain, {sgld, sghmc})});
  options.add("batches", chain.batches, "mini-batches of an iteration")
      .within(1, kMostMoves)
      .known_as({"num-batches", "n-batches"});
  options
      .add("step-length", chain.schedule.initial,
           "length of a step, as of a leapfrog step s: s²/2 times the gradient, for sghmc s² times it")
      .json("schedule.initial")
      .positive()
      .old_name("step-size")
      .known_as({"lr", "learning-rate", "stepsize", "step", "epsilon", "rate"});
  options.add("step-schedule", chain.schedule.kind, "how the steps become shorter; cosine: down to a tenth")
      .json("schedule.kind");
  options.stored("schedule.decay", chain.schedule.decay).not_negative();
  options.add("temperature", chain.temperature, "temperature of the posterior").not_negative();
  options.add("friction", chain.friction, "share of the velocity that a step takes away")
      .must([&chain] { return chain.friction > 0 && chain.friction <= 1; }, "must be above 0 and at most 1")
      .only(of_samplers(chain, {sghmc}));
  options.group("Mini-batches");
  const auto variational = [&c] { return c.method == Method::ns_vi; };
  options
      .add("batch", either(variational, value_of(c.variational.batch), value_of(chain.batch)), "rows of a mini-batch")
      .json("chain.batch", chain.batch)
      .json("variational.batch", c.variational.batch)
      .known_as({"batch-size", "minibatch"})
      .at_least(1)
      .must([&] { return chain.mask_test != MaskTest::mhbt || chain.batch >= 2; }, "mask-test mhbt needs at least 2")
      .only({[&c] { return c.method == Method::ns_vi || (c.method == Method::mcmc && c.chain.stochastic()); },
             "with sampler sgld or sghmc, or method ns-vi"});
}

void add_mask_test(OptionList& options, ChainOptions& chain) {
  options
      .add("mask-test", choice_value(chain.mask_test, 3),
           "how moves are accepted with sgld and sghmc: plain, on one mini-batch; mhbt, corrected, which tempers them "
           "by rows / batch; tuna is refused, and says why")
      .json_unless("plain")
      .must([&chain] { return chain.mask_test != MaskTest::sequential; }, "is for images")
      .must([&chain] { return chain.mask_test != MaskTest::tuna; },
            "needs a bound on how much a flip changes the log-likelihood of a row. The output of a ReLU network has "
            "none, and with truncate the bound is so wide that every move would read all rows: samplers hmc and nuts "
            "do that, and exactly")
      .must([&chain] { return chain.mask_test != MaskTest::mhbt || chain.stochastic(); },
            "is for mini-batches; samplers hmc and nuts test moves on all rows, exactly");
}

void add_variational(OptionList& options, Configuration& c) {
  VariationalOptions& v = c.variational;
  options.group("Variational", "variational.", {of_methods(c, {Method::ns_vi}, true)});
  options.add("epochs", v.epochs, "passes over the table")
      .at_least(1)
      .at_most(kMostIterations)
      .known_as({"n-epochs", "num-epochs", "max-epochs"});
  options.add("learning-rate", v.learning_rate, "step of Adam").positive().known_as({"lr", "rate", "step-length"});
  options.add("prune-above", v.threshold, "a node goes if the log of its dropout rate is above this")
      .json("threshold")
      .finite();
  options.null_unless("variational", [&c] { return c.method == Method::ns_vi; });
}

}  // namespace

void add_columns(OptionList& options, Configuration& c) {
  options.group("Options");
  options.add("data", c.data, "the table: comma, semicolon, tab or blanks between cells")
      .kind("FILE")
      .positional()
      .required()
      .known_as({"input", "file", "csv", "train", "training", "table", "train-data", "training-data", "dataset"});
  options.add("target", c.encoding.target, "the column to predict")
      .kind("COLUMN")
      .letter('t')
      .required()
      .known_as({"label", "labels", "y", "response", "outcome", "target-column", "label-column", "dependent"});
  options.add("seed", c.seed, "the same seed gives the same bits")
      .basic()
      .known_as({"random-state", "random-seed", "rng-seed", "rng"});
  options.group("Data", "table.");
  options
      .add("ignore", c.table.ignore,
           "columns that are not inputs: a,b,... or given several times; '\"a,b\"' is one column with a comma in its "
           "name")
      .kind("COLUMNS")
      .json_unless(nlohmann::json::array())
      .basic()
      .known_as({"drop", "exclude", "skip", "ignore-columns", "drop-columns", "ignore-column", "id", "remove"});
  options.add("categorical", c.table.categorical, "columns to take as categories, in the same way")
      .kind("COLUMNS")
      .basic()
      .known_as({"categories", "factor", "factors", "cat-features", "categorical-feature", "nominal"});
  options.add("numeric", c.table.numeric, "columns that must be numbers, in the same way")
      .kind("COLUMNS")
      .known_as({"numbers", "numerical", "number", "continuous"});
  options.add("no-header", flag_value(c.table.header, false), "the first line is data; columns are x1, x2, ...")
      .json("header")
      .known_as({"header"});
  options.add("delimiter", delimiter_value(c.table.delimiter, "told from the file"), "between cells")
      .known_as(delimiter_words());
}

Option& add_hidden(OptionList& options, Configuration& c) {
  const auto all = [&c](auto fits) { return [&c, fits] { return std::ranges::all_of(c.hidden, fits); }; };
  return options
      .add("hidden", hidden_value(c.hidden), "largest width of each hidden layer; auto: by the number of rows")
      .must([&c] { return c.hidden.size() <= kMostLayers; }, fmt::format("there are at most {} layers", kMostLayers))
      .must(all([](std::size_t cap) { return cap >= 1; }), "every layer needs room for at least 1 node")
      .must(all([](std::size_t cap) { return cap <= kMostNodes; }), fmt::format("a layer has at most {}", kMostNodes))
      .basic()
      .known_as({"layers", "hidden-layers", "hidden-sizes", "hidden-layer-sizes", "hidden-size", "width", "widths",
                 "units", "neurons", "nodes", "depth"});
}

Option& add_lambda(OptionList& options, Configuration& c, bool can_validate) {
  const std::string about = "strength of the prior for narrow layers; auto samples it";
  return options
      .add("lambda", lambda_value(c, can_validate),
           about + (can_validate ? ", validate chooses it on held-out rows" : ""))
      .json("lambda", c.lambda)
      .json("lambda_choice", c.lambda_choice)
      .must([&c] { return positive(c.lambda); }, "must be positive and finite")
      .must([&c] { return c.masks || c.lambda_choice == LambdaChoice::fixed; },
            "without masks there are no widths for lambda to act on")
      .basic()
      .known_as({"alpha", "penalty", "regularization", "l0"});
}

Option& add_weight_prior(OptionList& options, WeightPrior& prior) {
  const std::string about = "cauchy:SCALE, student:SCALE:DEGREES or normal:SCALE; :learn behind it learns the scale";
  return options.add("weight-prior", weight_prior_value(prior), about)
      .known_as({"prior", "weight-decay", "l2", "prior-scale"})
      .json("weight_prior.family", prior.family)
      .json("weight_prior.scale", prior.scale)
      .json("weight_prior.degrees", prior.degrees)
      .json("weight_prior.learn_scale", prior.learn_scale)
      .json("weight_prior.spread", prior.spread)
      .must([&prior] { return positive(prior.scale); }, "the scale must be positive and finite")
      .must([&prior] { return positive(prior.degrees); }, "the degrees must be positive and finite")
      .must([&prior] { return positive(prior.spread); }, "the spread must be positive and finite");
}

void add_lengths(OptionList& options, Configuration& c) {
  const OptionUse mcmc = of_methods(c, {Method::mcmc}), runs = of_methods(c, {Method::mcmc, Method::ns_vi});
  options.group("Length", "", {runs});
  options.add("chains", c.chains, "independent chains")
      .within(1, 1000)
      .basic()
      .known_as({"n-chains", "num-chains", "nchains"});
  options.group("Length", "chain.", {runs});
  options.add("warmup", c.chain.warmup, "iterations before draws are kept")
      .at_least(0)
      .at_most(kMostIterations)
      .only(mcmc)
      .basic()
      .known_as(warmup_words());
  options.add("draws", c.chain.draws, "draws kept from each chain")
      .at_least(1)
      .at_most(kMostIterations)
      .basic()
      .known_as(draws_words({"epochs", "n-epochs", "num-epochs", "max-epochs"}));
  options.add("thin", c.chain.thin, "iterations from one kept draw to the next")
      .at_least(1)
      .at_most(kMostIterations)
      .only(mcmc)
      .known_as(thin_words());
}

// One for all chains, as it has always been stored, or several.
OptionValue widths_value(std::vector<std::size_t>& widths) {
  OptionValue v = value_of(widths);
  v.number = [&widths] { return widths.empty() ? 0.0 : static_cast<double>(std::ranges::min(widths)); };
  v.get = [&widths] { return widths.size() == 1 ? nlohmann::json(widths[0]) : nlohmann::json(widths); };
  v.set = [&widths](const nlohmann::json& json) {
    widths = json.is_array() ? value_in<std::vector<std::size_t>>(json) : std::vector{value_in<std::size_t>(json)};
  };
  return v;
}

void add_trajectories(OptionList& options, ChainOptions& chain, const OptionUse& network, const OptionUse& masks) {
  using enum Sampler;
  options.group("Sampler", "chain.", {network});
  options
      .add("start-width", widths_value(chain.start.widths),
           "nodes of each layer at the start; several, such as 8,64, are taken by the chains in turn")
      .json("start.width")
      .at_least(1)
      .only(masks)
      .known_as({"init-width", "initial-width"});
  options.add("start-steps", chain.start.steps, "Adam steps of the warm start")
      .json("start.steps")
      .at_most(kMostIterations);
  options.stored("start.learning_rate", chain.start.learning_rate).positive();
  options.stored("start.batch", chain.start.batch).at_least(1);
  options.add("leapfrog-steps", chain.leapfrog_steps, "steps of a trajectory")
      .within(1, kMostMoves)
      .known_as({"num-steps", "n-leapfrog", "num-leapfrog", "leapfrog", "path-length", "steps"})
      .only(of_samplers(chain, {hmc}));
  options.add("max-depth", chain.max_depth, "a trajectory has at most 2^depth steps")
      .within(1, 20)
      .known_as({"max-treedepth", "max-tree-depth", "treedepth", "tree-depth"})
      .only(of_samplers(chain, {nuts}));
  options.add("target-accept", chain.target_accept, "acceptance that the step size aims at")
      .between(0, 1)
      .known_as({"adapt-delta", "target-accept-prob", "delta", "accept"})
      .only(of_samplers(chain, {hmc, nuts}));
  options.stored("initial_step", chain.initial_step).positive();
  options
      .add("rungs", chain.rungs,
           "of a ladder: so many chains at rising temperatures stand behind each chain and exchange states with it")
      .within(1, 64)
      .json_unless(1)
      .only(of_samplers(chain, {hmc, nuts}));
  options.add("swap-rate", chain.swap_rate, "share of exchanges that the spacing of the rungs aims at")
      .between(0, 1)
      .json_unless(0.4)
      .only({[&chain] { return chain.rungs > 1; }, "with rungs above 1"});
}

void add_masks(OptionList& options, ChainOptions& chain, const std::vector<OptionUse>& masks) {
  options.group("Masks", "chain.", masks);
  options.add("mask-every", chain.mask_every, "iterations from one sweep over the masks to the next")
      .at_least(1)
      .at_most(kMostIterations);
  options.add("mask-moves", chain.mask_moves, "births and deaths of a sweep by the two rules").at_most(kMostMoves);
  options.add("refit-moves", chain.refit_moves, "further ones, in which the other nodes make up for the change")
      .at_most(kMostMoves)
      .only(of_samplers(chain, {Sampler::hmc, Sampler::nuts}));
  options.group("Masks", "chain.birth_death.", masks);
  add_birth_death(options, chain.birth_death, "nodes", [&chain] { return chain.mask_moves > 0; });
}

OptionList options_of(Configuration& c) {
  using enum Method;
  const OptionUse chains = of_methods(c, {mcmc}), network = of_methods(c, {mcmc, ns_vi});
  const OptionUse masks{[&c] { return c.masks && c.method == mcmc; }, "with masks on", false};
  OptionList options;
  options.group("Options");
  options.add("preset", preset_value(c.preset, c), "paper: the paper's setting for UCI tables").not_stored();
  options
      .add("method", method_value(c),
           "mcmc: the masked network; ns-vi: node-sparse variational inference; logistic: logistic regression")
      .basic()
      .known_as({"model", "algorithm", "algo"});
  add_columns(options, c);
  options.group("Data");
  options.add("task", value_of(c.encoding.task, "told from the target"), "what the target is")
      .basic()
      .known_as({"objective", "problem", "loss", "family", "type"});
  options
      .add("missing", words_value(c.encoding.missing_is_error, "impute", "error"),
           "impute: missing cells take the mean, beside a column that says so")
      .json("missing_is_error")
      .known_as({"na", "nan", "impute", "missing-values"});
  options.group("Model", "", {network});
  add_hidden(options, c);
  options.add("masks", c.masks, "off keeps all hidden nodes: a plain Bayesian network").only(chains);
  add_lambda(options, c, true).only(chains).only(masks);
  add_variance(options, "noise-variance", c.noise_prior, "noise_prior",
               "prior of the noise variance: inverse gamma, or fixed; in units of the scaled target")
      .known_as({"noise", "sigma"})
      .old_name("noise-prior")
      .must([&c] { return c.method != ns_vi || c.noise_prior.fixed == 0; }, "method ns-vi takes SHAPE:RATE");
  options
      .add("outliers", words_value(c.outliers, "none", "allow"),
           "allow: predictions leave a small probability to rows unlike those of the training")
      .json_unless(true);
  options.add("truncate", value_of(c.truncation, "off"), "the function is cut to [-X, X], in units of the target")
      .json("truncation")
      .known_as({"clip", "clamp"})
      .positive();
  options.group("Model");
  add_weight_prior(options, c.weight_prior)
      .must([&c] { return c.method != logistic || c.weight_prior.family == WeightPrior::Family::normal; },
            "method logistic takes normal:SCALE")
      .must([&c] { return c.method != logistic || !c.weight_prior.learn_scale; }, "method logistic takes normal:SCALE")
      .only(of_methods(c, {mcmc, logistic}));
  options.add("raw-target", flag_value(c.encoding.scale_target, false), "do not standardise the target")
      .json("scale_target");
  options.add("two-logits", flag_value(c.one_logit, false), "two classes: a softmax over two logits instead of one")
      .json("one_logit");
  options.stored("no_hidden_layers", c.no_hidden_layers);
  add_lengths(options, c);
  options.group("Sampler", "chain.", {chains});
  options.add("sampler", c.chain.sampler, "how weights move; sgld and sghmc use mini-batches")
      .known_as(sampler_words());
  add_trajectories(options, c.chain, chains, masks);
  add_batches(options, c);
  add_masks(options, c.chain, {chains, masks});
  options.group("Masks", "chain.", {chains, masks});
  add_mask_test(options, c.chain);
  add_variational(options, c);
  return options;
}

OptionList options_with_defaults(Configuration& c) {
  OptionList options = options_of(c);
  for (const Method method : {Method::ns_vi, Method::logistic}) {
    Configuration other;
    other.set_method(method, false);
    options.add_defaults(name_of(method), options_of(other));
  }
  return options;
}

// Of a copy: a list refers to what may be changed through it.
nlohmann::json to_json(const Configuration& configuration) {
  Configuration copy = configuration;
  nlohmann::json json = options_of(copy).to_json();
  json["kind"] = "table";
  return json;
}

Configuration configuration_from_json(const nlohmann::json& json) {
  Configuration configuration;
  options_of(configuration).read(json);
  return configuration;
}

void Configuration::check() const {
  table.refuse_ignored(encoding.target, "the target");
  Configuration copy = *this;
  options_of(copy).check();
}

}  // namespace mbnn
