#include "mbnn/tables/evaluation.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/judge/roc.h"
#include "mbnn/tables/predictive.h"

namespace mbnn {

namespace {

std::vector<double> targets(const Dataset& data, const Encoding& encoding) {
  std::vector<double> values;
  for (const float y : data.y) values.push_back(encoding.target_mean() + encoding.target_sd() * static_cast<double>(y));
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double squares_around(double centre, const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += (v - centre) * (v - centre);
  return sum;
}

}  // namespace

Constant Constant::of(const Dataset& training, const Encoding& encoding) {
  Constant constant;
  const double rows = static_cast<double>(training.rows);
  if (encoding.task() == Task::regression) {
    const auto values = targets(training, encoding);
    constant.mean = mean_of(values);
    constant.sd = std::sqrt(squares_around(constant.mean, values) / rows);
    return constant;
  }
  constant.shares.assign(encoding.classes(), 0.0);
  for (const std::int32_t label : training.labels) constant.shares[static_cast<std::size_t>(label)] += 1 / rows;
  return constant;
}

double skill(double score, double of_constant) { return 1 - score / of_constant; }

void Evaluator::add(const FittedModel& fitted, const Dataset& data, std::size_t threads,
                    const std::optional<Constant>& constant) {
  const Encoding& encoding = fitted.encoding;
  require_same(encoding.task(), encoding.labels());
  task_ = encoding.task();
  labels_ = encoding.labels();
  const bool usable = constant && (*task_ == Task::classification || constant->sd > 0);
  with_constant_ = with_constant_ && usable;
  if (*task_ == Task::regression) {
    add_numbers(fitted, data, threads);
    if (usable)
      for (const double y : targets(data, encoding))
        constant_regression_.add(score(y, {&constant->mean, 1}, {&constant->sd, 1}, level_));
  } else {
    add_classes(fitted, data, threads);
    if (usable)
      for (const std::int32_t label : data.labels)
        constant_classification_.add(static_cast<std::size_t>(label), constant->shares);
  }
}

void Evaluator::require_same(Task task, const std::vector<std::string>& labels) const {
  require(!task_ || *task_ == task, "task", name_of(task), "must be that of the rows before");
  require(labels_.empty() || labels_ == labels, "classes", labels.size(), "must be those of the rows before");
}

void Evaluator::add(const Evaluator& other) {
  if (!other.task_) return;
  require_same(*other.task_, other.labels_);
  require(level_ == other.level_, "level", other.level_, "must be that of the rows before");
  task_ = other.task_;
  labels_ = other.labels_;
  regression_.add(other.regression_);
  constant_regression_.add(other.constant_regression_);
  classification_.add(other.classification_);
  constant_classification_.add(other.constant_classification_);
  with_constant_ = with_constant_ && other.with_constant_;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(targets_, other.targets_);
  append(pits_, other.pits_);
  append(covered_, other.covered_);
  append(probabilities_, other.probabilities_);
  append(classes_, other.classes_);
}

void Evaluator::add_numbers(const FittedModel& fitted, const Dataset& data, std::size_t threads) {
  const std::vector<double> y = targets(data, fitted.encoding);
  targets_.insert(targets_.end(), y.begin(), y.end());
  Predictive(fitted).for_each_row(
      data, threads,
      [&](const RowPrediction& row) { return score(y[row.row], row.means, row.sds, level_, row.weights); },
      [&](std::size_t row, const RegressionScores& scores) {
        regression_.add(scores);
        pits_.push_back(scores.pit);
        covered_.push_back({y[row] - scores.error, scores.inside});
      });
}

void Evaluator::add_classes(const FittedModel& fitted, const Dataset& data, std::size_t threads) {
  Predictive(fitted).for_each_row(data, threads, [&](const RowPrediction& row) {
    const auto label = static_cast<std::size_t>(data.labels[row.row]);
    classification_.add(label, row.probabilities);
    probabilities_.insert(probabilities_.end(), row.probabilities.begin(), row.probabilities.end());
    classes_.push_back(label);
  });
}

Evaluation Evaluator::result() const {
  Evaluation e{task_.value_or(Task::regression), level_};
  e.regression = regression_.result();
  e.classification = classification_.result();
  if (e.task == Task::regression) {
    if (with_constant_) e.constant_regression = constant_regression_.result();
    const double n = static_cast<double>(targets_.size()), spread = squares_around(mean_of(targets_), targets_);
    e.r2 = spread > 0 ? 1 - e.regression.rmse * e.regression.rmse * n / spread : std::nan("");
    e.pit = pit_summary(pits_);
    e.quarters = coverage_by_prediction(covered_, level_, 4);
    return e;
  }
  if (with_constant_) e.constant_classification = constant_classification_.result();
  e.labels = labels_;
  e.auc = area_under_roc(probabilities_, classes_, labels_.size());
  e.confusion.assign(labels_.size(), std::vector<std::size_t>(labels_.size()));
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const auto p = std::span(probabilities_).subspan(i * labels_.size(), labels_.size());
    ++e.confusion[classes_[i]][static_cast<std::size_t>(std::ranges::max_element(p) - p.begin())];
  }
  return e;
}

Evaluation evaluate(const FittedModel& fitted, const Dataset& data, double level, std::size_t threads,
                    const std::optional<Constant>& constant) {
  Evaluator evaluator(level);
  evaluator.add(fitted, data, threads, constant);
  return evaluator.result();
}

namespace {

void add_number_figures(const Evaluation& e, nlohmann::ordered_json& json) {
  const RegressionMetrics& m = e.regression;
  json.update({{"rmse", m.rmse},
               {"nll", m.nll},
               {"crps", m.crps},
               {"coverage", m.coverage},
               {"interval", e.level},
               {"interval_width", m.interval_width},
               {"interval_score", m.interval_score},
               {"mae", m.mae},
               {"r2", e.r2}});
  if (e.constant_regression) {
    const RegressionMetrics& c = *e.constant_regression;
    json["constant"] = {{"rmse", c.rmse},         {"nll", c.nll}, {"crps", c.crps},
                        {"coverage", c.coverage}, {"mae", c.mae}, {"interval_score", c.interval_score}};
    json["skill"] = {{"rmse", skill(m.rmse, c.rmse)},
                     {"crps", skill(m.crps, c.crps)},
                     {"mae", skill(m.mae, c.mae)},
                     {"interval_score", skill(m.interval_score, c.interval_score)}};
    json["nll_gain"] = c.nll - m.nll;
  }
  json["pit"] = {{"counts", e.pit.counts}, {"distance", e.pit.distance}, {"p", e.pit.p}};
  json["coverage_by_prediction"] = nlohmann::ordered_json::array();
  for (const CoveragePart& part : e.quarters)
    json["coverage_by_prediction"].push_back({{"from", part.from},
                                              {"to", part.to},
                                              {"n", part.n},
                                              {"coverage", part.coverage},
                                              {"chance_low", part.chance.low},
                                              {"chance_high", part.chance.high}});
}

void add_class_figures(const Evaluation& e, nlohmann::ordered_json& json) {
  const ClassificationMetrics& m = e.classification;
  json.update({{"accuracy", m.accuracy}, {"nll", m.nll}, {"ece", m.ece}, {"brier", m.brier}, {"auc", e.auc}});
  if (e.constant_classification) {
    const ClassificationMetrics& c = *e.constant_classification;
    json["constant"] = {{"accuracy", c.accuracy}, {"nll", c.nll}, {"brier", c.brier}};
    json["skill"] = {{"nll", skill(m.nll, c.nll)}, {"brier", skill(m.brier, c.brier)}};
  }
  json["labels"] = e.labels;
  std::vector<double> rates;
  for (const auto& row : e.confusion) {
    std::size_t count = 0;
    for (const std::size_t n : row) count += n;
    rates.push_back(static_cast<double>(count) / static_cast<double>(m.n));
  }
  json["base_rates"] = rates;
  json["confusion"] = e.confusion;
}

}  // namespace

nlohmann::ordered_json to_json(const Evaluation& e) {
  nlohmann::ordered_json json{{"n", e.rows()}};
  e.task == Task::regression ? add_number_figures(e, json) : add_class_figures(e, json);
  return json;
}

}  // namespace mbnn
