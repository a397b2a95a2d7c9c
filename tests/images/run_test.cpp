// Image fits as they run: what is stored when something goes wrong, and what goes on from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "mbnn/core/error.h"
#include "mbnn/images/image_fit.h"
#include "tests/support/images.h"

namespace mbnn {
namespace {

// A chain whose fifth batch has a pixel that is not a number.
class SpoiltChain : public ImageChain {
 public:
  using ImageChain::ImageChain;
  void step(const ImageRows& rows) override {
    if (batches_done() != 4) return ImageChain::step(rows);
    std::vector<float> pixels(rows.pixels.begin(), rows.pixels.end());
    pixels[7] = std::numeric_limits<float>::quiet_NaN();
    ImageChain::step({pixels, rows.labels});
  }
};

// Seen to fail with: a checkpoint of the batch that failed, the words of a fit that has stored nothing.
TEST(ImageRun, ALossThatIsNoNumberLeavesTheLastCheckpoint) {
  const ImageFolder folder;
  write_stripes(folder.path() + "/stripes");
  ImageConfiguration c;
  c.data = folder.path() + "/stripes";
  c.base_width = 4;
  c.chain.loader.batch = 40;
  c.chain.total_epochs = 3;
  c.chain.draws = 2;
  const ImageSet training = training_images(c);
  FitFile whole = create_image_fit(folder.path() + "/whole.mbnn", c, training, false);
  ASSERT_TRUE(run_image_fit(whole, training, {}));

  FitFile file = create_image_fit(folder.path() + "/parts.mbnn", c, training, false);
  EXPECT_FALSE(checkpoint_threads(file));
  const ImageTask task = image_task(file, training);
  SpoiltChain chain(task.model, c.chain, training.count / c.chain.loader.batch, 1);
  try {
    ImageRunOptions options;
    options.checkpoint_seconds = 0;
    run_image_process(file, task, training, chain, options);
    FAIL() << "it did not notice";
  } catch (const SamplerError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("not a number at batch 5 of 18"),
                                             testing::HasSubstr("a checkpoint at batch 4, 0 draws")));
  }
  EXPECT_EQ(checkpoint_threads(file), 1u);
  ASSERT_TRUE(run_image_fit(file, training, {}));
  EXPECT_EQ(file.draws(0), whole.draws(0));
  EXPECT_EQ(file.draw_count(0), 2);
}

}  // namespace
}  // namespace mbnn
