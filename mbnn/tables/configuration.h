// Every choice of a fit in one value: what the command line fills, the fit file stores, and the model is made of.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mbnn/sample/preset.h"
#include "mbnn/tables/chain_options.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/state.h"

namespace mbnn {

enum class LambdaChoice { fixed, learnt, validated };
constexpr auto enum_names(LambdaChoice) { return std::array{"fixed", "learnt", "validated"}; }

// How the fit is made: by the masked network's chains, or by one of the methods that they are compared with.
enum class Method { mcmc, ns_vi, logistic };
constexpr auto enum_names(Method) { return std::array{"mcmc", "ns-vi", "logistic"}; }

// What the optimiser of the variational method needs; its network is `hidden`, its runs are `chains`.
struct VariationalOptions {
  std::int64_t epochs = 500;
  std::size_t batch = 100;  // rows of a step
  double learning_rate = 0.01;
  double threshold = -3;  // a node goes when the log of its dropout rate, variance over squared mean, is above this
};

struct Configuration {
  Preset preset = Preset::ours;  // where the rest comes from; not stored
  Method method = Method::mcmc;
  std::string data;  // the table's path, as given
  TableOptions table;
  EncodingOptions encoding;
  bool one_logit = true;  // two classes: one logit instead of a softmax over two

  std::vector<std::size_t> hidden{1000, 1000};  // caps; empty = the paper's rule for n rows
  bool no_hidden_layers = false;                // an affine function of the inputs, whatever `hidden` says
  LambdaChoice lambda_choice = LambdaChoice::fixed;
  double lambda = 0.1;
  WeightPrior weight_prior;
  NoisePrior noise_prior;
  std::optional<double> truncation;  // F, in units of the target (regression) or of a logit
  bool masks = true;
  bool outliers = true;  // predictions allow for rows unlike those of the training (regression)

  ChainOptions chain;  // mcmc; its draws are those of every method
  VariationalOptions variational;
  std::size_t chains = 4;
  std::uint64_t seed = 1;

  static Configuration paper();  // the paper's setting for its UCI tables
  // Changes the method, and what its defaults change: width of the start, prior, number of runs and draws.
  void set_method(Method method, bool keep_hidden);
  std::int64_t iterations() const;  // of a chain, when it is complete
  void check() const;               // throws InputError naming the first value that makes no sense
};

// Its options, declared in mbnn/tables/configuration_options.cpp (see mbnn/core/options.h).
class OptionList;
OptionList options_of(Configuration& configuration);
OptionList options_with_defaults(Configuration& configuration);  // those of all methods, for the help
nlohmann::json to_json(const Configuration& configuration);
Configuration configuration_from_json(const nlohmann::json& json);

// L_n = ceil(C_L ln n) hidden layers of p_n = ceil(C_p sqrt(n)) nodes. The theory leaves the constants open: 1/4 and 10
// give two layers for 55 to 2,980 rows and caps far above the widths that posteriors have.
std::vector<std::size_t> architecture_rule(std::size_t rows);

Model make_model(const Configuration& configuration, const Encoding& encoding, std::size_t rows);

}  // namespace mbnn
