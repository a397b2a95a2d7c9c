// A compact convolutional network on a batch of images: forward, backward, derivatives by gates. Convolutions run on
// active channels only, and a shortcut is added only where a channel is active on both sides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/core/aligned.h"
#include "mbnn/net/conv/architecture.h"
#include "mbnn/net/conv/convolution.h"
#include "mbnn/net/conv/norm_kernels.h"

namespace mbnn {

// What batch norm knows of each channel that may exist, by slots of the architecture, so that a channel that comes back
// finds what it left. Four numbers a channel: the one thing here whose size follows the caps.
struct NormState {
  std::vector<float> scale, shift;    // learnt; outside the weight prior
  std::vector<float> mean, variance;  // running, for prediction

  NormState() = default;
  explicit NormState(std::size_t slots) : scale(slots, 1), shift(slots, 0), mean(slots, 0), variance(slots, 1) {}
  bool operator==(const NormState&) const = default;
};

inline constexpr double kNormEpsilon = 1e-5;

// What a network is set to; everything must outlive its use.
struct NetworkSetting {
  const Gates* gates = nullptr;
  std::span<const float> weights;  // laid out as ImageShape says
  const NormState* norm = nullptr;
  // What channels (by gate and position) pass on by shortcuts without a projection is multiplied by these; empty: by 1.
  // With weights scaled alike this scales a channel: see ImageFlips.
  std::vector<std::vector<float>> shortcut_scales = {};
};

class ImageNetwork {
 public:
  enum class Norm { batch, running };  // statistics of the batch, or the running ones

  ImageNetwork(const ImageArchitecture& architecture, ConvEngine& engine)
      : architecture_(&architecture), engine_(&engine) {}

  void set(const NetworkSetting& setting);
  // What a forward pass leaves behind: all that backward() needs, or, in about half of the memory, what units give.
  enum class Keep { all, outputs };
  void keep(Keep what);
  const ImageShape& shape() const { return shape_; }

  // pixels: [image][channel][row][column]. Units before `first` are taken from `below`, whose gates and weights must
  // be the same up to there.
  void forward(std::span<const float> pixels, std::size_t images, Norm norm, std::size_t first = 1,
               const ImageNetwork* below = nullptr);
  // The same network on the same images with other gates or weights from unit `first` on; what is before it stays.
  void forward_again(Norm norm, std::size_t first);
  // What units from `first` on read of those before it, copied from a network that has run, so that forward() may be
  // called with this one below. The floats that it takes: kept_size.
  void keep_below(const ImageNetwork& whole, std::size_t first);
  std::size_t kept_size(std::size_t first) const;
  // Unit u alone, on a network below that has run.
  void forward_unit(std::span<const float> pixels, std::size_t images, Norm norm, std::size_t u,
                    const ImageNetwork& below);
  // [image][class]
  std::span<const float> logits() const { return logits_; }

  // Means over images and pixels of the products of unit u's channels with each other and with a constant 1, which
  // comes last: a symmetric matrix, row by row.
  std::vector<double> product_means(std::size_t u) const;
  // The row of one channel in it.
  std::vector<double> product_means(std::size_t u, std::size_t channel) const;
  // What the norm of unit u, or of its projection, multiplies each channel by.
  std::span<const float> gains(std::size_t u, bool projection = false) const {
    const auto& channels = projection ? unit(u).projection : unit(u).main;
    return {channels.scale.data(), shape_.widths[u]};
  }

  // Gradients of whatever has the derivative `d_logits` by the logits. What is not wanted is left empty or null.
  struct Gradients {
    std::span<float> weights;
    std::vector<float>*scale = nullptr, *shift = nullptr;  // by slots; those of inactive channels are 0
    std::vector<double>* gates = nullptr;                  // of active channels, gate after gate
  };
  // After a forward pass with Norm::batch; a network below must still be as it was.
  void backward(std::span<const float> d_logits, const Gradients& gradients);

  // Moves the running statistics of the active channels towards those of the last batch.
  void update_running(NormState& norm, double momentum = 0.1) const;

 private:
  // The norm of one convolution: of a unit, or of its projection.
  struct Channels {
    AlignedFloats z;                        // the convolution's output
    std::vector<float> mean, scale, shift;  // h = scale z + shift; filled up to whole blocks
    std::vector<double> batch_mean, batch_variance;
    std::vector<double> inverse_deviation;
  };
  struct Unit {
    Channels main, projection;
    AlignedFloats h;
    std::vector<std::int32_t> shortcut_of;  // for each position: the shortcut's, or -1
    std::vector<float> shortcut_weight;
    bool aligned = false;  // all channels in the same places
  };
  enum class Part { main, projection };

  ConvShape conv_shape(std::size_t u, Part part) const;
  const FilterBlock& block(std::size_t u, Part part) const {
    return part == Part::main ? shape_.filters[u - 1] : shape_.projections[u - 1];
  }
  std::size_t slot(std::size_t u, Part part) const {
    return part == Part::main ? architecture_->norm_slot(u) : architecture_->projection_slot(u);
  }
  std::size_t blocks(std::size_t tensor) const { return engine_->padded(shape_.widths[tensor]) / engine_->lanes(); }
  std::size_t plane(std::size_t tensor) const { return architecture_->pixels(tensor) * engine_->lanes(); }
  std::size_t tensor_size(std::size_t tensor) const { return images_ * blocks(tensor) * plane(tensor); }
  const Unit& unit(std::size_t u) const { return u < first_ ? below_->unit(u) : units_[u - 1]; }
  const float* output(std::size_t tensor) const { return tensor == 0 ? pixels_ : unit(tensor).h.data(); }
  std::size_t planes(std::size_t tensor) const { return images_ * blocks(tensor); }

  void link_shortcut(std::size_t u);
  bool read_above(std::size_t tensor, std::size_t first) const;
  void run_from(std::size_t first, Norm norm);
  void run_unit(std::size_t u, Norm norm);
  void convolve(std::size_t u, Part part, Norm norm);
  void find_batch_moments(std::size_t u, Channels& channels);
  void activate_unit(std::size_t u);
  void affine_forward();
  void affine_backward(std::span<const float> d_logits, const Gradients& gradients);
  // Sums over images and pixels that a norm's derivative needs, for each channel.
  struct Sums {
    std::vector<double> d, d_z, d_z_2, gate;
  };
  Sums backward_sums(std::size_t u);
  void norm_backward(std::size_t u, Part part, const Sums& sums, const Gradients& gradients, AlignedFloats& d_z);
  void conv_backward(std::size_t u, Part part, const AlignedFloats& d_z, const Gradients& gradients,
                     AlignedFloats* d_x);
  void shortcut_backward(std::size_t u);

  const ImageArchitecture* architecture_;
  ConvEngine* engine_;
  NetworkSetting setting_;
  ImageShape shape_;
  Keep keep_ = Keep::all;
  std::size_t images_ = 0, first_ = 1;
  const float* pixels_ = nullptr;
  const ImageNetwork* below_ = nullptr;
  std::vector<Unit> units_;                     // of unit u at [u - 1]
  AlignedFloats passing_, passing_projection_;  // the z of all units, if only outputs are kept
  std::vector<float> features_, logits_;
  // Derivatives: d_ by the output of the unit at hand, d_z_ by what its norm reads, extra_[u - 1] what a shortcut adds
  // to the one by tensor u (empty: nothing). They change places, so that three or four buffers serve all units.
  AlignedFloats d_, d_z_;
  std::vector<AlignedFloats> extra_, spare_;
};

}  // namespace mbnn
