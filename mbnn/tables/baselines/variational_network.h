// The group normal-Jeffreys posterior of Louizos, Ullrich and Welling (2017): a normal scale for every input of every
// layer, normal weights given the scale, and the variational lower bound with its gradient on a batch.
#pragma once

#include <span>
#include <vector>

#include "mbnn/core/aligned.h"
#include "mbnn/core/rng.h"
#include "mbnn/core/special.h"
#include "mbnn/net/dense/batch.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// Where the parameters of q lie in their one block. Of affine map l: means and log variances of the weights, each in
// the layout of Shape with the biases as the last row; then mean and log variance of the scale of each input. At the
// very end, for regression, mean and log variance of q(log noise variance).
class VariationalLayout {
 public:
  VariationalLayout(Shape shape, bool has_noise);
  const Shape& shape() const { return shape_; }
  std::size_t weight_mean(std::size_t l) const { return first_[l]; }
  std::size_t weight_log_variance(std::size_t l) const { return first_[l] + shape_.affine_size(l); }
  std::size_t scale_mean(std::size_t l) const { return first_[l] + 2 * shape_.affine_size(l); }
  std::size_t scale_log_variance(std::size_t l) const { return scale_mean(l) + shape_.widths[l]; }
  std::size_t noise() const { return first_.back(); }
  std::size_t size() const { return first_.back() + (has_noise_ ? 2 : 0); }

 private:
  Shape shape_;
  bool has_noise_;
  std::vector<std::size_t> first_;
};

// The standard normals that one evaluation of the bound uses: for each affine map, row and input one for the scale, and
// for each row and output one for the pre-activation (local reparametrisation).
struct VariationalNoise {
  std::vector<Tiles> scale, activation;  // by affine map
  void draw(const Shape& shape, std::size_t rows, Rng& rng);
};

// With z = scale, h = input:  mean_j = sum_k h_k z_k mu_kj + b_j,  var_j = sum_k (h_k z_k)^2 s2_kj + sb2_j, and the
// pre-activation is mean_j + sqrt(var_j) e_j.
class VariationalNetwork {
 public:
  explicit VariationalNetwork(const Model& model);
  const VariationalLayout& layout() const { return layout_; }

  // Random means, small variances; `target_variance` is where the noise of a regression starts.
  std::vector<float> initial(std::size_t rows, double target_variance, Rng& rng) const;

  struct Bound {
    double elbo = 0;       // of all rows, estimated on the batch
    double statistic = 0;  // of the batch (Likelihood)
  };
  // The lower bound and its gradient; `rows` is the number of training rows, of which the batch is a sample.
  Bound gradient(std::span<const float> parameters, const Batch& batch, const VariationalNoise& noise, std::size_t rows,
                 std::span<float> gradient);

  // log of variance over squared mean for each hidden node's scale, by hidden layer; and for the inputs.
  std::vector<std::vector<double>> log_dropout_rates(std::span<const float> parameters) const;

  // One draw of scales, weights and noise for the kept inputs and nodes. Weights of an input that is not kept are 0.
  State draw(std::span<const float> parameters, const std::vector<std::vector<std::uint32_t>>& kept, Rng& rng) const;

 private:
  double add_divergence(std::span<const float> parameters, std::span<float> gradient) const;
  double add_noise(std::span<const float> parameters, double statistic, double scale, double batch_rows,
                   std::span<float> gradient) const;
  void pack(std::span<const float> parameters);
  const float* forward(const float* x, const VariationalNoise& noise, std::size_t tile, std::size_t rows);
  void backward(const float* x, const VariationalNoise& noise, std::size_t tile, std::size_t rows,
                std::span<float> gradient);

  // What a tile leaves behind on its way up through one affine map.
  struct Map {
    AlignedFloats variances;                                                         // of weights and biases
    AlignedFloats mean_forward, variance_forward, mean_backward, variance_backward;  // packed for the kernels
    AlignedFloats scaled, squared, output, sd;  // h z, (h z)^2, the activation, sqrt(var)
    std::vector<float> scale_mean, scale_sd;
  };

  const Model* model_;
  VariationalLayout layout_;
  std::vector<Map> maps_;
  AlignedFloats ones_, d_output_, d_variance_, d_mean_input_, d_square_input_;
};

}  // namespace mbnn
