#include <mbnn/mbnn.h>

#include <cstdio>

int main() {
  mbnn::SeriesConfiguration configuration;
  configuration.base.data = "visits.csv";
  configuration.base.encoding.target = "visits";
  configuration.date = "day";
  configuration.train_until = "2023-11-30";
  configuration.series.seasons = {7};
  configuration.series.regression = mbnn::Regression::linear;
  auto problem = mbnn::SeriesProblem::read(configuration);
  const auto file = mbnn::fit(problem, "visits.mbnn", {.overwrite = true});

  const auto fitted = mbnn::FittedSeries::read(file);
  std::vector<std::string> notes;
  const auto table = mbnn::read_table("visits.csv", mbnn::with_dates({}, "day"));
  const auto rows = mbnn::read_series_rows(fitted, table, mbnn::TargetColumn::optional, notes);
  mbnn::SeriesForecaster(fitted).for_each_row(rows, mbnn::ForecastMode::forecast, [&](const auto& prediction) {
    const auto& law = prediction.target;
    std::printf("%s  %.1f +- %.1f\n", rows.dates[prediction.row].c_str(), mbnn::mixture_mean(law.means, law.sds),
                mbnn::mixture_sd(law.means, law.sds));
  });
}
