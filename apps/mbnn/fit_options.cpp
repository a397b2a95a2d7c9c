#include "apps/mbnn/fit_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "apps/mbnn/verbs.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"

namespace mbnn::app {

namespace {

// Of the tests of mask moves, those that a table has a use for.
const std::vector<std::string> kMaskTests{"plain", "mhbt", "tuna"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  if (text.ends_with(at)) parts.emplace_back();  // "20," is two parts, the second of them forgotten
  return parts;
}

template <class Number>
Number number(const std::string& text, const std::string& option, const std::string& expected) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("{} '{}': expected {}", option, text, expected));
  return value;
}

std::vector<std::size_t> parse_hidden(const std::string& text) {
  if (text == "auto") return {};
  std::vector<std::size_t> caps;
  for (const auto& part : split(text, ','))
    caps.push_back(number<std::size_t>(part, "--hidden", "sizes such as 1000,1000, or auto"));
  if (caps.empty()) throw InputError("--hidden '': expected sizes such as 1000,1000, or auto");
  return caps;
}

// family[:scale][:degrees] with "learn" in place of a scale, or behind one: cauchy:learn, cauchy:0.5:learn.
void parse_weight_prior(const std::string& text, WeightPrior& prior) {
  const std::string expected =
      "cauchy:SCALE, normal:SCALE or student:SCALE:DEGREES, with :learn behind it to learn the scale";
  const auto families = names_of<WeightPrior::Family>();
  auto parts = split(text, ':');
  if (parts.empty() || std::find(families.begin(), families.end(), parts[0]) == families.end())
    throw InputError(fmt::format("--weight-prior '{}': expected {}", text, expected));
  prior.family = named<WeightPrior::Family>(parts[0], "--weight-prior");
  prior.learn_scale = false;
  if (parts.back() == "learn") {
    prior.learn_scale = true;
    parts.pop_back();
  }
  const bool student = prior.family == WeightPrior::Family::student;
  if (parts.size() > (student ? 3u : 2u))
    throw InputError(fmt::format("--weight-prior '{}': expected {}", text, expected));
  if (parts.size() > 1) prior.scale = number<double>(parts[1], "--weight-prior", expected);
  if (parts.size() > 2) prior.degrees = number<double>(parts[2], "--weight-prior", expected);
}

void parse_lambda(const std::string& text, Configuration& c) {
  if (text == "auto") {
    c.lambda_choice = LambdaChoice::learnt;
  } else if (text == "validate") {
    c.lambda_choice = LambdaChoice::validated;
  } else {
    c.lambda_choice = LambdaChoice::fixed;
    c.lambda = number<double>(text, "--lambda", "a positive number, auto or validate");
  }
}

template <class T, class U>
void take(const std::optional<T>& given, U& value) {
  if (given) value = *given;
}

std::string with_default(const std::string& about, const auto& value) { return fmt::format("{} [{}]", about, value); }

}  // namespace

