// Convolutions by oneDNN on blocks of channels: primitives cached by shape, one scratch for all of them.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>

namespace mbnn {

// Tensors are [image][channel block][pixel][lane]: `lanes` channels lie together, and the last block is filled up with
// channels that are zero everywhere. The image alone is [image][channel][pixel].
struct ConvShape {
  std::size_t images = 0;
  std::size_t in = 0, out = 0;        // channels, without the filling
  std::size_t rows = 0, columns = 0;  // of the input
  std::size_t kernel = 3, stride = 1;
  bool from_image = false;
  auto operator<=>(const ConvShape&) const = default;
};

// One object a network that runs at a time; not for two threads at once. Its threads are OpenMP's, as oneDNN's are.
class ConvEngine {
 public:
  // 0 threads: as many as there are cores.
  explicit ConvEngine(std::size_t threads = 0);
  ~ConvEngine();
  ConvEngine(const ConvEngine&) = delete;
  ConvEngine& operator=(const ConvEngine&) = delete;

  std::size_t threads() const { return threads_; }
  std::size_t lanes() const { return lanes_; }
  std::size_t padded(std::size_t channels) const { return (channels + lanes_ - 1) / lanes_ * lanes_; }
  // Makes the calling thread use this engine's number of threads.
  void activate() const;

  // Filters and their gradient are [out][in][row][column] without filling.
  void forward(const ConvShape& shape, const float* x, const float* filters, float* z);
  void backward_input(const ConvShape& shape, const float* d_z, const float* filters, float* d_x);
  void backward_filters(const ConvShape& shape, const float* x, const float* d_z, float* d_filters);

 private:
  struct Primitives;
  struct Cache;
  Primitives& primitives(const ConvShape& shape);
  void backward_filters_of_image(const ConvShape& shape, const float* x, const float* d_z, float* d_filters);

  std::size_t threads_, lanes_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace mbnn
