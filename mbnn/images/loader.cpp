#include "mbnn/images/loader.h"

#include <algorithm>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

// Keeps the loader's streams apart from those of the chains, which use the same seed.
constexpr std::uint64_t loader_salt = 0x696d616765730a01ull;

// How an image is moved: the window's corner in the padded image, and whether it is mirrored.
struct Placement {
  std::ptrdiff_t down = 0, right = 0;
  bool mirrored = false;
};

// One channel: pixels outside the image are black, as if it had been padded before it was scaled.
void place_plane(const std::uint8_t* from, std::size_t height, std::size_t width, const Placement& placement,
                 const float* table, float* to) {
  const auto rows = static_cast<std::ptrdiff_t>(height), columns = static_cast<std::ptrdiff_t>(width);
  // Columns [begin, end) of the window lie inside the image.
  const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-placement.right, 0, columns);
  const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(columns - placement.right, begin, columns);
  for (std::ptrdiff_t r = 0; r < rows; ++r, to += columns) {
    const std::ptrdiff_t source_row = r + placement.down;
    if (source_row < 0 || source_row >= rows) {
      std::fill_n(to, columns, table[0]);
      continue;
    }
    const std::uint8_t* source = from + source_row * columns;
    std::fill(to, to + begin, table[0]);
    for (std::ptrdiff_t c = begin; c < end; ++c) to[c] = table[source[c + placement.right]];
    std::fill(to + end, to + columns, table[0]);
    if (placement.mirrored) std::reverse(to, to + columns);
  }
}

void place_image(const ImageSet& images, std::size_t image, const Placement& placement, const std::vector<float>& table,
                 float* to) {
  const std::size_t plane = images.height * images.width;
  for (std::size_t c = 0; c < images.channels; ++c)
    place_plane(images.image(image).data() + c * plane, images.height, images.width, placement, table.data() + 256 * c,
                to + c * plane);
}

void resize(ImageBatch& batch, std::size_t count, std::size_t image_size) {
  batch.pixels.resize(count * image_size);
  batch.labels.resize(count);
  batch.images.resize(count);
}

}  // namespace

void gather_images(const ImageSet& images, const ImageScaling& scaling, std::size_t first, std::size_t count,
                   ImageBatch& batch) {
  require(scaling.mean.size() == images.channels, "channels of the scaling", scaling.mean.size(),
          "must be as many as the images have");
  require(first <= images.count && count <= images.count - first, "last image", first + count,
          "must be at most the number of images");
  const std::vector<float> table = scaling.table();
  resize(batch, count, images.image_size());
  for (std::size_t i = 0; i < count; ++i) {
    place_image(images, first + i, {}, table, batch.pixels.data() + i * images.image_size());
    batch.labels[i] = images.labels.empty() ? 0 : images.labels[first + i];
    batch.images[i] = static_cast<std::uint32_t>(first + i);
  }
}

ImageLoader::Maker::Maker(const ImageSet& images, const ImageScaling& scaling, const LoaderOptions& options)
    : images_(&images), table_(scaling.table()), options_(options), order_(images.count) {
  require(scaling.mean.size() == images.channels, "channels of the scaling", scaling.mean.size(),
          "must be as many as the images have");
  require(options.batch >= 1, "batch", options.batch, "must be at least 1");
  require(options.batch <= images.count, "batch", options.batch,
          fmt::format("must be at most the number of training images, {}", images.count));
  require(options.crop_padding <= std::max(images.height, images.width), "crop_padding", options.crop_padding,
          "must be at most the side of an image");
}

void ImageLoader::Maker::shuffle(std::uint64_t epoch) {
  Rng rng(options_.seed ^ loader_salt, epoch);
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  augmentation_seed_ = rng.bits();
  epoch_ = epoch;
}

// The randomness of an image is a stream of its own, numbered by its place in the epoch.
void ImageLoader::Maker::place(std::size_t image, std::uint64_t slot, float* to) const {
  Placement placement;
  Rng rng(augmentation_seed_, slot);
  if (options_.crop_padding > 0) {
    const auto padding = static_cast<std::ptrdiff_t>(options_.crop_padding);
    placement.down = static_cast<std::ptrdiff_t>(rng.below(2 * options_.crop_padding + 1)) - padding;
    placement.right = static_cast<std::ptrdiff_t>(rng.below(2 * options_.crop_padding + 1)) - padding;
  }
  placement.mirrored = options_.flip && rng.coin();
  place_image(*images_, image, placement, table_, to);
}

void ImageLoader::Maker::make(std::uint64_t index, ImageBatch& batch) {
  batch.epoch = index / batches_per_epoch();
  batch.position = index % batches_per_epoch();
  if (batch.epoch != epoch_) shuffle(batch.epoch);
  resize(batch, options_.batch, images_->image_size());
  for (std::size_t i = 0; i < options_.batch; ++i) {
    const std::uint64_t slot = batch.position * options_.batch + i;
    const std::uint32_t image = order_[slot];
    place(image, slot, batch.pixels.data() + i * images_->image_size());
    batch.labels[i] = images_->labels[image];
    batch.images[i] = image;
  }
}

ImageLoader::ImageLoader(const ImageSet& images, const ImageScaling& scaling, const LoaderOptions& options,
                         std::uint64_t first)
    : maker_(images, scaling, options),
      prefetch_([this](std::uint64_t index, ImageBatch& batch) { maker_.make(index, batch); }, first) {}

}  // namespace mbnn
