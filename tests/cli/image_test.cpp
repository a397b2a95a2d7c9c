// mbnn image from the command line: fit, stop and resume, scores, predictions, exports, refusals.
#include <sys/resource.h>

#include <fstream>

#include "tests/support/images.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

class ImageCommands : public CommandLine {
 protected:
  void write_images(const std::string& name, std::uint64_t seed = 1) const { write_stripes(path(name), seed); }
  static std::string fit(const std::string& more, int draws = 3, int base_width = 4) {
    return fmt::format(
        "image fit --data stripes --base-width {} --batch 20 --burn-in 3 --draws {} --thin 2 --mask-every 4 "
        "--step-size 0.3 --threads 1 -q {}",
        base_width, draws, more);
  }
  // Sends the signal to the fit once it has stored a state, and fails unless that cut it short.
  Ended cut_short(const std::string& line, const std::string& file, int signal) const {
    std::filesystem::remove(path(file));
    Running fit(directory(), words(line + " --out " + file + " --checkpoint-seconds 0"));
    std::filesystem::file_time_type created{};
    const auto stored = [&] {  // told by its time: who opens the file waits for a fit that writes all the while
      std::error_code none;
      const auto time = std::filesystem::last_write_time(path(file), none);
      if (none) return false;
      if (created == std::filesystem::file_time_type{}) created = time;
      return time != created;
    };
    for (int i = 0; i < 40000 && !stored(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fit.send(signal);
    const Ended ended = fit.wait();
    EXPECT_TRUE(ended.signal == signal || ended.code == 1) << "it ended before the signal came";
    return ended;
  }
};

TEST_F(ImageCommands, FitEvaluatePredictAndExport) {
  write_images("stripes");
  run_well(fit("--out s.mbnn"));
  const Ended scored = run("image evaluate s.mbnn --data stripes --json --threads 1 --latency-images 10");
  ASSERT_EQ(scored.code, 0) << scored.err;
  const auto json = nlohmann::json::parse(scored.out);
  EXPECT_EQ(json.at("draws"), 3);
  EXPECT_EQ(json.at("images"), 90);
  EXPECT_GT(json.at("accuracy").get<double>(), 0.8);  // chance is 1/3, with a standard error of 0.05
  EXPECT_GT(json.at("flops_percent").get<double>(), 0);
  EXPECT_GT(json.at("latency_seconds").get<double>(), 0);

  run_well("image predict s.mbnn --data stripes --out p.csv -q");
  run_well("image export s.mbnn --out all.net -q");
  run_well("image predict all.net --data stripes --out q.csv -q");
  EXPECT_EQ(read("p.csv"), read("q.csv"));
  const auto rows = csv_numbers(read("p.csv"));
  ASSERT_EQ(rows.size(), 90u);
  const ImageSet test = stripes(90, 2);
  double right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 11u);  // IDX has ten classes
    EXPECT_NEAR(std::accumulate(rows[i].begin() + 1, rows[i].end(), 0.0), 1, 1e-4);
    right += rows[i][0] == test.labels[i];
  }
  EXPECT_NEAR(right / 90, json.at("accuracy").get<double>(), 1e-9);
  // Images that nobody has labelled.
  std::filesystem::create_directory(path("new"));
  std::filesystem::copy(path("stripes/t10k-images-idx3-ubyte"), path("new/t10k-images-idx3-ubyte"));
  run_well("image predict s.mbnn --data new --out n.csv -q");
  EXPECT_EQ(read("n.csv"), read("p.csv"));
  expect_refused("image evaluate s.mbnn --data new", {"t10k-labels-idx1-ubyte: is missing"});
  for (const auto* few : {"--images 20", "--limit 20"}) {  // limit is the name of earlier versions
    run_well(fmt::format("image predict s.mbnn --data stripes -o n.csv -q {}", few));
    EXPECT_EQ(lines(read("n.csv")).size(), 21u);
    EXPECT_TRUE(read("p.csv").starts_with(read("n.csv")));
  }
  expect_refused("image predict s.mbnn --data stripes --images 0", {"--images = 0: must be at least 1"});
  expect_refused("predict s.mbnn stripes --parts", {"--parts: s.mbnn is a fit of images; this is for tables"});
  expect_refused("image export s.mbnn --draw 4 --out x.net", {"--draw = 4: there are 3 draws"});
  run_well("image export s.mbnn --draw 2 --out one.net -q");
  EXPECT_LT(read("one.net").size(), read("all.net").size());
  EXPECT_TRUE(run("image export s.mbnn --out -").out == read("all.net"));
  expect_refused("image export s.mbnn --out s.mbnn", {"s.mbnn", "is not overwritten"});
}

