#include "experiments/studies/study.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "mbnn/core/error.h"
#include "mbnn/data/names.h"

namespace mbnn::studies {

std::vector<std::string> Study::columns() const {
  std::vector<std::string> all = keys;
  all.insert(all.end(), {"seed", "settings"});
  all.insert(all.end(), figures.begin(), figures.end());
  all.insert(all.end(), {"seconds", "cpu_seconds"});
  return all;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<std::string>& known,
                                const std::string& option) {
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto nearest = nearest_name(name, known);
      throw InputError(fmt::format("{} '{}': expected some of {}{}", option, name, fmt::join(known, ", "),
                                   nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
    }
  return names.empty() ? known : names;
}

}  // namespace mbnn::studies
