#include "apps/reproduce/series_data.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "mbnn/core/rng.h"

namespace mbnn::studies {

namespace {

constexpr std::size_t kDays = 365, kKeywords = 8;
constexpr std::array<const char*, kKeywords> kNames{"brand", "reviews", "price",  "rival",
                                                    "salon", "gift",    "travel", "recipe"};

std::vector<std::string> days_of_2021() {
  constexpr std::array lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  std::vector<std::string> days;
  for (std::size_t month = 0; month < lengths.size(); ++month)
    for (int day = 1; day <= lengths[month]; ++day) days.push_back(fmt::format("2021-{:02}-{:02}", month + 1, day));
  return days;
}

}  // namespace

Table search_volumes(std::uint64_t seed) {
  Rng rng(seed, 2021);
  std::array<std::vector<double>, kKeywords> z, volume;
  for (std::size_t k = 0; k < kKeywords; ++k) {
    std::array<double, 7> rhythm{};  // a day of the week has its own level
    for (double& r : rhythm) r = 0.5 * rng.normal();
    const double base = std::exp(0.7 * rng.normal()) * 5;
    double ar = rng.normal();
    for (std::size_t t = 0; t < kDays; ++t) {
      z[k].push_back(ar + rhythm[t % 7]);
      volume[k].push_back(base * std::exp(0.3 * z[k].back()));
      ar = 0.7 * ar + std::sqrt(1 - 0.49) * rng.normal();
    }
  }
  std::vector<double> product;
  double level = rng.normal();
  for (std::size_t t = 0; t < kDays; ++t) {
    const double brand = z[0][t], reviews = z[1][t], price = z[2][t], rival = z[3][t];
    const double f = 1.5 * std::max(0.0, brand - 0.2) + std::tanh(1.5 * reviews) * std::max(0.0, price + 0.5) -
                     0.8 * std::max(0.0, rival) * brand;
    product.push_back(20 + 1.5 * f + level + 0.5 * rng.normal());
    level = 0.95 * level + std::sqrt(0.1) * rng.normal();
  }

  Table table;
  table.path = fmt::format("search volumes, seed {}", seed);
  table.rows = kDays;
  Column day{"day", ColumnKind::categorical, {}, {}, days_of_2021()};
  for (std::size_t t = 0; t < kDays; ++t) day.codes.push_back(static_cast<std::int32_t>(t));
  table.columns.push_back(std::move(day));
  table.columns.push_back({"product", ColumnKind::numeric, std::move(product), {}, {}});
  for (std::size_t k = 0; k < kKeywords; ++k)
    table.columns.push_back({kNames[k], ColumnKind::numeric, std::move(volume[k]), {}, {}});
  return table;
}

std::string search_volumes_csv(std::uint64_t seed) {
  const Table table = search_volumes(seed);
  std::string text;
  for (const Column& column : table.columns) text += (text.empty() ? "" : ",") + column.name;
  text += "\n";
  for (std::size_t row = 0; row < table.rows; ++row) {
    text += table.columns[0].text(row);
    for (std::size_t c = 1; c < table.columns.size(); ++c)
      text += fmt::format(",{:.6f}", table.columns[c].numbers[row]);
    text += "\n";
  }
  return text;
}

}  // namespace mbnn::studies