// The mean over the networks of both files, as by hand; wrong would be a mean over files, or the first file alone.
TEST_F(ImageCommands, SeveralFitsPredictTogether) {
  write_images("stripes");
  run_well(fit("--seed 1 --out a.mbnn"));
  run_well(fit("--seed 2 --out b.mbnn", 2));
  run_well("image export b.mbnn --out b.net -q");
  const auto probabilities = [&](const std::string& files) {
    run_well("image predict " + files + " --data stripes --out p.csv -q");
    return csv_numbers(read("p.csv"));
  };
  const auto a = probabilities("a.mbnn"), b = probabilities("b.mbnn"), both = probabilities("a.mbnn b.net");
  ASSERT_EQ(both.size(), 90u);
  double apart = 0;
  for (std::size_t i = 0; i < both.size(); ++i)
    for (std::size_t k = 1; k < both[i].size(); ++k) {
      EXPECT_NEAR(both[i][k], (3 * a[i][k] + 2 * b[i][k]) / 5, 2e-6);  // six digits are written
      apart = std::max(apart, std::abs(a[i][k] - b[i][k]));
    }
  EXPECT_GT(apart, 1e-3);  // or the test sees nothing

  const Ended scored = run("image evaluate a.mbnn b.mbnn --data stripes --json --threads 1 --latency-images 10");
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ(nlohmann::json::parse(scored.out).at("draws"), 5);
  run_well("image export a.mbnn b.mbnn --draw 2 --out two.net -q");
  EXPECT_EQ(read("two.net"),
            run("image export a.mbnn --draw 2 --out -").out + run("image export b.mbnn --draw 2 --out -").out);

  expect_refused("image export a.mbnn b.mbnn --draw 3 --out x.net", {"--draw = 3: there are 2 draws in b.mbnn"});
  expect_refused("image predict a.mbnn ./a.mbnn --data stripes", {"./a.mbnn is named twice"});
  run_well(fit("--out wide.mbnn", 3, 5));
  expect_refused("image predict a.mbnn wide.mbnn --data stripes", {"a.mbnn and wide.mbnn differ in their network"});
}

TEST_F(ImageCommands, StoppedAndResumedHasTheSameBits) {
  write_images("stripes");
  for (const std::string sampler : {"sgld", "sghmc"}) {
    run_well(fit("--sampler " + sampler + " --out whole.mbnn --force"));
    EXPECT_THAT(cut_short(fit("--sampler " + sampler), "parts.mbnn", SIGTERM).err, HasSubstr("mbnn resume parts.mbnn"));
    run_well("image resume parts.mbnn --threads 1 -q");
    EXPECT_TRUE(same_draws(stored_draws(path("whole.mbnn")), stored_draws(path("parts.mbnn"))));
    EXPECT_EQ(stored_draws(path("whole.mbnn")).size(), 3u);
  }
}

