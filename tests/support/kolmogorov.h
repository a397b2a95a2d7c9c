// Kolmogorov's distance between two samples, and between a sample and a law.
#pragma once

#include <vector>

namespace mbnn {

double kolmogorov_distance(std::vector<double> a, std::vector<double> b);
// Of values from their law, each given as what the law's distribution function makes of it.
double kolmogorov_distance_from_law(std::vector<double> probabilities);

}  // namespace mbnn
