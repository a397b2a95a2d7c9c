// Predictive laws: of the rows of a table by a fit, and of any mixtures of normals.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>

#include "mbnn/core/parallel.h"
#include "mbnn/mbnn.h"
#include "python/core/module.h"
#include "python/core/tables.h"

namespace py = pybind11;

namespace mbnn::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Draws = std::span<const double>;

// Questions to a mixture, by name; the first argument is what it is asked at, if anything.
using Question = double (*)(double, Draws, Draws, Draws);
Question question(const std::string& name) {
  static const std::map<std::string, Question> all{
      {"mean", [](double, Draws m, Draws s, Draws w) { return mixture_mean(m, s, w); }},
      {"std", [](double, Draws m, Draws s, Draws w) { return mixture_sd(m, s, w); }},
      {"ppf", mixture_quantile},
      {"cdf", mixture_cdf},
      {"logpdf", mixture_log_density},
      {"crps", mixture_crps}};
  return all.at(name);
}

Numbers matrix(std::size_t rows, std::size_t columns) { return Numbers({rows, columns}); }

// The answers, row by row, to a question at the row's own points. `sds` and `weights` are (parts, draws), the same for
// all rows: each draw of a row is as many normals as there are parts. No weights: equal ones.
Numbers ask(const std::string& name, const Numbers& points, const Numbers& means, const Numbers& sds,
            const Numbers& weights, std::size_t threads) {
  const Question answer = question(name);
  if (points.ndim() != 2 || means.ndim() != 2 || sds.ndim() != 2 || points.shape(0) != means.shape(0) ||
      sds.shape(1) != means.shape(1) || (weights.size() != 0 && weights.size() != sds.size()))
    throw InputError("points are (rows, points), means (rows, draws), sds and weights (parts, draws)");
  const auto rows = static_cast<std::size_t>(points.shape(0)), count = static_cast<std::size_t>(points.shape(1));
  const auto draws = static_cast<std::size_t>(means.shape(1)), parts = static_cast<std::size_t>(sds.shape(0));
  const Draws sd(sds.data(), draws * parts), weight(weights.data(), static_cast<std::size_t>(weights.size()));
  Numbers result = matrix(rows, count);
  const double *at = points.data(), *mean = means.data();
  double* out = result.mutable_data();
  const py::gil_scoped_release others;
  for_each_index(rows, threads, [&](std::size_t row) {
    std::vector<double> all;
    for (std::size_t part = 0; part < parts; ++part)
      all.insert(all.end(), mean + row * draws, mean + (row + 1) * draws);
    for (std::size_t i = row * count; i < (row + 1) * count; ++i) out[i] = answer(at[i], all, sd, weight);
  });
  return result;
}

struct Rows {
  Dataset data;
  std::vector<std::string> notes;
};

// A fit of a table as its draws are used, read once.
class TablePredictive {
 public:
  explicit TablePredictive(const std::string& path) : fitted_(read(path)), predictive_(fitted_) {}
  TablePredictive(const TablePredictive&) = delete;

  Rows rows_of(const py::list& columns, const std::string& name) const {
    return encoded(table_of(columns, name, fitted_.table_options()));
  }
  Rows read_rows(const std::string& path) const { return encoded(read(path, fitted_.table_options())); }

  // A column for each question, at a point if it needs one.
  Numbers ask(const Rows& rows, const std::vector<std::pair<std::string, double>>& questions,
              std::size_t threads) const {
    check(rows);
    std::vector<std::pair<Question, double>> asked;
    for (const auto& [name, point] : questions) asked.emplace_back(question(name), point);
    Numbers result = matrix(rows.data.rows, asked.size());
    double* out = result.mutable_data();
    const py::gil_scoped_release others;
    predictive_.for_each_row(
        rows.data, threads,
        [&](const RowPrediction& row) {
          double* answers = out + row.row * asked.size();
          for (const auto& [answer, point] : asked) *answers++ = answer(point, row.means, row.sds, row.weights);
          return 0;
        },
        [](std::size_t, int) {});
    return result;
  }

