#include "tests/support/tiny_network.h"

#include <utility>

namespace mbnn {

Model tiny_network(std::vector<std::size_t> caps, double lambda) {
  Model model;
  model.architecture = {1, std::move(caps), 1};
  model.weight_prior = {WeightPrior::Family::normal, 1.0};
  model.width_prior.lambda = lambda;
  model.width_prior.rows = 5;
  return model;
}

Dataset tiny_data() {
  Dataset data;
  data.rows = 5;
  data.inputs = 1;
  data.x = {-1.5f, -0.6f, 0.1f, 0.8f, 1.7f};
  data.y = {1.3f, 0.2f, -0.6f, 0.4f, 1.6f};
  return data;
}

}  // namespace mbnn
