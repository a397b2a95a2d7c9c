#include "apps/reproduce/methods.h"

#include <functional>
#include <map>

#include "mbnn/core/names.h"

namespace mbnn::studies {

namespace {

struct TableMethod {
  std::string name, title;
  bool regression, classification;
  std::function<void(Configuration&, const StudyOptions&)> apply;
  std::vector<Fixed> fixed = {};
};

const std::vector<Fixed> kMasks{{"/masks", "--masks"}};

// Every method there is, in the order of the paper's tables. A further one is a further line.
const std::vector<TableMethod>& methods() {
  static const std::vector<TableMethod> list{
      {"bnn", "BNN", true, true, [](Configuration& c, const StudyOptions&) { c.masks = false; }, kMasks},
      {"ns-vi", "NS-VI", true, true,
       [](Configuration& c, const StudyOptions& options) {
         c.set_method(mbnn::Method::ns_vi, options.setting == "paper");
       },
       kMasks},
      {"logistic", "logistic regression", false, true,
       [](Configuration& c, const StudyOptions&) { c.set_method(mbnn::Method::logistic, false); }, kMasks},
      {"mbnn", "mBNN", true, true, [](Configuration&, const StudyOptions&) {}, kMasks},
  };
  return list;
}

}  // namespace

std::vector<std::string> regression_methods() {
  std::vector<std::string> names;
  for (const TableMethod& method : methods())
    if (method.regression) names.push_back(method.name);
  return names;
}

std::vector<std::string> classification_methods() {
  std::vector<std::string> names;
  for (const TableMethod& method : methods())
    if (method.classification) names.push_back(method.name);
  return names;
}

std::string method_title(const std::string& name) {
  for (const TableMethod& method : methods())
    if (method.name == name) return method.title;
  return name;
}

Configuration preset(const StudyOptions& options) {
  return options.setting == "paper" ? Configuration::paper() : Configuration();
}

Configuration as_method(const std::string& name, Configuration c, const StudyOptions& options) {
  for (const TableMethod& method : methods()) {
    if (method.name != name) continue;
    method.apply(c, options);
    adjust(c, options, name, method.fixed);
  }
  if (name == "bnn") {
    c.lambda_choice = LambdaChoice::fixed;  // there are no widths for it to act on
    if (options.setting == "default")
      for (std::size_t& width : c.hidden) width = std::min(width, std::ranges::max(c.chain.start.widths));
  }
  if (name ==
      "logistic") {  // one fit, one draw, a normal prior: of the user's options only such a prior says something
    const WeightPrior given = c.weight_prior;
    c.set_method(mbnn::Method::logistic, false);
    if (given.family == WeightPrior::Family::normal && !given.learn_scale) c.weight_prior = given;
  }
  return c;
}

std::vector<std::string> rule_pairs() {
  std::vector<std::string> pairs;
  for (const auto& birth : names_of<Rule>())
    for (const auto& death : names_of<Rule>()) pairs.push_back(birth + "-" + death);
  return pairs;
}

void set_rules(const std::string& pair, BirthDeathOptions& options) {
  const auto dash = pair.find('-');
  options.birth = named<Rule>(pair.substr(0, dash), "birth");
  options.death = named<Rule>(pair.substr(dash + 1), "death");
}

}  // namespace mbnn::studies
