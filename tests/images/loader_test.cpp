// Batches are functions of the seed and their number: whole epochs, uniform crops and flips, the same after a resume.
#include "mbnn/images/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "mbnn/core/error.h"
#include "tests/support/images.h"

namespace mbnn {
namespace {

using testing::HasSubstr;

void expect_same(const ImageBatch& a, const ImageBatch& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.images, b.images);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.pixels, b.pixels);
}

TEST(ImageLoader, AnEpochShowsEveryImageOnceInAnOrderOfItsOwn) {
  const ImageSet set = random_images(60, 1, 3, 4, 10, 1);
  ImageLoader loader(set, ImageScaling::learn(set), {.batch = 12});
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::uint32_t> order;
    for (std::uint64_t position = 0; position < loader.batches_per_epoch(); ++position) {
      const ImageBatch& batch = loader.next();
      EXPECT_EQ(batch.epoch, epoch);
      EXPECT_EQ(batch.position, position);
      for (std::size_t i = 0; i < 12; ++i)
        EXPECT_EQ(batch.labels[i], static_cast<std::int32_t>(set.labels[batch.images[i]]));
      order.insert(order.end(), batch.images.begin(), batch.images.end());
    }
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(order[i], i);
  }
  EXPECT_EQ(orders.size(), 4u);
}

// Caught: a stream that runs on from batch to batch instead of one that is numbered by the image's place.
TEST(ImageLoader, AResumedRunGetsTheSameBatches) {
  const ImageSet set = random_images(50, 3, 8, 6, 10, 2);
  const ImageScaling scaling = ImageScaling::learn(set);
  const LoaderOptions options{.batch = 8, .crop_padding = 2, .flip = true, .seed = 5};
  ImageLoader whole(set, scaling, options);
  std::vector<std::unique_ptr<ImageLoader>> resumed;
  for (std::uint64_t first : {0, 3, 6, 13})
    resumed.push_back(std::make_unique<ImageLoader>(set, scaling, options, first));
  for (std::uint64_t i = 0; i < 20; ++i) {
    const ImageBatch& batch = whole.next();
    for (std::size_t r = 0; const std::uint64_t first : {0, 3, 6, 13}) {
      if (i >= first) expect_same(resumed[r]->next(), batch);
      ++r;
    }
  }
  LoaderOptions other = options;
  other.seed = 6;
  EXPECT_NE(ImageLoader(set, scaling, other).next().images, ImageLoader(set, scaling, options).next().images);
}

TEST(ImageLoader, ScalesWithoutMovingUnlessAsked) {
  const ImageSet set = random_images(10, 2, 5, 3, 10, 3);
  const ImageScaling scaling = ImageScaling::learn(set);
  const std::vector<float> table = scaling.table();
  ImageBatch gathered;
  gather_images(set, scaling, 4, 6, gathered);
  ImageLoader loader(set, scaling, {.batch = 10});
  const ImageBatch& batch = loader.next();
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t p = 0; p < 30; ++p) {
      const std::uint32_t image = batch.images[i];
      EXPECT_EQ(batch.pixels[30 * i + p], table[256 * (p / 15) + set.image(image)[p]]);
      if (image < 4) continue;
      EXPECT_EQ(batch.pixels[30 * i + p], gathered.pixels[30 * (image - 4) + p]);
    }
  EXPECT_THROW(gather_images(set, scaling, 5, 6, gathered), InputError);
}

