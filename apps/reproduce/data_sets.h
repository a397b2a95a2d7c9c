// The public tables that the studies use, and the splits into training and test rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/reproduce/study.h"
#include "mbnn/tables/columns/encoding.h"

namespace mbnn::studies {

struct DataSet {
  std::string name, target;
  Task task = Task::regression;
  std::shared_ptr<const Table> table;
  std::int64_t checksum = 0;                        // of the file: other data are other settings
  std::vector<std::vector<std::size_t>> test_rows;  // by split

  std::vector<std::size_t> training_rows(std::size_t split) const;  // split from 0
};

extern const std::vector<std::string> kRegressionSets, kClassificationSets;
std::string title(const std::string& set);  // "Boston"

// The paper's protocol, whose splits anybody can make again: the test rows of split k are the first tenth, rounded up,
// of NumPy's RandomState(k).permutation(rows), in ascending order.
std::vector<std::vector<std::size_t>> paper_splits(std::size_t rows, std::size_t count);

// Reads <data_directory>/uci/NAME/NAME.csv and its splits file, which must hold every split that is wanted; without a
// splits_paper.txt those of paper_splits. InputError in one line that says what was looked for and where to get it.
DataSet read_data_set(const std::string& name, const StudyOptions& options);
std::int64_t checksum_of_table(const std::string& path);

}  // namespace mbnn::studies
