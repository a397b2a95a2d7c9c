// Batches of scaled training images in shuffled epochs, cropped and flipped at random, made on a thread of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "mbnn/core/aligned.h"
#include "mbnn/images/image_set.h"
#include "mbnn/images/prefetch.h"

namespace mbnn {

struct LoaderOptions {
  std::size_t batch = 100;
  std::size_t crop_padding = 0;  // black pixels on each side, of which a window of the old size is cut; 4 is usual
  bool flip = false;             // left and right change places in half of the images
  std::uint64_t seed = 1;
};

struct ImageBatch {
  std::uint64_t epoch = 0, position = 0;  // batch `position` of the epoch, both from 0
  AlignedFloats pixels;                   // [image][channel][row][column]
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> images;  // their places in the set
};

// Images first, first + 1, ... as they are, scaled: what evaluation reads.
void gather_images(const ImageSet& images, const ImageScaling& scaling, std::size_t first, std::size_t count,
                   ImageBatch& batch);

// Batch i of a run is a function of the images, the options and i alone: neither the thread's timing nor the batches
// before it matter, so a run that is resumed at batch i gets what it would have got. An epoch has floor(n / batch)
// batches; the images left over differ from epoch to epoch.
class ImageLoader {
 public:
  // The images must outlive the loader. Starts at batch `first` of the run.
  ImageLoader(const ImageSet& images, const ImageScaling& scaling, const LoaderOptions& options,
              std::uint64_t first = 0);

  std::uint64_t batches_per_epoch() const { return maker_.batches_per_epoch(); }
  // Valid until the next call.
  const ImageBatch& next() { return prefetch_.next(); }

 private:
  class Maker {
   public:
    Maker(const ImageSet& images, const ImageScaling& scaling, const LoaderOptions& options);
    std::uint64_t batches_per_epoch() const { return images_->count / options_.batch; }
    void make(std::uint64_t index, ImageBatch& batch);

   private:
    void shuffle(std::uint64_t epoch);
    void place(std::size_t image, std::uint64_t slot, float* to) const;

    const ImageSet* images_;
    std::vector<float> table_;
    LoaderOptions options_;
    std::vector<std::uint32_t> order_;  // of epoch_
    std::uint64_t epoch_ = ~std::uint64_t{0};
    std::uint64_t augmentation_seed_ = 0;
  };
  Maker maker_;
  Prefetch<ImageBatch> prefetch_;  // the last member: its thread uses the others
};

}  // namespace mbnn
