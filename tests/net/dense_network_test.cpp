// The fast network code against the plain reference, and gradients against finite differences in double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "mbnn/net/dense/activations.h"
#include "mbnn/net/dense/mlp.h"
#include "mbnn/tables/density.h"
#include "mbnn/tables/flip_density.h"
#include "tests/support/mlp_reference.h"

namespace mbnn {
namespace {

Dataset random_data(std::size_t rows, std::size_t inputs, std::size_t classes, Rng& rng) {
  Dataset data;
  data.rows = rows;
  data.inputs = inputs;
  for (std::size_t i = 0; i < rows * inputs; ++i) data.x.push_back(static_cast<float>(rng.normal()));
  for (std::size_t i = 0; i < rows; ++i) {
    if (classes > 0)
      data.labels.push_back(static_cast<std::int32_t>(rng.below(classes)));
    else
      data.y.push_back(static_cast<float>(rng.normal()));
  }
  return data;
}

struct Case {
  const char* name;
  Likelihood likelihood;
  WeightPrior prior;
  std::size_t outputs, classes;
};

std::vector<Case> cases() {
  const double inf = std::numeric_limits<double>::infinity();
  using L = Likelihood::Kind;
  using F = WeightPrior::Family;
  return {{"gaussian cauchy", {L::gaussian, -inf, inf}, {F::cauchy, 0.4}, 1, 0},
          {"gaussian truncated", {L::gaussian, -0.3, 0.3}, {F::normal, 0.7}, 1, 0},
          {"binary student", {L::binary, -inf, inf}, {F::student, 0.5, 4}, 1, 2},
          {"softmax truncated", {L::softmax, -0.5, 0.5}, {F::cauchy, 0.5}, 3, 3},
          {"softmax", {L::softmax, -inf, inf}, {F::normal, 0.5}, 4, 4}};
}

struct NetworkCase {
  Model model;
  State state;
  Dataset data;
  Batch batch;
  NetworkCase(const Case& c, std::vector<std::size_t> widths, std::size_t rows, Rng& rng) {
    model.architecture = {5, std::vector<std::size_t>(widths.size(), 50), c.outputs};
    model.likelihood = c.likelihood;
    model.weight_prior = c.prior;
    model.width_prior.rows = rows;
    data = random_data(rows, 5, c.classes, rng);
    batch = Batch::all(data);
    for (std::size_t width : widths) {
      auto& layer = state.gates.active.emplace_back(width);
      std::iota(layer.begin(), layer.end(), 0u);
    }
    state.weights.resize(state.shape(model).size());
    for (auto& w : state.weights) w = static_cast<float>(0.5 * rng.normal());
    state.noise_variance = 0.3;
    state.weight_scale = c.prior.scale;
  }
};

// The log posterior of the weights, and of gates between 0 and 1, as the model defines it, in double.
double plain_log_likelihood(const NetworkCase& s, const std::vector<double>& weights,
                            const std::vector<std::vector<double>>& gate) {
  const Shape shape = s.state.shape(s.model);
  const Likelihood& likelihood = s.model.likelihood;
  double sum = 0;
  for (std::size_t i = 0; i < s.data.rows; ++i) {
    std::vector<double> x(s.data.x.begin() + i * 5, s.data.x.begin() + (i + 1) * 5);
    auto f = reference::forward<double>(shape, weights, x, gate);
    for (auto& v : f) v = std::clamp(v, likelihood.lower, likelihood.upper);
    if (likelihood.kind == Likelihood::Kind::gaussian) {
      const double e = s.data.y[i] - f[0];
      sum += -0.5 * std::log(2 * M_PI * s.state.noise_variance) - e * e / (2 * s.state.noise_variance);
    } else if (likelihood.kind == Likelihood::Kind::binary) {
      sum += -std::log1p(std::exp(s.data.labels[i] == 1 ? -f[0] : f[0]));
    } else {
      double total = 0;
      for (double v : f) total += std::exp(v);
      sum += f[s.data.labels[i]] - std::log(total);
    }
  }
  return sum;
}

double plain_log_prior(const NetworkCase& s, const std::vector<double>& weights) {
  const WeightPrior& p = s.model.weight_prior;
  double sum = 0;
  for (double w : weights) {
    const double z = w / s.state.weight_scale, nu = p.degrees;
    if (p.family == WeightPrior::Family::cauchy) sum -= std::log(M_PI * s.state.weight_scale * (1 + z * z));
    if (p.family == WeightPrior::Family::normal)
      sum -= 0.5 * z * z + std::log(s.state.weight_scale * std::sqrt(2 * M_PI));
    if (p.family == WeightPrior::Family::student)
      sum += std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - 0.5 * std::log(nu * M_PI) -
             std::log(s.state.weight_scale) - (nu + 1) / 2 * std::log1p(z * z / nu);
  }
  return sum;
}

std::vector<double> doubles(const std::vector<float>& v) { return {v.begin(), v.end()}; }

// A kink of a ReLU or of the truncation inside the difference interval spoils a difference quotient: the test compares
// two interval lengths and skips the coordinates where they disagree, and demands that nearly all remain.
void expect_matches_differences(const std::function<double(double)>& f, double derivative, double scale, int& used) {
  const double h = 1e-5;
  const double wide = (f(h) - f(-h)) / (2 * h), narrow = (f(h / 8) - f(-h / 8)) / (h / 4);
  if (std::abs(wide - narrow) > 1e-5 * scale) return;
  ++used;
  EXPECT_NEAR(derivative, narrow, 2e-4 * scale);  // float32 sums over a few hundred rows
}

// Caught when broken: the ReLU gate of backward_input left out, the derivative let through the truncation, the factor
// of the Student gradient.
TEST(Network, GradientMatchesFiniteDifferences) {
  Rng rng(11);
  for (const auto& widths : {std::vector<std::size_t>{7}, {6, 13}, {4, 3, 5}, {1, 1}}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(c.name);
      NetworkCase s(c, widths, 150, rng);
      NetworkDensity density(s.model);
      density.bind(s.batch, s.state);
      std::vector<float> gradient(s.state.weights.size());
      const double value = density.log_density_and_gradient(s.state.weights, gradient);
      const auto gate = reference::open_gates<double>(s.state.shape(s.model));
      auto weights = doubles(s.state.weights);
      const double plain = plain_log_likelihood(s, weights, gate) + plain_log_prior(s, weights);
      EXPECT_NEAR(value, plain, 1e-6 * std::abs(plain));
      EXPECT_NEAR(density.log_density(s.state.weights), plain, 1e-6 * std::abs(plain));
      double scale = 1;
      for (float g : gradient) scale = std::max(scale, std::abs(static_cast<double>(g)));
      int used = 0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        expect_matches_differences(
            [&](double h) {
              auto moved = weights;
              moved[i] += h;
              return plain_log_likelihood(s, moved, gate) + plain_log_prior(s, moved);
            },
            gradient[i], scale, used);
      EXPECT_GT(used, 0.9 * static_cast<double>(weights.size()));
    }
  }
}

TEST(Network, GateDerivativesMatchFiniteDifferences) {
  Rng rng(12);
  int used = 0;
  std::size_t checked = 0;
  for (const auto& widths : {std::vector<std::size_t>{7}, {6, 13}, {4, 3, 5}}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(c.name);
      NetworkCase s(c, widths, 150, rng);
      const Shape shape = s.state.shape(s.model);
      FlipDensity flips(s.model);
      flips.bind(s.batch, s.state);
      // Candidates are scored with gate 0: their derivative is that of the grown network as their gate leaves 0.
      const std::vector<std::size_t> counts(widths.size(), 2);
      const auto candidates = flips.draw_candidates(FlipDensity::At::current, counts, rng);
      const auto derivatives = flips.gate_derivatives(FlipDensity::At::current, candidates);
      ASSERT_EQ(derivatives.size(), shape.active_nodes() + candidates.size());
      double scale = 1;
      for (double d : derivatives) scale = std::max(scale, std::abs(d));
      const auto weights = doubles(s.state.weights);
      checked += derivatives.size();
      std::size_t at = 0;
      for (std::size_t l = 1; l <= widths.size(); ++l)
        for (std::size_t j = 0; j < widths[l - 1]; ++j, ++at)
          expect_matches_differences(
              [&](double h) {
                auto gate = reference::open_gates<double>(shape);
                gate[l - 1][j] += h;
                return plain_log_likelihood(s, weights, gate);
              },
              derivatives[at], scale, used);
      for (const Candidate& candidate : candidates) {
        NetworkCase grown = s;
        FlipDensity other(grown.model);
        other.bind(grown.batch, grown.state);
        other.propose_birth({&candidate, 1}, rng);
        other.accept(rng);
        const auto grown_weights = doubles(grown.state.weights);
        expect_matches_differences(
            [&](double h) {
              auto gate = reference::open_gates<double>(grown.state.shape(grown.model));
              gate[candidate.layer - 1].back() = h;
              return plain_log_likelihood(grown, grown_weights, gate);
            },
            derivatives[at++], scale, used);
      }
    }
  }
  EXPECT_GT(used, 0.9 * static_cast<double>(checked));
}

