// The inner loops of a dense layer on one tile of rows, compiled once for each instruction set and chosen at run time.
#pragma once

#include <cstddef>

namespace mbnn {

// A tile holds up to kTileRows rows, one node after another: the values of node k lie at tile[k * kTileRows + row].
// Rows are the vector direction, so no shape of network wastes lanes. A tile's row count is a multiple of kRowBlock.
inline constexpr std::size_t kTileRows = 128;
inline constexpr std::size_t kRowBlock = 16;
inline constexpr std::size_t kMaxPanel = 6;  // outputs computed together: 6 x 2 vectors fill the 16 registers of AVX2

struct Kernels {
  const char* name;

  // out = in * W + b, then the positive part if relu. `packed` comes from pack_forward.
  void (*forward)(const float* in, std::size_t inputs, const float* packed, std::size_t outputs, float* out,
                  std::size_t rows, bool relu);
  // The same without relu, from the positive parts of `in`.
  void (*forward_positive)(const float* in, std::size_t inputs, const float* packed, std::size_t outputs, float* out,
                           std::size_t rows);
  // d_in = (d_out * W^T) where h > 0, else 0. `packed` comes from pack_backward.
  void (*backward_input)(const float* d_out, std::size_t outputs, const float* packed, std::size_t inputs,
                         const float* h, float* d_in, std::size_t rows);
  // gradient[k * outputs + j] += sum over rows of in_k * d_out_j; the row after the last holds the biases.
  void (*backward_weights)(const float* in, std::size_t inputs, const float* d_out, std::size_t outputs,
                           float* gradient, std::size_t rows);
  // sums[k * stride + j] += sum over rows of a_k * b_j, in double. Products of floats are exact there, and the order of
  // a sum does not depend on how many nodes there are: the bits of an entry are its own.
  void (*products)(const float* a, std::size_t a_nodes, const float* b, std::size_t b_nodes, double* sums,
                   std::size_t stride, std::size_t rows);
  // z_j = from_j + sign * relu(node) * w_j for all outputs j: one node joins (sign 1) or leaves (sign -1) the layer
  // below. `from` may be z itself.
  void (*add_node)(const float* node, const float* w, float sign, std::size_t outputs, const float* from, float* z,
                   std::size_t rows);
};

// The fastest set that this processor runs.
const Kernels& kernels();
// The set that every processor of the architecture runs; the tests compare the two.
const Kernels& baseline_kernels();

// Panels of at most kMaxPanel outputs, of nearly equal size, so that no panel is too thin to fill the pipeline.
struct Panels {
  std::size_t count, base, extra;
  explicit Panels(std::size_t outputs)
      : count((outputs + kMaxPanel - 1) / kMaxPanel), base(outputs / count), extra(outputs % count) {}
  std::size_t size(std::size_t panel) const { return base + (panel < extra ? 1 : 0); }
};

// W (with its bias row) into panels of outputs: for each panel its biases, then for each input its weights.
void pack_forward(const float* w, std::size_t inputs, std::size_t outputs, float* packed);
// W without biases into panels of inputs: for each panel and each output the weights from the panel's inputs.
void pack_backward(const float* w, std::size_t inputs, std::size_t outputs, float* packed);

}  // namespace mbnn