// Each image must be one of the 50 placements of its source, made here from a padded copy, and each placement must come
// up as often as any other. The sum of squares has 49 degrees of freedom; 94.6 is passed in 1 of 10,000 runs. A batch
// of 20 with no flip or nothing else turns up in 1 of 1,000. Caught: windows that never reach the last row, flips of
// whole batches, padding with the mean.
TEST(ImageLoader, CropsAndFlipsAreUniform) {
  constexpr std::size_t height = 6, width = 5, padding = 2, places = 2 * padding + 1;
  const ImageSet set = random_images(40, 2, height, width, 10, 4);
  const ImageScaling scaling = ImageScaling::learn(set);
  const std::vector<float> table = scaling.table();
  auto placed = [&](std::size_t image, std::size_t top, std::size_t left, bool mirrored) {
    std::vector<float> pixels;
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<std::uint8_t> padded((height + 2 * padding) * (width + 2 * padding), 0);
      for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
          padded[(y + padding) * (width + 2 * padding) + x + padding] = set.image(image)[(c * height + y) * width + x];
      for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
          const std::size_t column = mirrored ? width - 1 - x : x;
          pixels.push_back(table[256 * c + padded[(top + y) * (width + 2 * padding) + left + column]]);
        }
    }
    return pixels;
  };
  std::vector<std::map<std::vector<float>, std::size_t>> place_of(set.count);
  for (std::size_t image = 0; image < set.count; ++image)
    for (std::size_t k = 0; k < 2 * places * places; ++k)
      place_of[image][placed(image, k / 2 / places, k / 2 % places, k % 2)] = k;

  ImageLoader loader(set, scaling, {.batch = 20, .crop_padding = padding, .flip = true});
  std::vector<double> seen(2 * places * places, 0);
  constexpr std::size_t batches = 500;
  for (std::size_t b = 0; b < batches; ++b) {
    const ImageBatch& batch = loader.next();
    std::size_t mirrored = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const auto begin = batch.pixels.begin() + static_cast<std::ptrdiff_t>(i * set.image_size());
      const std::vector<float> pixels(begin, begin + static_cast<std::ptrdiff_t>(set.image_size()));
      const auto found = place_of[batch.images[i]].find(pixels);
      ASSERT_NE(found, place_of[batch.images[i]].end());
      ++seen[found->second];
      mirrored += found->second % 2;
    }
    EXPECT_TRUE(mirrored > 0 && mirrored < 20) << mirrored;
  }
  const double expected = 20.0 * batches / static_cast<double>(seen.size());
  double sum = 0;
  for (double count : seen) sum += (count - expected) * (count - expected) / expected;
  EXPECT_LT(sum, 94.6);
}

TEST(ImageLoader, UnusableOptionsAreRefused) {
  const ImageSet set = random_images(10, 1, 4, 4, 10, 1);
  const ImageScaling scaling = ImageScaling::learn(set);
  try {
    ImageLoader(set, scaling, {.batch = 11});
    FAIL() << "a batch of 11 from 10 images was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("batch = 11: must be at most the number of training images, 10"));
  }
  EXPECT_THROW(ImageLoader(set, scaling, {.batch = 0}), InputError);
  EXPECT_THROW(ImageLoader(set, scaling, {.batch = 2, .crop_padding = 5}), InputError);
  EXPECT_THROW(ImageLoader(set, {{0.f, 0.f}, {1.f, 1.f}}, {.batch = 2}), InputError);
}

// A caller that holds item i must find i + 1 ready; item i + 2 would overwrite what it holds.
TEST(Prefetch, IsOneAheadAndNoMore) {
  std::atomic<int> made = 0;
  Prefetch<int> items([&](std::uint64_t i, int& item) { item = static_cast<int>(i), ++made; }, 7);
  for (int i = 0; i < 5; ++i) {
    const int& item = items.next();
    EXPECT_EQ(item, 7 + i);
    while (made < i + 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(made, i + 2);
    EXPECT_EQ(item, 7 + i);
  }
}

TEST(Prefetch, PassesOnWhatWasThrownWhenItsItemIsDue) {
  Prefetch<int> items(
      [](std::uint64_t i, int& item) {
        if (i == 2) throw Error("no third item");
        item = static_cast<int>(i);
      },
      0);
  EXPECT_EQ(items.next(), 0);
  EXPECT_EQ(items.next(), 1);
  EXPECT_THROW(items.next(), Error);
  EXPECT_THROW(items.next(), Error);
}

// The test ends only if the thread does: unused, used, in the middle of an item, after an error.
TEST(Prefetch, StopsAtAnyMoment) {
  for (int used = 0; used < 4; ++used) {
    Prefetch<int> items(
        [](std::uint64_t i, int& item) {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          if (i == 3) throw Error("no fourth item");
          item = static_cast<int>(i);
        },
        0);
    for (int i = 0; i < used; ++i) items.next();
  }
}

}  // namespace
}  // namespace mbnn
