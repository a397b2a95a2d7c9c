// Mini-batches of a table: rows drawn with replacement.
#pragma once

#include <algorithm>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/net/dense/batch.h"

namespace mbnn {

class MiniBatches {
 public:
  // `data` must outlive it. Batches have `size` rows, or as many as there are.
  MiniBatches(const Dataset& data, std::size_t size) : data_(&data), rows_(std::min(size, data.rows)) {}

  // Valid until the next call.
  const Batch& draw(Rng& rng) {
    for (auto& row : rows_) row = rng.below(data_->rows);
    batch_.gather(*data_, rows_);
    return batch_;
  }
  // What a sum over a batch is multiplied by to stand for that over all rows.
  double scale() const { return static_cast<double>(data_->rows) / static_cast<double>(rows_.size()); }

 private:
  const Dataset* data_;
  std::vector<std::size_t> rows_;
  Batch batch_;
};

}  // namespace mbnn
