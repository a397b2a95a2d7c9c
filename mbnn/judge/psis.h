// Leave-one-out prediction from the draws of one fit, by Pareto-smoothed importance sampling.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mbnn {

// P(X > x) = (1 + k x / sigma)^(-1/k) for x > 0; 1/k is the number of moments that exist, if k > 0.
struct ParetoLaw {
  double k, sigma;
  double quantile(double p) const;
};
// The estimate of Zhang and Stephens (2009) of values above 0 in ascending order, at least five.
ParetoLaw fit_pareto(std::span<const double> ascending);

// Vehtari, Simpson, Gelman, Yao, Gabry (2024), Pareto smoothed importance sampling, JMLR 25(72): the largest ratios are
// replaced by quantiles of the law that is fitted to them, with k drawn towards 1/2 as by ten more values.
struct SmoothedWeights {
  std::vector<double> log_weights;  // whose exponentials sum to 1
  double k;                         // of the tail; infinite if there are too few ratios to tell
};
SmoothedWeights smoothed_weights(std::span<const double> log_ratios);

// Above it weights of so many draws are not reliable: 0.7, less for fewer than about 2,200 draws.
double pareto_k_limit(std::size_t draws);

struct LeaveOneOut {
  std::size_t rows = 0, draws = 0;
  double elpd = 0;   // sum over rows of the log predictive density without the row
  double se = 0;     // of elpd, as rows of the table vary
  double p_eff = 0;  // what the rows' own presence adds: the number of parameters that the data determine
  double k_max = 0, k_limit = 0;
  std::size_t k_above_limit = 0, k_above_07 = 0;  // rows
  bool trustworthy() const { return rows > 0 && k_above_limit == 0; }
};

class LeaveOneOutSum {
 public:
  explicit LeaveOneOutSum(std::size_t draws) : draws_(draws) {}
  struct Row {
    double elpd, lpd, k;  // without the row and with it
  };
  // By draw: the likelihood of the row in the model, and its predictive density if that is another one.
  static Row row(std::span<const double> log_likelihood, std::span<const double> log_density);
  void add(const Row& row);
  LeaveOneOut result() const;

 private:
  std::size_t draws_;
  std::vector<Row> rows_;
};

}  // namespace mbnn