// As the advice of an interrupted fit says it, whatever the number of threads was. Seen to fail with as many threads as
// the machine has.
TEST_F(ImageCommands, ResumesWithTheThreadsThatItBeganWith) {
  write_images("stripes");
  for (const std::string threads : {"1", "2"}) {
    std::string line = fit("");
    line.replace(line.find("--threads 1"), 11, "--threads " + threads);
    run_well(line + "--force --out whole.mbnn");
    cut_short(line, "parts.mbnn", SIGTERM);
    run_well("image resume parts.mbnn -q");
    EXPECT_TRUE(same_draws(stored_draws(path("whole.mbnn")), stored_draws(path("parts.mbnn")))) << threads;
  }
  cut_short(fit(""), "parts.mbnn", SIGTERM);
  EXPECT_THAT(run("image resume parts.mbnn --threads 2").err, HasSubstr("ran with --threads 1"));
}

TEST_F(ImageCommands, KilledFitIsResumedToTheSameBits) {
  write_images("stripes");
  run_well(fit("--out whole.mbnn"));
  cut_short(fit(""), "parts.mbnn", SIGKILL);
  run_well("image resume parts.mbnn --threads 1 -q");
  EXPECT_TRUE(same_draws(stored_draws(path("whole.mbnn")), stored_draws(path("parts.mbnn"))));
}

// One program: the verbs of tables take fits of images.
TEST_F(ImageCommands, AreTheVerbsOfEverythingElse) {
  write_images("stripes");
  run_well(fit("--out s.mbnn --chains 2", 5));
  const Ended diagnosed = run("diagnose s.mbnn");
  EXPECT_THAT(diagnosed.out,
              AllOf(HasSubstr("predictions (worst of 40)"), HasSubstr("channels"), HasSubstr("verdict")));
  const auto json = nlohmann::json::parse(run("summary s.mbnn --json").out);
  EXPECT_EQ(json.at("draws"), 10);
  EXPECT_EQ(json.at("chains"), 2);
  EXPECT_EQ(json.at("configuration").at("kind"), "image");
  EXPECT_GT(json.at("capacity_percent").get<double>(), 0);

  run_well("predict s.mbnn stripes --out p.csv -q");
  run_well("image predict s.mbnn --data stripes --out q.csv -q");
  EXPECT_EQ(read("p.csv"), read("q.csv"));
  EXPECT_THAT(run("evaluate s.mbnn stripes").out, HasSubstr("accuracy"));

  run_well("resume s.mbnn --draws 2 -q");
  EXPECT_THAT(run("summary s.mbnn").out, AllOf(HasSubstr("draws    14"), HasSubstr("7 draws")));
  expect_refused("resume s.mbnn --draws 0", {"--draws"});
}

TEST_F(ImageCommands, RefusesWhatCannotBe) {
  write_images("stripes");
  expect_refused("image fit --data nowhere --out a.mbnn", {"nowhere"});
  expect_refused("image fit --data stripes --batch 500 --out a.mbnn", {"--batch = 500", "240 training images"});
  expect_refused("image fit --data stripes --images 9999 --out a.mbnn", {"--images = 9999", "240"});
  expect_refused("image fit --data stripes --base-width 0 --headroom 0.5 --out a.mbnn", {"--headroom = 0.5"});
  expect_refused("image fit --data stripes --base-width 5000 --out a.mbnn", {"--base-width = 5000", "4096"});
  expect_refused("image fit --data stripes --network resnet18 --base-width 128 --method ns-vi --out a.mbnn",
                 {"--base-width = 128", "checkpoints of up to 1.25 GB"});
  expect_refused("image fit --data stripes --burn-in 0 --out a.mbnn", {"--warmup = 0", "at least 1"});
  expect_refused("image fit --data stripes --base-width -3 --out a.mbnn", {"--base-width = -3: must not be negative"});
  expect_refused("image fit --data stripes --mask-moves 0 --refit-moves 0 --out a.mbnn",
                 {"no mask would ever move", "masks off"});
  expect_refused("image fit --data stripes --network lenet --out a.mbnn", {"--network", "resnet18"});
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv --target y --out r.mbnn -q"));
  expect_refused("image evaluate r.mbnn --data stripes", {"r.mbnn", "not of images"});
  expect_refused("resume r.mbnn --data stripes", {"--data", "r.mbnn holds its training rows"});
  run_well("image fit --data stripes --base-width 2 --draws 1 --epochs 1 --out s.mbnn --threads 1 -q");
  expect_refused("image fit --data stripes --out s.mbnn", {"s.mbnn", "exists"});
  expect_refused("predict s.mbnn r.csv --out p.csv", {"r.csv: is no directory"});
  expect_refused("series forecast s.mbnn r.csv", {"set of images", "not of a series"});
  expect_refused("image export s.mbnn --draw 2 --out n.net", {"--draw = 2"});
}

