#include "mbnn/net/conv/convolution.h"

#include <omp.h>

#include <algorithm>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "mbnn/core/aligned.h"

namespace mbnn {

using dnnl::memory;
using Tag = memory::format_tag;

namespace {

// Every new shape costs a compilation of its kernels. Past this many the cache starts anew.
constexpr std::size_t kMaxShapes = 600;
constexpr std::size_t kImageChannels = 3;

memory::dim dim(std::size_t n) { return static_cast<memory::dim>(n); }

std::size_t channel_lanes() {
  const auto isa = dnnl::get_effective_cpu_isa();
  const bool wide = isa == dnnl::cpu_isa::avx512_core || isa == dnnl::cpu_isa::avx512_core_vnni ||
                    isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
  return wide ? 16 : 8;
}

std::size_t after_stride(std::size_t whole, std::size_t stride) { return (whole - 1) / stride + 1; }

struct Geometry {
  memory::dims strides, before, behind;
  explicit Geometry(const ConvShape& s) : strides{dim(s.stride), dim(s.stride)} {
    const memory::dim pad = dim((s.kernel - 1) / 2);
    const auto rest = [&](std::size_t whole) {
      return dim((after_stride(whole, s.stride) - 1) * s.stride + s.kernel) - dim(whole) - pad;
    };
    before = {pad, pad};
    behind = {rest(s.rows), rest(s.columns)};
  }
};

// Winograd's algorithm takes a quarter of the multiplications, and transforms that pay from about here on: with
// AVX-512, which alone has it, such shapes took half to two thirds of the direct time, those of 16 channels more than
// two thirds. A rule and not the clock decides, so that bits are the same again; nor does the number of images, so that
// an image's outputs depend on its company by rounding alone.
bool worth_winograd(const ConvShape& s) {
  constexpr std::size_t least_channels = 32, least_work = 60'000;
  return s.kernel == 3 && s.stride == 1 && !s.from_image && std::min(s.in, s.out) >= least_channels &&
         s.in * s.out * s.rows * s.columns >= least_work;
}

dnnl::primitive_attr shared_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace

struct ConvEngine::Primitives {
  // A primitive with the layout of filters that it chose, and the reorder between that and the plain one.
  template <class Primitive>
  struct Step {
    Primitive primitive;
    memory::desc filters, scratchpad;
    dnnl::reorder reorder;
  };

  ConvShape shape;           // with the channels filled up
  memory::desc x, z, plain;  // plain: [out][in][row][column]
  dnnl::algorithm algorithm = dnnl::algorithm::convolution_direct;
  std::optional<Step<dnnl::convolution_forward>> forward;
  std::optional<Step<dnnl::convolution_backward_data>> backward_input;
  std::optional<Step<dnnl::convolution_backward_weights>> backward_filters;

  dnnl::convolution_forward::primitive_desc describe_forward(const dnnl::engine& engine) const {
    const Geometry g(shape);
    return {{dnnl::prop_kind::forward_training, algorithm, x, any_filters(), z, g.strides, g.before, g.behind},
            shared_scratchpad(),
            engine};
  }
  template <class Backward>
  typename Backward::primitive_desc describe(const dnnl::engine& engine) const {
    const Geometry g(shape);
    return {{algorithm, x, any_filters(), z, g.strides, g.before, g.behind},
            shared_scratchpad(),
            engine,
            describe_forward(engine)};
  }
  void choose_algorithm(const dnnl::engine& engine) {
    if (!worth_winograd(shape)) return;
    algorithm = dnnl::algorithm::convolution_winograd;
    try {
      describe<dnnl::convolution_backward_data>(engine);
      describe<dnnl::convolution_backward_weights>(engine);
    } catch (const dnnl::error&) {  // this processor has none
      algorithm = dnnl::algorithm::convolution_direct;
    }
  }
  memory::desc any_filters() const { return {plain.dims(), memory::data_type::f32, Tag::any}; }
};

struct ConvEngine::Cache {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::map<ConvShape, Primitives> primitives;
  AlignedFloats plain, packed, scratchpad;

  memory view(const memory::desc& description, const void* data) const {
    return {description, engine, const_cast<void*>(data)};
  }
  memory view(const memory::desc& description, AlignedFloats& buffer) const {
    return view(description, room(buffer, (description.get_size() + sizeof(float) - 1) / sizeof(float)));
  }

  // Filters in the step's layout, with empty channels at the ends.
  template <class Primitive>
  memory pack(const Primitives::Step<Primitive>& step, const Primitives& p, const ConvShape& shape,
              const float* filters) {
    memory source = view(p.plain, filters);
    if (shape.in != p.shape.in || shape.out != p.shape.out) {
      source = view(p.plain, plain);
      const std::size_t taps = shape.kernel * shape.kernel, used = shape.in * taps, row = p.shape.in * taps;
      for (std::size_t o = 0; o < p.shape.out; ++o) {
        float* to = plain.data() + o * row;
        if (o < shape.out) std::copy_n(filters + o * used, used, to);
        std::fill(to + (o < shape.out ? used : 0), to + row, 0.0f);
      }
    }
    memory target = view(step.filters, packed);
    step.reorder.execute(stream, source, target);
    return target;
  }

