#include "apps/reproduce/simulated.h"

#include <string>
#include <utility>

#include "mbnn/core/rng.h"
#include "mbnn/store/checksum.h"

namespace mbnn::studies {

Table points(std::span<const double> x, std::span<const double> y) {
  Table table;
  table.rows = x.size();
  for (const auto& [name, values] : {std::pair{std::string("x"), x}, std::pair{std::string("y"), y}}) {
    Column& column = table.columns.emplace_back();
    column.name = name;
    column.numbers.assign(values.begin(), values.end());
  }
  return table;
}

Polynomial polynomial_data(std::uint64_t seed) {
  Rng rng(seed, 1u << 21);  // a stream that no chain of a fit with this seed uses
  std::vector<double> x, y;
  for (std::size_t i = 0; i < Polynomial::training_rows + Polynomial::test_rows; ++i) {
    x.push_back(-4 + 8 * rng.uniform());
    y.push_back(x.back() * x.back() * x.back() + 3 * rng.normal());
  }
  Polynomial data;
  data.checksum = Checksum("points").add(std::as_bytes(std::span(x))).add(std::as_bytes(std::span(y))).value();
  data.table = std::make_shared<const Table>(points(x, y));
  return data;
}

}  // namespace mbnn::studies