// Found before the fit that is to be replaced is touched.
TEST_F(ImageCommands, RefusesNumbersThatCannotBe) {
  write_images("stripes");
  write("s.mbnn", "an old fit");
  const std::string fit = "image fit --data stripes --out s.mbnn --force --threads 1 ";
  for (const std::string wrong : {"--max-flips 11", "--lambda nan", "--lambda -0.05", "--weight-prior cauchy:0",
                                  "--step-size inf", "--temperature nan", "--draws 9000000000000000000", "--thin 0"})
    expect_refused(fit + wrong, {wrong.substr(0, wrong.find(' ')) + " = "});
  expect_refused(fit + "--friction 0.3", {"--friction: of use only with sampler sghmc"});
  expect_refused(fit + "--masks off --mask-every 3", {"--mask-every: of use only with masks on"});
  expect_refused(fit + "--mask-test plain --mask-pool 3", {"--mask-pool: of use only with mask-test sequential"});
  expect_refused(fit + "--mask-test tuna", {"--mask-test = tuna", "a bound", "sequential"});
}

TEST_F(ImageCommands, ResumesWithTheImagesThatItBeganWith) {
  write_images("stripes");
  write_images("others", 7);
  cut_short(fit(""), "s.mbnn", SIGTERM);
  expect_refused("image resume s.mbnn --data others -q", {"s.mbnn", "other training images"});
  // The same pixels with the labels of others. Caught: only means and deviations of the pixels compared.
  std::filesystem::copy(path("stripes"), path("relabelled"));
  const std::string labels = path("relabelled/train-labels-idx1-ubyte");
  ASSERT_TRUE(std::filesystem::exists(labels));
  std::fstream file(labels, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(8);
  const char first = static_cast<char>(file.get());
  file.seekp(8);
  file.put(first == 0 ? 1 : 0);
  file.close();
  expect_refused("image resume s.mbnn --data relabelled -q", {"s.mbnn", "other training images"});
  std::filesystem::rename(path("stripes"), path("moved"));
  run_well("image resume s.mbnn --data moved --threads 1 -q");
}

// A disk that is full when a draw is due: earlier draws stay, and the fit goes on to the same bits.
TEST_F(ImageCommands, AFitThatOutgrowsTheDiskKeepsWhatItHas) {
  write_images("stripes");
  run_well(fit("--out whole.mbnn"));
  const auto whole = stored_draws(path("whole.mbnn"));
  const rlimit most{std::filesystem::file_size(path("whole.mbnn")) * 3 / 4, RLIM_INFINITY};
  const Ended ended = run(fit("--out s.mbnn"), [&] { setrlimit(RLIMIT_FSIZE, &most); });
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("writing failed"), HasSubstr("mbnn resume s.mbnn")));
  const auto part = stored_draws(path("s.mbnn"));
  EXPECT_GE(part.size(), 1u);
  EXPECT_LT(part.size(), whole.size());
  run_well("image resume s.mbnn --threads 1 -q");
  EXPECT_TRUE(same_draws(stored_draws(path("s.mbnn")), whole));
}

