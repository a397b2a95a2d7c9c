// Image fits as they run: what is stored when something goes wrong, and what goes on from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "mbnn/core/error.h"
#include "mbnn/images/batch_process.h"
#include "mbnn/images/channel_chain.h"
#include "mbnn/images/image_problem.h"
#include "mbnn/run/run.h"
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

class SpoiltProblem : public ImageProblem {
 public:
  explicit SpoiltProblem(const ImageConfiguration& c) : ImageProblem(ImageProblem::read(c)) {}
  std::unique_ptr<Process> process(std::size_t, const Resources& resources) const override {
    auto setting = std::make_unique<BatchSetting>();
    setting->configuration = options();
    setting->training = std::make_shared<const ImageSet>(training());
    setting->model = image_model(options(), training());
    setting->scaling = ImageScaling::learn(training());
    setting->threads = resources.threads;
    auto chain = std::make_unique<SpoiltChain>(setting->model, setting->configuration.chain,
                                               static_cast<std::size_t>(batches_per_epoch()), resources.threads);
    return std::make_unique<BatchProcess>(std::move(setting), std::move(chain));
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
  ImageProblem problem = ImageProblem::read(c);
  const FitFile whole = fit(problem, folder.path() + "/whole.mbnn", {.threads = 1});

  FitFile file = create(problem, folder.path() + "/parts.mbnn", false);
  EXPECT_EQ(threads_so_far(file), 0u);
  try {
    run(file, SpoiltProblem(c), {.threads = 1, .checkpoint_seconds = 0});
    FAIL() << "it did not notice";
  } catch (const SamplerError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("not a number at batch 5 of 18"),
                                             testing::HasSubstr("What is stored stays: 4 of 18 batches, 0 draws")));
  }
  EXPECT_EQ(threads_so_far(file), 1u);
  ASSERT_TRUE(run(file, problem, {.threads = 1}));
  EXPECT_EQ(file.draws(0), whole.draws(0));
  EXPECT_EQ(file.draw_count(0), 2);
}

}  // namespace
}  // namespace mbnn
