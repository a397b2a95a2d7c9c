#include "mbnn/net/dense/batch.h"

#include <numeric>

namespace mbnn {

Batch Batch::all(const Dataset& data) {
  std::vector<std::size_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Batch batch;
  batch.gather(data, rows);
  return batch;
}

void Batch::gather(const Dataset& data, std::span<const std::size_t> rows) {
  x.reset(rows.size(), data.inputs);
  for (std::size_t t = 0; t < x.count(); ++t) {
    float* tile = x.tile(t);
    for (std::size_t r = 0; r < x.valid_rows(t); ++r) {
      const float* row = data.x.data() + rows[x.first_row(t) + r] * data.inputs;
      for (std::size_t k = 0; k < data.inputs; ++k) tile[k * kTileRows + r] = row[k];
    }
    // Padding rows are computed and ignored: they must only be finite.
    for (std::size_t r = x.valid_rows(t); r < kTileRows; ++r)
      for (std::size_t k = 0; k < data.inputs; ++k) tile[k * kTileRows + r] = 0;
  }
  auto pick = [&](const auto& from, auto& to) {
    to.clear();
    if (from.empty()) return;
    to.reserve(rows.size());
    for (std::size_t row : rows) to.push_back(from[row]);
  };
  pick(data.y, y);
  pick(data.labels, labels);
}

}  // namespace mbnn