// Caught: weights that one step made infinite, stored as a draw before a loss could tell.
TEST_F(ImageCommands, NeverStoresANetworkWithoutNumbers) {
  write_images("stripes");
  const Ended ended =
      run("image fit --data stripes --images 20 --batch 20 --epochs 1 --draws 1 --no-masks --step-size 1e38 "
          "--threads 1 -q --out s.mbnn");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("left all bounds"), HasSubstr("smaller step size")));
  expect_refused("image evaluate s.mbnn --data stripes", {"s.mbnn"});
}

// A loss that is not a number ends the run with advice, and says what there is to go back to.
TEST_F(ImageCommands, StepsThatAreTooLongSaySo) {
  write_images("stripes");
  const Ended ended =
      run("image fit --data stripes --base-width 2 --step-size 1e30 --no-masks --out s.mbnn --threads 1 -q");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("not a number"), HasSubstr("smaller step size"), HasSubstr("Nothing was stored yet")));
}

// The methods of comparison: the same file, the same verbs, and kills that leave no trace.
TEST_F(ImageCommands, OtherMethodsServeEveryVerb) {
  write_images("stripes");
  for (const std::string method : {"ensemble", "ns-ens", "ns-mc", "ns-vi"}) {
    std::string options = " --data stripes --base-width 4 --batch 20 --draws 3 --epochs 6 --learning-rate 0.01";
    options += " --threads 1 -q --method " + method;
    if (method == "ns-ens")
      options += " --search-population 3 --search-tournament 2 --search-candidates 4 --search-batches 3";
    if (method == "ns-mc" || method == "ns-vi") options += " --norm-batches 5";
    run_well("image fit --out whole.mbnn --force" + options);
    const Ended scored = run("image evaluate whole.mbnn --data stripes --json --threads 1 --latency-images 10");
    ASSERT_EQ(scored.code, 0) << scored.err;
    const auto json = nlohmann::json::parse(scored.out);
    EXPECT_EQ(json.at("draws"), 3);
    EXPECT_GT(json.at("accuracy").get<double>(), 0.6) << method;  // chance is 1/3, with a standard error of 0.05
    const double flops = json.at("flops_percent").get<double>();
    EXPECT_TRUE(method != "ensemble" || std::abs(flops - 100) < 1e-9) << flops;
    EXPECT_TRUE(method != "ns-ens" || flops <= 25) << flops;
    EXPECT_TRUE(method != "ns-mc" || flops < 90) << flops;
    run_well("image export whole.mbnn --out all.net -q");
    run_well("image predict all.net --data stripes --out p.csv -q");
    EXPECT_EQ(csv_numbers(read("p.csv")).size(), 90u);

    cut_short("image fit" + options, "parts.mbnn", SIGKILL);
    run_well("image resume parts.mbnn --threads 1 -q");
    EXPECT_TRUE(same_draws(stored_draws(path("whole.mbnn")), stored_draws(path("parts.mbnn")))) << method;
  }
}

TEST_F(ImageCommands, OptionsOfAnotherMethodAreRefused) {
  write_images("stripes");
  const std::string fit = "image fit --data stripes --out a.mbnn --method ";
  expect_refused(fit + "ensemble --flops 0.5", {"--flops: of use only with method ns-ens"});
  expect_refused(fit + "ns-mc --lambda 0.1", {"--lambda: of use only with method mbnn"});
  expect_refused(fit + "ns-vi --mask-every 3", {"--mask-every: of use only with method mbnn"});
  expect_refused(fit + "mbnn --learning-rate 0.1", {"--learning-rate: of use only with method ensemble, ns-ens"});
  expect_refused(fit + "mbnn --epochs 3 --thin 2", {"--thin: of use only without epochs"});
  expect_refused(fit + "mbnn --birth-candidates 5", {"--birth-candidates: of use only with birth"});
  expect_refused(fit + "mbnn --epochs 1 --batch 100", {"--draws = 5", "2 batches"});
  expect_refused(fit + "ns-ens --norm-batches 3", {"--norm-batches: of use only with method ns-mc or ns-vi"});
  expect_refused(fit + "ns-ens --epochs 1", {"--epochs = 1", "at least 2"});
  expect_refused(fit + "ns-ens --flops 0.00001", {"--flops", "pruning leaves no less"});
  expect_refused(fit + "ns-mc --drop-share 2", {"--drop-share = 2", "from 0 to 1"});
  expect_refused(fit + "bagging", {"--method", "ns-ens"});
}