void FitArguments::add_to(CLI::App& verb, const Configuration& c, bool tables) {
  verb_ = &verb;
  add_table(verb, data_, "the table: comma, semicolon, tab or blanks between cells");
  verb.add_option("--target", target_, "the column to predict")->required();
  verb.add_option("--out", out, "the fit file to write")->required();
  verb.add_flag("--force", force, "replace --out if it exists");
  verb.add_option("--preset", preset_, "default, or paper: the paper's setting for UCI tables [default]")
      ->check(CLI::IsMember({"default", "paper"}));
  if (tables)
    verb.add_option("--method", method_,
                    "mcmc: the masked network; ns-vi: node-sparse variational inference; logistic: logistic regression "
                    "[mcmc]")
        ->check(CLI::IsMember(names_of<Method>()));
  verb.add_option("--seed", seed_, with_default("the same seed gives the same bits", c.seed));

  const char* group = "Table";
  verb.add_option("--task", task_, "regression or classification [told from the target]")
      ->check(CLI::IsMember(names_of<Task>()))
      ->group(group);
  verb.add_flag("--no-header", no_header_, "the first line is data; columns are x1, x2, ...")->group(group);
  add_delimiter(verb, delimiter_, "told from the file")->group(group);
  verb.add_option("--categorical", categorical_, "columns to take as categories, a,b,...")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows may be the table
      ->group(group);
  verb.add_option("--numeric", numeric_, "columns that must be numbers, a,b,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  verb.add_option("--ignore", ignore_, "columns that are no inputs, a,b,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  verb.add_option("--missing", missing_, "impute (with an indicator column) or error [impute]")
      ->check(CLI::IsMember({"impute", "error"}))
      ->group(group);
  add_settings_to(verb, c, tables);
}

void FitArguments::add_settings_to(CLI::App& verb, const Configuration& c, bool tables) {
  const ChainOptions& chain = c.chain;
  const VariationalOptions variational;
  auto text = [](const std::string& about, const auto& value) { return with_default(about, value); };
  auto also = [&](const char* other) { return tables ? other : ""; };
  verb.add_flag("--raw-target", raw_target_, "do not standardise the target")->group("Table");

  const char* group = "Model";
  verb.add_option("--hidden", hidden_,
                  fmt::format("largest width of each hidden layer, or auto [{}{}]", fmt::join(c.hidden, ","),
                              also("; ns-vi: 100,100")))
      ->group(group);
  verb.add_option("--masks", masks_, "on; off keeps all --hidden nodes: a plain Bayesian network [on]")
      ->check(CLI::IsMember({"on", "off"}))
      ->group(group);
  verb.add_option("--lambda", lambda_,
                  text(fmt::format("strength of the prior for narrow layers; auto samples it{}",
                                   also(", validate chooses it on held-out rows")),
                       c.lambda))
      ->group(group);
  verb.add_option(
          "--weight-prior", weight_prior_,
          fmt::format("cauchy:SCALE, student:SCALE:DEGREES or normal:SCALE; :learn behind it learns the scale "
                      "[cauchy:{}{}{}]",
                      c.weight_prior.scale, c.weight_prior.learn_scale ? ":learn" : "", also("; logistic: normal:1")))
      ->group(group);
  verb.add_option(
          "--noise-prior", noise_prior_,
          fmt::format("SHAPE:RATE of the inverse gamma on the noise variance, in units of the scaled target [{}:{}]",
                      c.noise_prior.shape, c.noise_prior.rate))
      ->group(group);
  verb.add_option(
          "--outliers", outliers_,
          fmt::format("allow: predictions leave a small probability to rows unlike those of the training; none [{}{}]",
                      c.outliers ? "allow" : "none", also("; ns-vi: none")))
      ->check(CLI::IsMember({"allow", "none"}))
      ->group(group);
  verb.add_option("--truncate", truncation_, "F: the function is cut to [-F, F], in units of the target [off]")
      ->group(group);
  verb.add_flag("--two-logits", two_logits_, "two classes: a softmax over two logits instead of one logit")
      ->group(group);

  group = "Sampling";
  verb.add_option("--chains", chains_, fmt::format("independent chains [{}{}]", c.chains, also("; ns-vi: 1")))
      ->group(group);
  verb.add_option("--warmup", warmup_, text("iterations before draws are kept", chain.warmup))->group(group);
  verb.add_option("--draws", draws_, text("draws kept from each chain", chain.draws))->group(group);
  verb.add_option("--thin", thin_, text("iterations from one kept draw to the next", chain.thin))->group(group);
  verb.add_option("--sampler", sampler_,
                  text(tables ? "hmc, nuts, sgld or sghmc; the last two use mini-batches" : "hmc or nuts",
                       name_of(chain.sampler)))
      ->check(CLI::IsMember(tables ? names_of<Sampler>() : std::vector<std::string>{"hmc", "nuts"}))
      ->group(group);
  verb.add_option("--start-width", start_width_, text("nodes of each layer at the start", chain.start.width))
      ->group(group);
  verb.add_option("--start-steps", start_steps_, text("Adam steps of the warm start", chain.start.steps))->group(group);
  verb.add_option("--leapfrog-steps", leapfrog_, text("hmc: steps of a trajectory", chain.leapfrog_steps))
      ->group(group);
  verb.add_option("--max-depth", max_depth_, text("nuts: a trajectory has at most 2^depth steps", chain.max_depth))
      ->group(group);
  verb.add_option("--target-accept", target_accept_,
                  text("hmc, nuts: acceptance that the step size aims at", chain.target_accept))
      ->group(group);
  verb.add_option(
          "--batch", batch_,
          fmt::format("sgld, sghmc, ns-vi: rows of a mini-batch [{}; ns-vi: {}]", chain.batch, variational.batch))
      ->group(group);
  verb.add_option("--batches", batches_, text("sgld, sghmc: mini-batches of an iteration", chain.batches))
      ->group(group);
  verb.add_option("--step-size", step_size_, text("sgld, sghmc: step size", chain.schedule.initial))->group(group);
  verb.add_option("--step-schedule", schedule_, "sgld, sghmc: constant, cosine or polynomial [constant]")
      ->check(CLI::IsMember(names_of<StepSchedule::Kind>()))
      ->group(group);
  verb.add_option("--friction", friction_, text("sghmc: friction", chain.friction))->group(group);
  verb.add_option("--temperature", temperature_, text("sgld, sghmc: temperature of the posterior", chain.temperature))
      ->group(group);

  if (tables) {
    group = "Variational";
    verb.add_option("--epochs", epochs_, text("ns-vi: passes over the table", variational.epochs))->group(group);
    verb.add_option("--learning-rate", learning_rate_, text("ns-vi: step of Adam", variational.learning_rate))
        ->group(group);
    verb.add_option("--prune-above", threshold_,
                    text("ns-vi: a node goes if the log of its dropout rate is above this", variational.threshold))
        ->group(group);
  }

  group = "Masks";
  verb.add_option("--birth", birth_, "rule that chooses nodes to switch on: uniform, reciprocal or linear [uniform]")
      ->check(CLI::IsMember(names_of<Rule>()))
      ->group(group);
  verb.add_option("--death", death_, "rule that chooses nodes to switch off [reciprocal]")
      ->check(CLI::IsMember(names_of<Rule>()))
      ->group(group);
  verb.add_option("--max-flips", max_flips_, text("nodes of a move: 1 to this many", chain.birth_death.max_flips))
      ->group(group);
  verb.add_option("--mask-every", mask_every_,
                  text("iterations from one sweep over the masks to the next", chain.mask_every))
      ->group(group);
  verb.add_option("--mask-moves", mask_moves_, text("births and deaths of a sweep by the two rules", chain.mask_moves))
      ->group(group);
  verb.add_option("--mask-test", mask_test_,
                  "sgld, sghmc: how moves are accepted: plain, on one mini-batch; mhbt, corrected, which tempers them "
                  "by rows / batch; tuna is refused, and says why [plain]")
      ->check(CLI::IsMember(kMaskTests))
      ->group(group);
  verb.add_option("--refit-moves", refit_moves_,
                  text("hmc, nuts: births and deaths of a sweep in which the other nodes make up for the one that "
                       "joins or leaves",
                       chain.refit_moves))
      ->group(group);
  verb.add_option("--birth-candidates", candidates_,
                  text("inactive nodes that an informed birth rule chooses from; 0 = all of them",
                       chain.birth_death.candidates))
      ->group(group);
}

void FitArguments::refuse_foreign_options(Method method) const {
  static const std::vector<std::string> variational{"--epochs", "--learning-rate", "--prune-above"};
  static const std::vector<std::string> network{"--hidden", "--noise-prior", "--outliers", "--truncate",
                                                "--chains", "--draws",       "--batch"};
  auto among = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  static const std::vector<std::string> groups{"Model", "Sampling", "Masks", "Variational"};
  for (const CLI::Option* option : verb_->get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || !among(groups, option->get_group()) || name == "--two-logits") continue;
    const bool fits = method == Method::mcmc    ? !among(variational, name)
                      : method == Method::ns_vi ? among(variational, name) || among(network, name)
                                                : name == "--weight-prior";
    if (!fits) throw InputError(fmt::format("{}: --method {} has no use for it", name, method_));
  }
}

