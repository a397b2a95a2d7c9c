// Any fit looked at: whether to believe it, and what it has learnt.
#pragma once

#include "mbnn/run/problem.h"

namespace mbnn {

// InputError if there are no draws yet.
Diagnosis diagnose(const FitFile& file, const Problem& problem);

struct Summary {
  Description description;
  std::vector<std::string> notes;
  struct Chain {
    std::int64_t done = 0, draws = 0;
  };
  std::vector<Chain> chains;
  std::int64_t length = 0, draws = 0;  // of a chain; of all
  std::string step_name;
  bool finished = false;
};
Summary summarise(const FitFile& file, const Problem& problem);
nlohmann::json to_json(const Summary& summary);

// The numbers stored with each draw: by name, then chain; chains without draws are left out. `unit` gives what a
// number is multiplied by.
std::vector<Quantity> stored_traces(const FitFile& file, const std::vector<std::string>& names,
                                    const std::function<double(const std::string&)>& unit = {});

}  // namespace mbnn
