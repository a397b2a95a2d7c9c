#include "apps/reproduce/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "apps/reproduce/rows_file.h"
#include "mbnn/core/error.h"
#include "mbnn/store/checksum.h"

namespace mbnn::studies {

namespace {

struct Known {
  std::string title, target, repository_name;
  Task task;
};

const std::map<std::string, Known>& known_sets() {
  static const std::map<std::string, Known> sets{
      {"boston", {"Boston", "medv", "Housing", Task::regression}},
      {"concrete", {"Concrete", "strength", "Concrete Compressive Strength", Task::regression}},
      {"energy", {"Energy", "heating_load", "Energy Efficiency", Task::regression}},
      {"yacht", {"Yacht", "resistance", "Yacht Hydrodynamics", Task::regression}},
      {"haberman", {"Haberman", "survival", "Haberman's Survival", Task::classification}},
      {"retinopathy", {"Retinopathy", "class", "Diabetic Retinopathy Debrecen", Task::classification}},
      {"tictactoe", {"Tic-tac-toe", "outcome", "Tic-Tac-Toe Endgame", Task::classification}},
      {"promoters", {"Promoters", "class", "Molecular Biology (Promoter Gene Sequences)", Task::classification}}};
  return sets;
}

std::string where_to_get(const std::string& name) {
  return fmt::format(
      "--data-dir (or MBNN_DATA) must name a directory that holds uci/{0}/{0}.csv; the table is '{1}' of the UCI "
      "repository, https://archive.ics.uci.edu (docs/reproduce.md has the format)",
      name, known_sets().at(name).repository_name);
}

std::vector<std::vector<std::size_t>> read_splits(const std::string& path, std::size_t rows) {
  std::vector<std::vector<std::size_t>> splits;
  std::istringstream text(content_of(path));
  for (std::string line; std::getline(text, line);) {
    auto& split = splits.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const bool digits = std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
      const std::size_t row = digits && word.size() < 10 ? std::stoul(word) : rows;
      if (row >= rows)
        throw InputError(fmt::format("{}, line {}: expected row numbers from 0 to {}, found '{}'", path, splits.size(),
                                     rows - 1, word));
      split.push_back(row);
    }
    std::sort(split.begin(), split.end());
    if (split.empty() || split.size() + 2 > rows || std::adjacent_find(split.begin(), split.end()) != split.end())
      throw InputError(
          fmt::format("{}, line {}: expected the numbers of some test rows, each once", path, splits.size()));
  }
  return splits;
}

}  // namespace

const std::vector<std::string> kRegressionSets{"boston", "concrete", "energy", "yacht"};
const std::vector<std::string> kClassificationSets{"haberman", "retinopathy", "tictactoe", "promoters"};

std::string title(const std::string& set) {
  const auto found = known_sets().find(set);
  return found == known_sets().end() ? set : found->second.title;
}

std::vector<std::size_t> DataSet::training_rows(std::size_t split) const {
  std::vector<std::size_t> all(table->rows), rows;
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::set_difference(all.begin(), all.end(), test_rows[split].begin(), test_rows[split].end(),
                      std::back_inserter(rows));
  return rows;
}

std::vector<std::vector<std::size_t>> paper_splits(std::size_t rows, std::size_t count) {
  std::vector<std::vector<std::size_t>> splits;
  for (std::size_t k = 1; k <= count; ++k) {
    std::mt19937 generator(static_cast<std::mt19937::result_type>(k));
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t last = rows - 1; last >= 1; --last) {
      const std::size_t mask = std::bit_ceil(last + 1) - 1;
      std::size_t place;
      do place = generator() & mask;
      while (place > last);
      std::swap(order[last], order[place]);
    }
    order.resize((rows + 9) / 10);
    std::sort(order.begin(), order.end());
    splits.push_back(std::move(order));
  }
  return splits;
}

std::int64_t checksum_of_table(const std::string& path) { return Checksum("table").add(content_of(path)).value(); }

DataSet read_data_set(const std::string& name, const StudyOptions& options) {
  if (options.data_directory.empty()) throw InputError("no data: " + where_to_get(name));
  const Known& known = known_sets().at(name);
  const std::string folder = fmt::format("{}/uci/{}/", options.data_directory, name);
  const std::string table_path = folder + name + ".csv", splits_path = folder + options.splits_file;
  if (!std::filesystem::is_regular_file(table_path))
    throw InputError(fmt::format("{} is not there: {}", table_path, where_to_get(name)));
  const bool made = options.splits_file == kPaperSplits && !std::filesystem::exists(splits_path);
  if (!made && !std::filesystem::is_regular_file(splits_path))
    throw InputError(
        fmt::format("{} is not there: expected a line of row numbers for each split (docs/reproduce.md has the format)",
                    splits_path));
  DataSet set;
  set.name = name;
  set.target = known.target;
  set.task = known.task;
  set.checksum = checksum_of_table(table_path);
  set.table = std::make_shared<const Table>(read_table(table_path));
  if (!set.table->find(known.target))
    throw InputError(fmt::format("{}: expected a column '{}', the target of '{}' in the UCI repository", table_path,
                                 known.target, known.repository_name));
  const std::size_t last = *std::max_element(options.splits.begin(), options.splits.end());
  set.test_rows = made ? paper_splits(set.table->rows, last) : read_splits(splits_path, set.table->rows);
  if (last > set.test_rows.size())
    throw InputError(fmt::format("--splits {}: {} has {} splits", last, splits_path, set.test_rows.size()));
  return set;
}

}  // namespace mbnn::studies