Configuration FitArguments::configuration() const {
  Configuration c = preset_ == "paper" ? Configuration::paper() : Configuration();
  const Method method = named<Method>(method_, "--method");
  refuse_foreign_options(method);
  c.set_method(method, preset_ == "paper");
  c = configuration(std::move(c));
  refuse_idle_options(c);
  return c;
}

void FitArguments::refuse_idle_options(const Configuration& c) const {
  if (c.method != Method::mcmc) return;
  using enum Sampler;
  static const std::map<std::string, std::vector<Sampler>> users{
      {"--leapfrog-steps", {hmc}},      {"--max-depth", {nuts}},
      {"--target-accept", {hmc, nuts}}, {"--refit-moves", {hmc, nuts}},
      {"--batch", {sgld, sghmc}},       {"--batches", {sgld, sghmc}},
      {"--step-size", {sgld, sghmc}},   {"--step-schedule", {sgld, sghmc}},
      {"--friction", {sghmc}},          {"--temperature", {sgld, sghmc}}};
  for (const CLI::Option* option : verb_->get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    const auto found = users.find(name);
    if (found != users.end() && std::ranges::find(found->second, c.chain.sampler) == found->second.end())
      throw InputError(fmt::format("{}: --sampler {} has no use for it", name, name_of(c.chain.sampler)));
    if (!c.masks && (option->get_group() == "Masks" || name == "--lambda" || name == "--start-width"))
      throw InputError(fmt::format("{}: with --masks off there is no use for it", name));
  }
}