// A study of image fits leaves rows and traces, continues with what is missing, and says where absent images come from.
TEST_F(ImageCommands, ReproduceImages) {
  std::filesystem::create_directory(path("sets"));
  const std::string shared = " -q --threads 2 -- --base-width 3 --batch 20 --epochs 3 --draws 2";
  const std::string small = shared + " --mask-every 3";
  const Ended absent = run("reproduce images --data-dir sets --sets fashion-cnn --out study" + small);
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.err, AllOf(HasSubstr("scripts/data fashion-mnist"), HasSubstr("--sets")));
  EXPECT_FALSE(std::filesystem::exists(path("study")));

  write_images("sets/fashion-mnist");
  run_well("reproduce images --data-dir sets --sets fashion-cnn --methods mbnn --out study" + small);
  const std::string first = read("study/rows.csv");
  run_well("reproduce images --data-dir sets --sets fashion-cnn --methods mbnn,mbnn-mhbt --out study" + small);
  const Ended foreign =
      run("reproduce images --data-dir sets --sets fashion-cnn --methods mbnn,ns-mc --out study" + small);
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, AllOf(HasSubstr("--mask-every"), HasSubstr("ns-mc"), HasSubstr("--methods")));
  run_well("reproduce images --data-dir sets --sets fashion-cnn --methods ns-mc --out study" + shared);
  const std::string rows = read("study/rows.csv");
  EXPECT_TRUE(rows.starts_with(first));
  EXPECT_EQ(std::ranges::count(rows, '\n'), 4);
  EXPECT_THAT(read("study/table.md"), AllOf(HasSubstr("NS-MC"), HasSubstr("MHBT")));
  // A header and three epochs of 12 batches.
  EXPECT_EQ(std::ranges::count(read("study/traces/fashion-cnn-mbnn-1.csv"), '\n'), 4);

  const Ended other =
      run("reproduce images --data-dir sets --sets fashion-cnn --methods mbnn --out study -q -- --lambda 0.2");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("other settings"));
  run_well("reproduce image-proposals --data-dir sets --sets fashion-cnn --methods uniform-uniform --out rules" +
           small);
  const Ended set = run("reproduce image-proposals --data-dir sets --sets cifar10-resnet18 --out rules2" + small);
  EXPECT_THAT(set.err, HasSubstr("scripts/data cifar10"));  // known, but not there
  const Ended method = run("reproduce images --data-dir sets --out new -q -- --method ns-vi");
  EXPECT_EQ(method.code, 2);
  EXPECT_THAT(method.err, HasSubstr("--methods"));
  run_well("reproduce images --data-dir sets --sets fashion-cnn --methods ns-mc --out dropped" + shared +
           " --drop-share 0.3");
  const std::string from = " --data-dir sets --sets fashion-cnn --out new -q ";
  for (const std::string& fixed :
       {"reproduce images" + from + "--methods mbnn-0.1 -- --lambda 0.2",
        "reproduce images" + from + "--methods mbnn-mhbt -- --mask-test plain",
        "reproduce image-proposals" + from + "--methods uniform-linear -- --death uniform"}) {
    const Ended refused = run(fixed);
    EXPECT_EQ(refused.code, 2) << fixed;
    EXPECT_THAT(refused.err, HasSubstr("of --methods says")) << fixed;
  }
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  const Ended unknown = run("reproduce images --data-dir sets --out new -q -- --leapfrog-steps 3");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("mbnn image fit"));
}

}  // namespace
}  // namespace mbnn
