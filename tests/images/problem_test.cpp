// Images as a problem: several chains in one file, further draws, diagnoses without the data set, files of version 0.1.
#include "mbnn/images/image_problem.h"

#include <gtest/gtest.h>

#include "mbnn/core/names.h"
#include "mbnn/run/inspect.h"
#include "mbnn/run/run.h"
#include "tests/support/fit_files.h"
#include "tests/support/images.h"

namespace mbnn {
namespace {

class ImageProblems : public testing::Test {
 protected:
  void SetUp() override { write_stripes(folder_.path() + "/stripes"); }

  ImageConfiguration configuration(ImageMethod method = ImageMethod::mbnn) const {
    ImageConfiguration c;
    c.data = folder_.path() + "/stripes";
    c.base_width = 4;
    c.method = method;
    c.chain.loader.batch = 40;
    c.chain.total_epochs = 8;
    c.chain.draws = 4;
    c.chain.mask_every = 2;
    c.baseline.norm_batches = 3;
    c.baseline.population = c.baseline.candidates = 2;
    c.baseline.tournament = 1;
    c.baseline.tuning_batches = 1;
    return c;
  }
  FitFile made(const ImageConfiguration& c, const std::string& name) const {
    ImageProblem problem = ImageProblem::read(c);
    return fit(problem, folder_.path() + "/" + name, {.threads = 1});
  }

  const ImageFolder folder_;
};

std::vector<std::vector<std::byte>> states(const FitFile& file, int chain) {
  std::vector<std::vector<std::byte>> all;
  for (StoredDraw& draw : file.draws(chain)) all.push_back(std::move(draw.state));
  return all;
}

// So that chains of one file, and files of one chain each from several machines, are the same thing.
TEST_F(ImageProblems, AChainIsTheFitOfASeedOfItsOwn) {
  for (const ImageMethod method : {ImageMethod::mbnn, ImageMethod::ns_ens}) {
    ImageConfiguration c = configuration(method);
    c.chain.draws = 2;
    c.chains = 2;
    const std::string name = name_of(method);
    const FitFile both = made(c, name + "-both");
    c.chains = 1;
    c.chain.loader.seed += 1;
    const FitFile second = made(c, name + "-second");
    ASSERT_EQ(states(both, 1).size(), 2u);
    EXPECT_EQ(states(both, 1), states(second, 0));
    EXPECT_NE(states(both, 0), states(both, 1));
  }
}

// Further draws leave those before as they were, and are as far from each other: twice two are once four.
TEST_F(ImageProblems, FurtherDrawsComeAfterTheOthers) {
  for (const ImageMethod method : {ImageMethod::mbnn, ImageMethod::ensemble, ImageMethod::ns_mc, ImageMethod::ns_vi}) {
    const ImageConfiguration c = configuration(method);
    const std::string name = name_of(method);
    FitFile file = made(c, name), other = made(c, name + "-other");
    const auto before = states(file, 0);
    for (const std::int64_t further : {2, 2}) {
      ImageProblem problem = ImageProblem::open(file);
      add_draws(file, problem, further);
      ASSERT_TRUE(run(file, problem, {.threads = 1}));
    }
    ImageProblem problem = ImageProblem::open(other);
    add_draws(other, problem, 4);
    ASSERT_TRUE(run(other, problem, {.threads = 1}));
    const auto after = states(file, 0);
    ASSERT_EQ(after.size(), 8u) << name;
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << name;
    EXPECT_EQ(after, states(other, 0)) << name;
    const auto draws = file.draws(0);
    EXPECT_EQ(draws[7].iteration - draws[6].iteration, draws[1].iteration - draws[0].iteration) << name;
  }
}

TEST_F(ImageProblems, AreDiagnosedWithoutTheirImages) {
  ImageConfiguration c = configuration();
  c.chains = 2;
  const FitFile file = made(c, "fit");
  std::filesystem::remove_all(folder_.path() + "/stripes");
  const ImageProblem problem = ImageProblem::open(file);
  const Diagnosis d = diagnose(file, problem);
  EXPECT_EQ(d.predictions.size(), 40u);
  EXPECT_EQ(d.chains, 2u);
  EXPECT_EQ(d.draws, 8u);
  EXPECT_TRUE(std::isfinite(d.disagreement));
  for (const NamedConvergence& p : d.predictions) {
    EXPECT_GE(p.value.mean, 0);
    EXPECT_LE(p.value.mean, 1);
  }
  EXPECT_TRUE(summarise(file, problem).finished);
}

// As the first version wrote it: no kind, no names of traces, one number a draw, no sizes, no reference images.
TEST_F(ImageProblems, ReadFilesOfTheFirstVersion) {
  const FitFile now = made(configuration(), "now");
  nlohmann::json configuration = now.configuration(), encoding = now.encoding();
  configuration.erase("traces");
  for (const char* name : {"channels", "height", "width", "classes"}) encoding.erase(name);
  FitFile old = FitFile::create(folder_.path() + "/old", configuration, encoding, false);
  const auto draws = now.draws(0);
  std::vector<StoredDraw> first(draws.begin(), draws.begin() + 2);
  for (StoredDraw& draw : first) draw.scalars.resize(1);
  old.commit(0, draws.back().iteration, first, now.statistics(0)->values, *now.checkpoint(0));

  ImageProblem problem = ImageProblem::open(old);
  const Diagnosis d = diagnose(old, problem);
  EXPECT_TRUE(d.predictions.empty());
  ASSERT_EQ(d.traces.size(), 1u);
  EXPECT_EQ(d.traces[0].name, "loss");
  EXPECT_EQ(summarise(old, problem).draws, 2);
  add_draws(old, problem, 1);
  EXPECT_TRUE(run(old, problem, {.threads = 1}));
  EXPECT_EQ(old.draw_count(0), 3);
}

}  // namespace
}  // namespace mbnn