Configuration FitArguments::configuration(Configuration c) const {
  c.data = data_;
  c.encoding.target = target_;
  if (task_) c.encoding.task = named<Task>(*task_, "--task");
  c.table.header = !no_header_;
  c.table.delimiter = delimiter_;
  c.table.categorical = categorical_;
  c.table.numeric = numeric_;
  c.table.ignore = ignore_;
  c.encoding.missing_is_error = missing_ == "error";
  take(seed_, c.seed);
  apply_settings(c);
  if (c.method == Method::logistic &&
      (c.weight_prior.family != WeightPrior::Family::normal || c.weight_prior.learn_scale))
    throw InputError(fmt::format("--weight-prior '{}': --method logistic takes normal:SCALE", *weight_prior_));
  return c;
}

void FitArguments::apply_settings(Configuration& c) const {
  if (raw_target_) c.encoding.scale_target = false;
  if (hidden_) c.hidden = parse_hidden(*hidden_);
  if (masks_) c.masks = *masks_ == "on";
  if (lambda_) parse_lambda(*lambda_, c);
  if (weight_prior_) parse_weight_prior(*weight_prior_, c.weight_prior);
  if (noise_prior_) {
    const auto parts = split(*noise_prior_, ':');
    if (parts.size() != 2) throw InputError(fmt::format("--noise-prior '{}': expected SHAPE:RATE", *noise_prior_));
    c.noise_prior = {number<double>(parts[0], "--noise-prior", "SHAPE:RATE"),
                     number<double>(parts[1], "--noise-prior", "SHAPE:RATE")};
  }
  if (outliers_) c.outliers = *outliers_ == "allow";
  if (truncation_) c.truncation = *truncation_;
  if (two_logits_) c.one_logit = false;
  take(chains_, c.chains);
  ChainOptions& chain = c.chain;
  take(warmup_, chain.warmup);
  take(draws_, chain.draws);
  take(thin_, chain.thin);
  if (sampler_) chain.sampler = named<Sampler>(*sampler_, "--sampler");
  take(start_width_, chain.start.width);
  take(start_steps_, chain.start.steps);
  take(leapfrog_, chain.leapfrog_steps);
  take(max_depth_, chain.max_depth);
  take(target_accept_, chain.target_accept);
  take(batch_, c.method == Method::ns_vi ? c.variational.batch : chain.batch);
  take(batches_, chain.batches);
  take(step_size_, chain.schedule.initial);
  if (schedule_) chain.schedule.kind = named<StepSchedule::Kind>(*schedule_, "--step-schedule");
  take(friction_, chain.friction);
  take(temperature_, chain.temperature);
  if (birth_) chain.birth_death.birth = named<Rule>(*birth_, "--birth");
  if (death_) chain.birth_death.death = named<Rule>(*death_, "--death");
  take(max_flips_, chain.birth_death.max_flips);
  take(mask_every_, chain.mask_every);
  take(mask_moves_, chain.mask_moves);
  if (mask_test_) chain.mask_test = named<MaskTest>(*mask_test_, "--mask-test");
  take(refit_moves_, chain.refit_moves);
  take(candidates_, chain.birth_death.candidates);
  take(epochs_, c.variational.epochs);
  take(learning_rate_, c.variational.learning_rate);
  take(threshold_, c.variational.threshold);
}

}  // namespace mbnn::app
