// Options that several kinds of fits have: declared here, so that they share names, words and bounds.
#pragma once

#include <string>
#include <vector>

#include "mbnn/core/options.h"
#include "mbnn/sample/birth_death.h"
#include "mbnn/sample/preset.h"
#include "mbnn/sample/priors.h"

namespace mbnn {

// Replaces the whole configuration by the paper's: declared first.
template <class Configuration>
OptionValue preset_value(Preset& preset, Configuration& configuration) {
  OptionValue v = value_of(preset);
  v.parse = [parse = v.parse, &preset, &configuration](const std::string& text) {
    parse(text);
    if (preset == Preset::paper) configuration = Configuration::paper();
  };
  return v;
}

// cauchy:SCALE, normal:SCALE or student:SCALE:DEGREES; :learn behind it, or in place of a scale.
OptionValue weight_prior_value(WeightPrior& prior);
// SHAPE:RATE of an inverse gamma, or fixed:VALUE.
OptionValue variance_value(NoisePrior& prior);
Option& add_variance(OptionList& options, const std::string& name, NoisePrior& prior, const std::string& path,
                     const std::string& help);

// How births and deaths choose nodes or channels, `of` in the help; `moves` says when there are any by these rules.
void add_birth_death(OptionList& options, BirthDeathOptions& value, const std::string& of, std::function<bool()> moves);

// Words for the same things in other programs (Option::known_as).
std::vector<std::string> warmup_words();
std::vector<std::string> draws_words(std::vector<std::string> further = {});
std::vector<std::string> thin_words();
std::vector<std::string> sampler_words();
std::vector<std::string> delimiter_words();

}  // namespace mbnn
