#include <memory>

#include "bench/measures.h"
#include "bench/peak.h"
#include "bench/problem.h"

namespace mbnn::bench {

namespace {

// A network and its gradient, ready to be timed.
struct Gradient {
  Problem problem;
  NetworkDensity density;
  std::vector<float> gradient;
  Fastest fastest;

  Gradient(std::size_t rows, std::size_t inputs, std::vector<std::size_t> widths, Rng& rng)
      : problem(rows, inputs, std::move(widths), 2000, rng),
        density(problem.model),
        gradient(problem.state.weights.size()) {
    density.bind(problem.batch, problem.state);
  }
  void sample() {
    fastest.sample([&] { density.gradient(problem.state.weights, gradient); });
  }
  nlohmann::json json() const {
    const Shape shape = problem.state.shape(problem.model);
    return {{"rows", problem.data.rows},
            {"widths", shape.widths},
            {"seconds", fastest.seconds()},
            {"gflops", gradient_flops(shape, problem.data.rows) / fastest.seconds() * 1e-9}};
  }
};

}  // namespace

nlohmann::json gradients() {
  Rng rng(1, 0);
  std::vector<std::unique_ptr<Gradient>> cases;
  cases.push_back(std::make_unique<Gradient>(455, 13, std::vector<std::size_t>{29, 12}, rng));
  cases.push_back(std::make_unique<Gradient>(927, 8, std::vector<std::size_t>{38, 11}, rng));
  cases.push_back(std::make_unique<Gradient>(455, 13, std::vector<std::size_t>{1000, 1000}, rng));
  Peak peak;
  for (int round = 0; round < 12; ++round) {
    peak.sample();
    for (auto& c : cases) c->sample();
  }
  nlohmann::json result{{"peak_gflops", peak.gflops()}};
  for (const auto& c : cases) result["cases"].push_back(c->json());
  return result;
}

nlohmann::json rows() {
  Rng rng(2, 0);
  std::vector<std::unique_ptr<Gradient>> cases;
  for (std::size_t n : {1000, 10000, 100000})
    cases.push_back(std::make_unique<Gradient>(n, 13, std::vector<std::size_t>{29, 12}, rng));
  for (int round = 0; round < 12; ++round)
    for (auto& c : cases) c->sample();
  nlohmann::json result;
  for (const auto& c : cases) result["cases"].push_back(c->json());
  return result;
}

}  // namespace mbnn::bench
