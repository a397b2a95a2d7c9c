// Whether a predictive law is right where it says how sure it is: known answers among its probabilities, and its
// intervals' coverage in parts of the rows. A row of which the law says no number counts nowhere.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace mbnn {

// The probability that each law gave to values below the one that came (PIT). Of right laws these are uniform.
struct PitSummary {
  std::array<std::size_t, 10> counts{};  // by tenth: a hump says too wide a law, a trough too narrow a one
  double distance = 0;                   // Kolmogorov's, from uniform
  double p = 1;                          // that right laws have one as large, approximately; NaN without rows
};
PitSummary pit_summary(std::vector<double> probabilities);

// P(D >= distance) for n independent uniform values: the limit law at Stephens' argument, which is good to about 0.01
// from n = 5 on.
double kolmogorov_p(double distance, std::size_t n);

struct Range {
  double low, high;
};
// The share of successes among n trials lies here with at least this probability, at most half of the rest on each
// side.
Range binomial_range(std::size_t n, double success, double probability);

// Rows of similar predictions, and how many of their targets lie in their intervals.
struct CoveragePart {
  double from, to;  // the smallest and the largest prediction
  std::size_t n;
  double coverage;
  Range chance;  // holds the coverage of right intervals in 99% of cases
};
struct CoveredRow {
  double prediction;
  bool inside;
};
// As many parts of nearly equal size as are asked for, fewer if there are fewer rows.
std::vector<CoveragePart> coverage_by_prediction(std::vector<CoveredRow> rows, double level, std::size_t parts);

}  // namespace mbnn