  // (rows, classes)
  Numbers probabilities(const Rows& rows, std::size_t threads) const {
    check(rows);
    const std::size_t classes = fitted_.encoding.classes();
    Numbers result = matrix(rows.data.rows, classes);
    double* out = result.mutable_data();
    const py::gil_scoped_release others;
    predictive_.for_each_row(rows.data, threads, [&](const RowPrediction& row) {
      std::ranges::copy(row.probabilities, out + row.row * classes);
    });
    return result;
  }

  // Means (rows, draws), sds and weights (parts, draws) of the law of each row.
  py::tuple mixture(const Rows& rows, std::size_t threads) const {
    check(rows);
    const std::size_t draws = fitted_.draw_count();
    Numbers means = matrix(rows.data.rows, draws);
    double* out = means.mutable_data();
    std::vector<double> sds, weights;
    {
      const py::gil_scoped_release others;
      predictive_.for_each_row(rows.data, threads, [&](const RowPrediction& row) {
        std::copy_n(row.means.begin(), draws, out + row.row * draws);
        if (row.row == 0) sds.assign(row.sds.begin(), row.sds.end());
        if (row.row == 0) weights.assign(row.weights.begin(), row.weights.end());
      });
    }
    const auto by_part = [&](const std::vector<double>& values) {
      Numbers part = matrix(values.size() / draws, draws);
      std::ranges::copy(values, part.mutable_data());
      return part;
    };
    return py::make_tuple(means, by_part(sds), by_part(weights));
  }

  // (draws, rows, classes)
  Numbers class_draws(const Rows& rows) const {
    check(rows);
    const std::size_t classes = fitted_.encoding.classes(), count = rows.data.rows;
    std::vector<std::vector<double>> draws;
    {
      const py::gil_scoped_release others;
      draws = predictive_.probabilities(rows.data);
    }
    Numbers result({draws.size(), count, classes});
    double* out = result.mutable_data();
    for (const auto& draw : draws)
      for (std::size_t row = 0; row < count; ++row)
        for (std::size_t k = 0; k < classes; ++k)
          *out++ = classes > 2 ? draw[k * count + row] : k == 1 ? draw[row] : 1 - draw[row];
    return result;
  }

  std::string encoding() const { return fitted_.encoding.to_json().dump(); }
  std::vector<std::size_t> chain_draws() const {
    std::vector<std::size_t> counts;
    for (const auto& chain : fitted_.draws) counts.push_back(chain.size());
    return counts;
  }

 private:
  static FittedModel read(const std::string& path) {
    const py::gil_scoped_release others;
    const FitFile file = FitFile::open(path, FitFile::Mode::read);
    if (const std::string kind = kind_of(file); kind != "table")
      throw InputError(fmt::format("{} is a fit of the kind '{}': predictions are made of tables", path, kind));
    return FittedModel::read(file);
  }
  void check(const Rows& rows) const {
    if (rows.data.inputs != fitted_.model.architecture.inputs)
      throw InputError("the rows were read for another fit: its inputs are not those of this one");
  }
  static Table read(const std::string& path, const TableOptions& options) {
    const py::gil_scoped_release others;
    return read_table(path, options);
  }
  Rows encoded(Table table) const {
    const py::gil_scoped_release others;
    Rows rows{{}, table.notes};
    rows.data = fitted_.encoding.encode(std::move(table), Encoding::Needs::inputs, rows.notes);
    return rows;
  }

  FittedModel fitted_;
  Predictive predictive_;
};

}  // namespace

void bind_predictions(py::module_& module) {
  module.def("ask", ask);
  py::class_<Rows>(module, "Rows").def_readonly("notes", &Rows::notes);
  py::class_<TablePredictive>(module, "TablePredictive")
      .def(py::init<std::string>())
      .def("rows_of", &TablePredictive::rows_of)
      .def("read_rows", &TablePredictive::read_rows)
      .def("ask", &TablePredictive::ask)
      .def("probabilities", &TablePredictive::probabilities)
      .def("mixture", &TablePredictive::mixture)
      .def("class_draws", &TablePredictive::class_draws)
      .def_property_readonly("encoding", &TablePredictive::encoding)
      .def_property_readonly("chain_draws", &TablePredictive::chain_draws);
}

}  // namespace mbnn::python
