// The figures that the paper (Masked Bayesian Neural Networks, ICML 2023) prints, for the tables to stand beside.
#pragma once

#include <string>
#include <vector>

namespace mbnn::studies {

struct PaperFigure {
  std::string set, method, lambda;  // lambda: "" for methods without one
  double coverage, coverage_error, rmse, rmse_error, nll, nll_error, crps, crps_error;
  int width1, width2;
};

// Table 1 and the appendix table "Additional results on various λ", which repeats Table 1 at λ = 0.1. Null if the paper
// has no such row.
const PaperFigure* paper_figure(const std::string& set, const std::string& method, const std::string& lambda);

}  // namespace mbnn::studies
