// The configuration as JSON, field by field: what a fit file stores and `summary --json` shows.
#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"
#include "mbnn/core/names_json.h"
#include "mbnn/tables/configuration.h"

namespace mbnn {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WeightPrior, family, scale, degrees, learn_scale, spread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(NoisePrior, shape, rate, fixed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WarmStartOptions, width, steps, learning_rate, batch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BirthDeathOptions, birth, death, max_flips, candidates)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepSchedule, kind, initial, decay)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ChainOptions, sampler, warmup, draws, thin, start, leapfrog_steps,
                                                max_depth, target_accept, initial_step, batch, batches, schedule,
                                                friction, temperature, birth_death, mask_every, mask_moves, refit_moves)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VariationalOptions, epochs, batch, learning_rate, threshold)

namespace {

template <class T>
nlohmann::json optional_json(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

template <class T>
std::optional<T> optional_from(const nlohmann::json& json) {
  if (json.is_null()) return {};
  return json.get<T>();
}

// The test of mask moves is named only where it is not the usual one: other fits keep the text that they always had.
nlohmann::json chain_json(const ChainOptions& chain) {
  nlohmann::json json = chain;
  if (chain.mask_test != MaskTest::plain) json["mask_test"] = chain.mask_test;
  return json;
}

}  // namespace

nlohmann::json to_json(const Configuration& c) {
  nlohmann::json json{
      {"method", c.method},
      {"data", c.data},
      {"table",
       {{"header", c.table.header},
        {"delimiter", c.table.delimiter ? nlohmann::json(std::string(1, *c.table.delimiter)) : nullptr},
        {"categorical", c.table.categorical},
        {"numeric", c.table.numeric}}},
      {"target", c.encoding.target},
      {"task", optional_json(c.encoding.task)},
      {"scale_target", c.encoding.scale_target},
      {"missing_is_error", c.encoding.missing_is_error},
      {"one_logit", c.one_logit},
      {"hidden", c.hidden},
      {"no_hidden_layers", c.no_hidden_layers},
      {"lambda_choice", c.lambda_choice},
      {"lambda", c.lambda},
      {"weight_prior", c.weight_prior},
      {"noise_prior", c.noise_prior},
      {"truncation", optional_json(c.truncation)},
      {"masks", c.masks},
      {"chain", chain_json(c.chain)},
      {"variational", c.method == Method::ns_vi ? nlohmann::json(c.variational) : nlohmann::json(nullptr)},
      {"chains", c.chains},
      {"seed", c.seed}};
  // Defaults are not written where fits from before there was a choice lack them.
  if (!c.outliers) json["outliers"] = false;
  if (!c.table.ignore.empty()) json["table"]["ignore"] = c.table.ignore;
  return json;
}

Configuration configuration_from_json(const nlohmann::json& json) try {
  Configuration c;
  c.method = json.value("method", Method::mcmc);  // fits from before there were others
  if (c.method == Method::ns_vi) c.variational = json.at("variational");
  c.data = json.at("data");
  const auto& table = json.at("table");
  c.table.header = table.at("header");
  if (!table.at("delimiter").is_null()) c.table.delimiter = table.at("delimiter").get<std::string>().at(0);
  c.table.categorical = table.at("categorical").get<std::vector<std::string>>();
  c.table.numeric = table.at("numeric").get<std::vector<std::string>>();
  c.table.ignore = table.value("ignore", std::vector<std::string>());
  c.encoding.target = json.at("target");
  c.encoding.task = optional_from<Task>(json.at("task"));
  c.encoding.scale_target = json.at("scale_target");
  c.encoding.missing_is_error = json.at("missing_is_error");
  c.one_logit = json.at("one_logit");
  c.hidden = json.at("hidden").get<std::vector<std::size_t>>();
  c.no_hidden_layers = json.value("no_hidden_layers", false);
  c.lambda_choice = json.at("lambda_choice");
  c.lambda = json.at("lambda");
  c.weight_prior = json.at("weight_prior");
  c.noise_prior = json.at("noise_prior");
  c.truncation = optional_from<double>(json.at("truncation"));
  c.masks = json.at("masks");
  c.outliers = json.value("outliers", true);
  c.chain = json.at("chain");
  c.chain.mask_test = json.at("chain").value("mask_test", MaskTest::plain);
  c.chains = json.at("chains");
  c.seed = json.at("seed");
  return c;
} catch (const nlohmann::json::exception& e) {
  throw Error(fmt::format("the stored configuration cannot be read: {}", e.what()));
}

}  // namespace mbnn
