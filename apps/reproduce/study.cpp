#include "apps/reproduce/study.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"

namespace mbnn::studies {

std::vector<std::string> Study::columns() const {
  std::vector<std::string> all = keys;
  all.insert(all.end(), {"seed", "settings", "common"});
  all.insert(all.end(), figures.begin(), figures.end());
  all.insert(all.end(), {"seconds", "cpu_seconds"});
  return all;
}

namespace {

void refuse_changes(const nlohmann::json& before, const nlohmann::json& after, const std::string& method,
                    const std::vector<Fixed>& fixed) {
  for (const Fixed& setting : fixed) {
    const nlohmann::json::json_pointer place(setting.place);
    if (before.at(place) != after.at(place))
      throw InputError(
          fmt::format("options of fits behind --: {} is what {} of --methods says", setting.option, method));
  }
}

void refuse_idle(ImageConfiguration& c, const StudyOptions& options, const std::string& method) try {
  options_of(c).refuse_idle(options.given);
} catch (const OptionError& error) {
  const bool length = c.chain.total_epochs > 0 && (error.option() == "warmup" || error.option() == "thin");
  throw InputError(fmt::format("options of fits behind --: --{}; {}", error.what(),
                               length ? "the study sets the number of epochs: give -- --epochs N instead"
                                      : fmt::format("run {} of --methods without it", method)));
}

}  // namespace

void adjust(Configuration& configuration, const StudyOptions& options) {
  options_of(configuration).apply(options.given);
  if (options.chains > 0) configuration.chains = options.chains;
  if (options.draws > 0) configuration.chain.draws = options.draws;
}

void adjust(ImageConfiguration& configuration, const StudyOptions& options) {
  options_of(configuration).apply(options.given);
  if (options.draws > 0) configuration.chain.draws = options.draws;
}

void adjust(Configuration& configuration, const StudyOptions& options, const std::string& method,
            const std::vector<Fixed>& fixed) {
  const nlohmann::json before = to_json(configuration);
  adjust(configuration, options);
  refuse_changes(before, to_json(configuration), method, fixed);
}

void adjust(ImageConfiguration& configuration, const StudyOptions& options, const std::string& method,
            const std::vector<Fixed>& fixed) {
  const nlohmann::json before = configuration.to_json();
  adjust(configuration, options);
  refuse_idle(configuration, options, method);
  refuse_changes(before, configuration.to_json(), method, fixed);
}

nlohmann::json settings_of(nlohmann::json configuration) {
  configuration.erase("kind");
  return configuration;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<std::string>& known,
                                const std::string& option) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError(fmt::format("{} '{}' is there twice", option, names[i]));
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto nearest = nearest_name(name, known);
      throw InputError(fmt::format("{} '{}': expected some of {}{}", option, name, fmt::join(known, ", "),
                                   nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
    }
  return names.empty() ? known : names;
}

}  // namespace mbnn::studies
