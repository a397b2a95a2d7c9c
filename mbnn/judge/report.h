// Whether a fit can be believed: convergence of what it predicts, and findings in plain words. Knows no model.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mbnn/judge/convergence.h"

namespace mbnn {

// One number that every draw has; chains without draws are left out.
struct Quantity {
  std::string name;
  std::vector<std::vector<double>> chains;
  double variance = 0;  // predictions: of what is predicted, given the number
};

// What a diagnosis is made of.
struct Evidence {
  std::vector<Quantity> predictions;  // at reference points of the training data
  std::vector<Quantity> traces;       // noise, widths, log posterior and what else is learnt
  double noise_ratio = 1;             // largest noise of a chain over the smallest
  bool widths_move = false;           // widths are sampled
  bool starts_differ = false;         // chains began with widths of their own
  std::optional<bool> nodes_move;     // whether any established node came or went; empty: unknown
  bool markov = true;                 // draws of chains; else R-hat and effective draws have no meaning
  std::size_t fewest_draws = 40;      // that answers of this kind can rest on
};

struct NamedConvergence {
  std::string name;
  Convergence value;
};

struct Finding {
  enum class Level { note, warning, serious } level;
  std::string what;     // what was seen, with its figure
  std::string meaning;  // what that means for the answer
  std::string advice;   // what to try, in the names of options
};

// Whether widths are those of the posterior, or of the start.
struct WidthVerdict {
  enum class Kind { none, usable, untold, not_trusted } kind = Kind::none;  // none: there is nothing to judge
  std::string why;                                                          // unless usable
};

struct Diagnosis {
  std::vector<NamedConvergence> predictions, traces;
  // Spread of the chains' mean predictions in units of the predictive sd, the value that 90% of predictions stay under.
  double disagreement = 0;
  double noise_ratio = 1;
  bool markov = true;
  std::size_t draws = 0, chains = 0;       // chains that have draws
  std::vector<nlohmann::json> statistics;  // by chain; null for one that has stored nothing
  std::vector<std::string> moves;          // what the moves did and cost, a line each
  std::vector<Finding> findings;
  WidthVerdict widths;
  bool trustworthy() const;  // no serious finding: predictions can be used

  void add(Finding::Level level, std::string what, std::string meaning, std::string advice) {
    findings.push_back({level, std::move(what), std::move(meaning), std::move(advice)});
  }
};

Diagnosis judge(const Evidence& evidence);

nlohmann::json to_json(const Convergence& convergence);
nlohmann::json to_json(const Diagnosis& diagnosis);

}  // namespace mbnn