// After any sequence of births and deaths of several nodes in several layers, low-rank updates give what a whole
// forward pass of the plain network gives. Caught when broken: the sign of add_node for deaths,
// derivatives of the proposal with the current weights.
TEST(Network, FlipsMatchTheWholeNetwork) {
  Rng rng(13);
  for (const auto& widths : {std::vector<std::size_t>{6}, {5, 4}, {4, 5, 3}}) {
    NetworkCase s(cases()[3], widths, 300, rng);
    FlipDensity flips(s.model);
    flips.bind(s.batch, s.state);
    for (int move = 0; move < 60; ++move) {
      const Shape shape = s.state.shape(s.model);
      if (rng.coin()) {
        std::vector<std::size_t> counts;
        for (std::size_t l = 0; l < widths.size(); ++l) counts.push_back(rng.below(3));
        if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == 0) counts[0] = 1;
        flips.propose_birth(flips.draw_candidates(FlipDensity::At::current, counts, rng), rng);
      } else {
        std::vector<Node> leaving;
        for (std::size_t l = 1; l <= widths.size(); ++l)
          if (shape.widths[l] > 2 && rng.coin()) {
            leaving.push_back({l, shape.widths[l] - 1});
            leaving.push_back({l, rng.below(shape.widths[l] - 1)});
          }
        if (leaving.empty()) continue;
        flips.propose_death(leaving);
      }
      const double promised = flips.log_likelihood(FlipDensity::At::proposed);
      const auto derivatives = flips.gate_derivatives(FlipDensity::At::proposed);
      if (rng.coin()) continue;  // rejected: nothing may have changed
      flips.accept(rng);
      const Shape after = s.state.shape(s.model);
      ASSERT_EQ(s.state.weights.size(), after.size());
      const double plain = plain_log_likelihood(s, doubles(s.state.weights), reference::open_gates<double>(after));
      EXPECT_NEAR(promised, plain, 1e-4 * std::abs(plain));
      EXPECT_NEAR(flips.log_likelihood(), plain, 1e-4 * std::abs(plain));
      FlipDensity fresh(s.model);
      State copy = s.state;
      fresh.bind(s.batch, copy);
      const auto expected = fresh.gate_derivatives(FlipDensity::At::current);
      ASSERT_EQ(derivatives.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(derivatives[i], expected[i], 1e-3 * (1 + std::abs(expected[i])));
      for (const auto& layer : s.state.gates.active) {
        auto sorted = layer;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
        EXPECT_LT(sorted.back(), 50u);
      }
    }
  }
}

