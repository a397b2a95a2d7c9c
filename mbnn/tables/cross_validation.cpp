#include "mbnn/tables/cross_validation.h"

#include <algorithm>
#include <numeric>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

constexpr std::uint64_t kFoldStream = std::uint64_t{1} << 21;  // that no chain uses

// Rows that have a target.
std::vector<std::size_t> rows_with(const Column& target, std::size_t rows) {
  std::vector<std::size_t> known;
  for (std::size_t row = 0; row < rows; ++row)
    if (!target.missing(row)) known.push_back(row);
  return known;
}

void refuse_single_rows(std::span<const std::size_t> classes, const Encoding& encoding) {
  std::vector<std::size_t> count(encoding.classes());
  for (const std::size_t k : classes) ++count[k];
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] < 2)
      throw InputError(fmt::format("class '{}' of {} has {} row: each class needs 2, to be known when it is predicted",
                                   encoding.labels()[k], encoding.target(), count[k]));
}

}  // namespace

// The rows of a class are shuffled and then dealt in turn; the next class goes on where the last one ended.
std::vector<std::vector<std::size_t>> deal_folds(std::span<const std::size_t> classes, std::size_t folds, Rng& rng) {
  require_option(folds >= 2, "folds", folds, "must be at least 2");
  require_option(folds <= classes.size(), "folds", folds,
                 fmt::format("must be at most the number of rows, {}", classes.size()));
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return classes[row]; });
  std::vector<std::vector<std::size_t>> dealt(folds);
  for (std::size_t i = 0; i < order.size(); ++i) dealt[i % folds].push_back(order[i]);
  for (auto& fold : dealt) std::ranges::sort(fold);
  return dealt;
}

CrossValidation::CrossValidation(Configuration configuration, Table table, std::size_t folds, double level,
                                 std::vector<std::string>& notes)
    : configuration_(std::move(configuration)), table_(std::move(table)), level_(level), pooled_(level) {
  configuration_.check();
  notes = table_.notes;
  columns_ = Encoding::learn(table_, configuration_.encoding, notes);
  configuration_.encoding.task = columns_.task();  // no fold may guess another one
  std::vector<std::string> said;
  const Dataset data = columns_.encode(table_, Encoding::Needs::inputs_and_target, said);
  const TableProblem whole(configuration_, columns_, data);  // refuses what no fold could be fitted with
  const std::vector<std::size_t> known = rows_with(*table_.find(columns_.target()), table_.rows);
  std::vector<std::size_t> classes(data.labels.begin(), data.labels.end());
  if (columns_.task() == Task::classification) refuse_single_rows(classes, columns_);
  classes.resize(data.rows);  // a number is of one class
  Rng rng(configuration_.seed, kFoldStream);
  folds_ = deal_folds(classes, folds, rng);
  for (auto& fold : folds_)
    for (std::size_t& row : fold) row = known.at(row);
}

std::size_t CrossValidation::rows() const {
  std::size_t count = 0;
  for (const auto& fold : folds_) count += fold.size();
  return count;
}

TableProblem CrossValidation::problem(std::size_t fold) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < folds_.size(); ++i)
    if (i != fold) rows.insert(rows.end(), folds_[i].begin(), folds_[i].end());
  std::ranges::sort(rows);
  std::vector<std::string> notes, said;
  Encoding encoding = Encoding::learn(table_, configuration_.encoding, notes, rows);
  Dataset data = encoding.encode(table_, Encoding::Needs::inputs_and_target, said, rows);
  return TableProblem(configuration_, std::move(encoding), std::move(data), std::move(notes));
}

Evaluation CrossValidation::score(std::size_t fold, const TableProblem& problem, const FittedModel& fitted,
                                  std::size_t threads) {
  std::vector<std::string> said;
  const Dataset held =
      fitted.encoding.encode(table_, Encoding::Needs::inputs_and_target, said, std::span(folds_.at(fold)));
  Evaluator evaluator(level_);
  evaluator.add(fitted, held, threads, Constant::of(problem.rows(), problem.columns()));
  pooled_.add(evaluator);
  return evaluator.result();
}

}  // namespace mbnn
