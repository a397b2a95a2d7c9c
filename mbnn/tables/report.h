// Whether a fit can be believed: convergence in function space, what the kernels did, and findings in plain words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "mbnn/judge/convergence.h"
#include "mbnn/tables/table_fit.h"

namespace mbnn {

struct NamedConvergence {
  std::string name;
  Convergence value;
};

struct Finding {
  enum class Level { note, warning, serious } level;
  std::string what;     // what was seen, with its figure
  std::string meaning;  // what that means for the answer
  std::string advice;   // what to try
};

struct Diagnosis {
  std::vector<NamedConvergence> predictions;  // function values at reference rows of the training data
  std::vector<NamedConvergence> traces;       // noise, widths, log posterior and what else is learnt
  // Spread of the chains' mean predictions in units of the predictive sd, the value that 90% of reference rows stay
  // under.
  double disagreement = 0;
  double noise_ratio = 1;                  // largest noise of a chain over the smallest
  std::vector<nlohmann::json> statistics;  // by chain; null for one that has stored nothing
  std::vector<Finding> findings;
  bool trustworthy() const;  // no serious finding
};

Diagnosis diagnose(const FitFile& file, const FittedModel& fitted);

// For models of which the network is a part: what they predict, by draw and then reference row, in units of the scaled
// target.
Diagnosis diagnose(const FitFile& file, const FittedModel& fitted, const std::vector<std::vector<double>>& predictions);
// Training rows spread evenly over the table.
Dataset reference_rows(const Dataset& data);

nlohmann::json to_json(const Convergence& convergence);
nlohmann::json to_json(const Diagnosis& diagnosis);

}  // namespace mbnn