// The kernels of every instruction set agree, for all remainders of panels and rows.
TEST(Network, KernelSetsAgree) {
  Rng rng(14);
  std::vector<std::pair<std::size_t, std::size_t>> shapes;
  for (std::size_t in : {1u, 2u, 3u, 5u, 8u, 13u})
    for (std::size_t out = 1; out <= 14; ++out) shapes.emplace_back(in, out);
  // Wide layers have blocks of their own: with and without remainders in each direction.
  for (std::size_t in : {32u, 37u, 97u, 128u, 300u, 600u})
    for (std::size_t out : {16u, 25u, 36u, 211u}) shapes.emplace_back(in, out);
  for (const auto& [in, out] : shapes)
    for (std::size_t rows : {16u, 48u, 112u, 128u}) {
      auto random = [&](std::size_t n) {
        AlignedFloats v(n);
        for (auto& x : v) x = static_cast<float>(rng.normal());
        return v;
      };
      auto x = random(in * kTileRows), d = random(out * kTileRows), w = random((in + 1) * out);
      // Sums of like size for every width, so that one tolerance serves all.
      const float shrink = 1 / std::sqrt(static_cast<float>(std::max<std::size_t>(13, std::max(in, out))) / 13);
      for (auto& v : w) v *= shrink;
      AlignedFloats panels(w.size()), back(in * out);
      pack_forward(w.data(), in, out, panels.data());
      pack_backward(w.data(), in, out, back.data());
      for (const Kernels* k : {&kernels(), &baseline_kernels()}) {
        AlignedFloats z(out * kTileRows), dx(in * kTileRows), h(x), z_direct(z), z_positive(z);
        for (auto& v : h) v = std::max(v, 0.0f);
        std::vector<float> g(w.size(), 0.0f);
        k->forward(x.data(), in, panels.data(), out, z.data(), rows, false);
        k->backward_input(d.data(), out, back.data(), in, x.data(), dx.data(), rows);
        k->backward_weights(x.data(), in, d.data(), out, g.data(), rows);
        k->forward(h.data(), in, panels.data(), out, z_direct.data(), rows, false);
        k->forward_positive(x.data(), in, panels.data(), out, z_positive.data(), rows);
        double worst = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t j = 0; j < out; ++j) {
            worst = std::max<double>(worst, std::abs(z_direct[j * kTileRows + r] - z_positive[j * kTileRows + r]));
            double sum = w[in * out + j];
            for (std::size_t i = 0; i < in; ++i) sum += x[i * kTileRows + r] * w[i * out + j];
            worst = std::max(worst, std::abs(sum - z[j * kTileRows + r]));
          }
          for (std::size_t i = 0; i < in; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < out; ++j) sum += d[j * kTileRows + r] * w[i * out + j];
            if (!(x[i * kTileRows + r] > 0)) sum = 0;
            worst = std::max(worst, std::abs(sum - dx[i * kTileRows + r]));
          }
        }
        for (std::size_t i = 0; i <= in; ++i)
          for (std::size_t j = 0; j < out; ++j) {
            double sum = 0;
            for (std::size_t r = 0; r < rows; ++r) sum += (i < in ? x[i * kTileRows + r] : 1) * d[j * kTileRows + r];
            worst = std::max(worst, std::abs(sum - g[i * out + j]) / 4);
          }
        EXPECT_LT(worst, 2e-5) << k->name << " " << in << "x" << out << " rows " << rows;
      }
    }
}

