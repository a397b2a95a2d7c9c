#include "mbnn/sample/shared_options.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/finite.h"
#include "mbnn/core/text.h"

namespace mbnn {

OptionValue weight_prior_value(WeightPrior& prior) {
  OptionValue v;
  v.kind = "PRIOR";
  v.show = [&prior] {
    return fmt::format("{}:{}{}{}", name_of(prior.family), prior.scale,
                       prior.family == WeightPrior::Family::student ? fmt::format(":{}", prior.degrees) : "",
                       prior.learn_scale ? ":learn" : "");
  };
  v.parse = [&prior](const std::string& text) {
    prior =
        expecting("cauchy:SCALE, normal:SCALE or student:SCALE:DEGREES, with :learn behind it to learn the scale", [&] {
          WeightPrior p = prior;
          auto parts = split(text, ':');
          p.family = named<WeightPrior::Family>(parts.empty() ? "" : parts[0], "family");
          p.learn_scale = parts.back() == "learn";
          if (p.learn_scale) parts.pop_back();
          if (parts.size() > (p.family == WeightPrior::Family::student ? 3u : 2u)) throw InputError("too many parts");
          if (parts.size() > 1) p.scale = parse_real(parts[1]);
          if (parts.size() > 2) p.degrees = parse_real(parts[2]);
          return p;
        });
  };
  return v;
}

OptionValue variance_value(NoisePrior& prior) {
  OptionValue v;
  v.kind = "SHAPE:RATE|fixed:VALUE";
  v.show = [&prior] {
    return prior.fixed > 0 ? fmt::format("fixed:{}", prior.fixed) : fmt::format("{}:{}", prior.shape, prior.rate);
  };
  v.parse = [&prior](const std::string& text) {
    prior = expecting("SHAPE:RATE or fixed:VALUE", [&] {
      NoisePrior p = prior;
      const auto parts = split(text, ':');
      if (parts.size() != 2) throw InputError("two parts");
      const bool fixed = parts[0] == "fixed";
      if (!fixed) p.shape = parse_real(parts[0]);
      (fixed ? p.fixed : p.rate) = parse_real(parts[1]);
      if (!fixed) p.fixed = 0;
      return p;
    });
    if (text.starts_with("fixed") && !positive(prior.fixed))
      throw InputError("a fixed variance must be positive and finite");
  };
  return v;
}

Option& add_variance(OptionList& options, const std::string& name, NoisePrior& prior, const std::string& path,
                     const std::string& help) {
  return options.add(name, variance_value(prior), help)
      .json(path + ".shape", prior.shape)
      .json(path + ".rate", prior.rate)
      .json(path + ".fixed", prior.fixed)
      .must([&prior] { return prior.fixed >= 0 && std::isfinite(prior.fixed); }, "must be positive and finite")
      .must([&prior] { return prior.fixed > 0 || positive(prior.shape); }, "the shape must be positive and finite")
      .must([&prior] { return prior.fixed > 0 || positive(prior.rate); }, "the rate must be positive and finite");
}

std::vector<std::string> warmup_words() {
  return {"burnin",     "burn-in",        "burn",   "tune",     "num-warmup", "n-warmup", "iter-warmup",
          "iterations", "num-iterations", "n-iter", "max-iter", "iter",       "steps",    "num-steps"};
}

std::vector<std::string> draws_words(std::vector<std::string> further) {
  further.insert(further.end(),
                 {"samples", "num-samples", "n-samples", "nsamples", "num-draws", "n-draws", "iter-sampling",
                  "iterations", "num-iterations", "n-iter", "max-iter", "iter", "steps", "num-steps"});
  return further;
}

std::vector<std::string> thin_words() { return {"thinning", "thin-by"}; }
std::vector<std::string> sampler_words() { return {"kernel", "optimizer", "optimiser"}; }
std::vector<std::string> delimiter_words() { return {"sep", "separator", "delim", "dialect"}; }

void add_birth_death(OptionList& options, BirthDeathOptions& o, const std::string& of, std::function<bool()> moves) {
  const OptionUse ruled{std::move(moves), "with mask-moves above 0", false};
  options.add("birth", o.birth, fmt::format("rule that chooses {} to switch on", of)).only(ruled);
  options.add("death", o.death, fmt::format("rule that chooses {} to switch off", of)).only(ruled);
  options.add("max-flips", o.max_flips, fmt::format("{} of a move: 1 to this many", of)).within(1, 10).only(ruled);
  options.add("birth-candidates", o.candidates, fmt::format("inactive {} to choose from; 0: all of them", of))
      .json("candidates")
      .old_name("candidates")
      .only({[&o] { return o.birth != Rule::uniform; }, "with birth reciprocal or linear"});
}

}  // namespace mbnn