  template <class Primitive>
  void run(const Primitives::Step<Primitive>& step, std::unordered_map<int, memory> arguments) {
    arguments.emplace(DNNL_ARG_SCRATCHPAD, view(step.scratchpad, scratchpad));
    step.primitive.execute(stream, arguments);
    stream.wait();
  }
};

ConvEngine::ConvEngine(std::size_t threads)
    : threads_(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      lanes_(channel_lanes()),
      cache_(std::make_unique<Cache>()) {}

ConvEngine::~ConvEngine() = default;

void ConvEngine::activate() const { omp_set_num_threads(static_cast<int>(threads_)); }

// Shapes that differ only within the last block of channels share their primitives.
ConvEngine::Primitives& ConvEngine::primitives(const ConvShape& shape) {
  activate();
  ConvShape key = shape;
  key.out = padded(shape.out);
  if (!shape.from_image) key.in = padded(shape.in);
  auto& cached = cache_->primitives;
  if (const auto found = cached.find(key); found != cached.end()) return found->second;
  if (cached.size() >= kMaxShapes) cached.clear();
  Primitives made;
  made.shape = key;
  const auto type = memory::data_type::f32;
  const Tag blocked = lanes_ == 16 ? Tag::nChw16c : Tag::nChw8c;
  made.x = {
      {dim(key.images), dim(key.in), dim(key.rows), dim(key.columns)}, type, key.from_image ? Tag::nchw : blocked};
  made.z = {{dim(key.images), dim(key.out), dim(after_stride(key.rows, key.stride)),
             dim(after_stride(key.columns, key.stride))},
            type,
            blocked};
  made.plain = {{dim(key.out), dim(key.in), dim(key.kernel), dim(key.kernel)}, type, Tag::oihw};
  made.choose_algorithm(cache_->engine);
  return cached.emplace(key, std::move(made)).first->second;
}

void ConvEngine::forward(const ConvShape& shape, const float* x, const float* filters, float* z) {
  Primitives& p = primitives(shape);
  Cache& c = *cache_;
  if (!p.forward) {
    const auto d = p.describe_forward(c.engine);
    p.forward.emplace(
        Primitives::Step<dnnl::convolution_forward>{dnnl::convolution_forward(d), d.weights_desc(), d.scratchpad_desc(),
                                                    dnnl::reorder({c.engine, p.plain, c.engine, d.weights_desc()})});
  }
  const memory packed = c.pack(*p.forward, p, shape, filters);
  c.run(*p.forward, {{DNNL_ARG_SRC, c.view(p.x, x)}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, c.view(p.z, z)}});
}

void ConvEngine::backward_input(const ConvShape& shape, const float* d_z, const float* filters, float* d_x) {
  Primitives& p = primitives(shape);
  Cache& c = *cache_;
  if (!p.backward_input) {
    const auto d = p.describe<dnnl::convolution_backward_data>(c.engine);
    p.backward_input.emplace(Primitives::Step<dnnl::convolution_backward_data>{
        dnnl::convolution_backward_data(d), d.weights_desc(), d.scratchpad_desc(),
        dnnl::reorder({c.engine, p.plain, c.engine, d.weights_desc()})});
  }
  const memory packed = c.pack(*p.backward_input, p, shape, filters);
  c.run(*p.backward_input,
        {{DNNL_ARG_DIFF_DST, c.view(p.z, d_z)}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DIFF_SRC, c.view(p.x, d_x)}});
}

// oneDNN has fast kernels for images of three channels, and for fewer only a plain one, hundreds of times slower.
void ConvEngine::backward_filters_of_image(const ConvShape& shape, const float* x, const float* d_z, float* d_filters) {
  ConvShape wide = shape;
  wide.in = kImageChannels;
  const std::size_t pixels = shape.rows * shape.columns, taps = shape.kernel * shape.kernel;
  AlignedFloats image(shape.images * wide.in * pixels, 0.0f);
  for (std::size_t n = 0; n < shape.images; ++n)
    std::copy_n(x + n * shape.in * pixels, shape.in * pixels, image.data() + n * wide.in * pixels);
  std::vector<float> gradient(shape.out * wide.in * taps);
  backward_filters(wide, image.data(), d_z, gradient.data());
  for (std::size_t o = 0; o < shape.out; ++o)
    std::copy_n(gradient.data() + o * wide.in * taps, shape.in * taps, d_filters + o * shape.in * taps);
}

void ConvEngine::backward_filters(const ConvShape& shape, const float* x, const float* d_z, float* d_filters) {
  if (shape.from_image && shape.in < kImageChannels) return backward_filters_of_image(shape, x, d_z, d_filters);
  Primitives& p = primitives(shape);
  Cache& c = *cache_;
  if (!p.backward_filters) {
    const auto d = p.describe<dnnl::convolution_backward_weights>(c.engine);
    p.backward_filters.emplace(Primitives::Step<dnnl::convolution_backward_weights>{
        dnnl::convolution_backward_weights(d), d.diff_weights_desc(), d.scratchpad_desc(),
        dnnl::reorder({c.engine, d.diff_weights_desc(), c.engine, p.plain})});
  }
  auto& step = *p.backward_filters;
  memory packed = c.view(step.filters, c.packed);
  c.run(step, {{DNNL_ARG_SRC, c.view(p.x, x)}, {DNNL_ARG_DIFF_DST, c.view(p.z, d_z)}, {DNNL_ARG_DIFF_WEIGHTS, packed}});
  const bool exact = shape.in == p.shape.in && shape.out == p.shape.out;
  memory plain = exact ? c.view(p.plain, d_filters) : c.view(p.plain, c.plain);
  step.reorder.execute(c.stream, packed, plain);
  c.stream.wait();
  if (exact) return;
  const std::size_t taps = shape.kernel * shape.kernel, used = shape.in * taps, row = p.shape.in * taps;
  for (std::size_t o = 0; o < shape.out; ++o) std::copy_n(c.plain.data() + o * row, used, d_filters + o * used);
}

}  // namespace mbnn
