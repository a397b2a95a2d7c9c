// What a fit predicts as one column changes, or two: partial dependence and accumulated local effects.
#pragma once

#include "mbnn/tables/explain/column_function.h"

namespace mbnn {

struct EffectPoint {
  std::string cell;  // of the column; empty: a missing one
  Band partial;      // the mean prediction over all rows, were this their cell
  // Numbers: the sum of what small steps up to this cell change where rows are, 0 in the mean over rows. NaN otherwise.
  Band local;
};
struct Effect {
  std::size_t column;
  std::vector<EffectPoint> points;
};

struct PairPoint {
  std::string first, second;  // cells
  Band partial;
};
struct PairEffect {
  std::size_t first, second;  // columns
  // What the two do together and not each by itself: the deviation over the points of partial dependence minus the sum
  // of those of either alone, in units of the prediction.
  double strength;
  std::vector<PairPoint> points;
};

struct EffectOptions {
  double level = 0.95;      // of the bands, over draws
  std::size_t points = 10;  // of a column of numbers, at their quantiles; of categories the most frequent
  std::size_t pair_points = 6;
};

Effect effect_of(const ColumnFunction& function, std::size_t column, const Dataset& data, const EffectOptions& options);
PairEffect pair_effect_of(const ColumnFunction& function, std::size_t first, std::size_t second, const Dataset& data,
                          const EffectOptions& options);

}  // namespace mbnn