// Sums of products in double: as precise as that, and each the same to its bits whatever stands beside it, so that a
// regression of a node on others does not depend on how many there are. Seen to fail with sums in float.
TEST(Network, ProductsAreTheirOwnWhateverTheWidth) {
  Rng rng(15);
  constexpr std::size_t most = 40, rows = 112;
  AlignedFloats a(most * kTileRows), b(most * kTileRows);
  for (auto* values : {&a, &b})
    for (float& v : *values) v = static_cast<float>(rng.cauchy());
  for (const Kernels* k : {&kernels(), &baseline_kernels()}) {
    std::vector<double> alone(most * most, 0.0);
    for (std::size_t i = 0; i < most; ++i)
      for (std::size_t j = 0; j < most; ++j) {
        k->products(&a[i * kTileRows], 1, &b[j * kTileRows], 1, &alone[i * most + j], 1, rows);
        double sum = 0, size = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          const double product = static_cast<double>(a[i * kTileRows + r]) * b[j * kTileRows + r];
          sum += product;
          size += std::abs(product);
        }
        EXPECT_NEAR(alone[i * most + j], sum, 1e-14 * size) << k->name;
      }
    for (std::size_t i : {2u, 3u, 4u, 7u, 31u, 40u})
      for (std::size_t j : {1u, 2u, 3u, 4u, 21u, 32u}) {
        std::vector<double> together(i * most, 0.0);
        k->products(a.data(), i, b.data(), j, together.data(), most, rows);
        for (std::size_t p = 0; p < i; ++p)
          for (std::size_t q = 0; q < most; ++q)
            ASSERT_EQ(together[p * most + q], q < j ? alone[p * most + q] : 0) << k->name << " " << i << "x" << j;
      }
  }
}

}  // namespace
}  // namespace mbnn
