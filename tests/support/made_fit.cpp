#include "tests/support/made_fit.h"

#include <cmath>

#include "mbnn/tables/table_problem.h"

namespace mbnn {

MadeFit::MadeFit(double first_value, double second_value, bool outliers, std::size_t count) {
  Table table;
  table.path = "made.csv";
  table.rows = count;
  table.columns.resize(2);
  table.columns[0].name = "x";
  table.columns[1].name = "y";
  for (std::size_t i = 0; i < table.rows; ++i) {
    table.columns[0].numbers.push_back(std::sqrt(static_cast<double>(i)));
    table.columns[1].numbers.push_back(i % 2 == 0 ? first_value : second_value);
  }
  Configuration& c = fitted.configuration;
  c.encoding.target = "y";
  c.hidden = {5};
  c.outliers = outliers;
  std::vector<std::string> notes;
  fitted.encoding = Encoding::learn(table, c.encoding, notes);
  rows = fitted.encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
  fitted.model = TableProblem(c, fitted.encoding, rows).model();
  for (const auto& [value, variance] : {std::pair(0.5f, 0.04), std::pair(-1.0f, 0.25)}) {
    State state;
    state.gates.active = {{0}};
    state.weights = {0, 0, 0, value};  // edge, bias, edge, bias
    state.noise_variance = variance;
    fitted.draws.push_back({state});
  }
}

}  // namespace mbnn
