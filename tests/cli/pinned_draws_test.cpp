// The stored draws of a small fit of each kind and method, bit for bit as they were recorded: code may be rearranged as
// one likes so long as these stay. A change that is meant to alter draws records them anew, from the failure's message.
#include <gnu/libc-version.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "tests/support/images.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

// Empty if this machine and build must give the recorded bits; else why they need not. The kernels' contractions are
// the compiler's choice, and the processor chooses among the kernels, the C library's functions and oneDNN's
// convolutions.
std::string difference([[maybe_unused]] bool images) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "a sanitizer's build has other kernels";
#elif !defined(__x86_64__)
  return "they are those of x86-64";
#elif defined(__clang__) || __GNUC__ != 12
  return "they are those of gcc 12";
#else
  const std::string c_library = gnu_get_libc_version();
  const dnnl_version_t& convolutions = *dnnl_version();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return "this processor lacks AVX2 or FMA";
  if (c_library != "2.36") return "they are those of glibc 2.36, this is " + c_library;
  if (images && (convolutions.major != 2 || convolutions.minor != 6))
    return fmt::format("they are those of oneDNN 2.6, this is {}.{}", convolutions.major, convolutions.minor);
  return {};
#endif
}

struct PinnedFit {
  const char* name;
  std::uint64_t hash;
  std::string line;  // without seed, threads and output
};

// The name of the parameter in the list of tests.
std::string name_of_case(const ::testing::TestParamInfo<PinnedFit>& info) { return info.param.name; }
void PrintTo(const PinnedFit& fit, std::ostream* out) { *out << fit.name; }

// Thousandths, so that the text does not depend on how anything is rounded.
std::string cell(std::int64_t thousandths) {
  return fmt::format("{}{}.{:03}", thousandths < 0 ? "-" : "", std::abs(thousandths) / 1000,
                     std::abs(thousandths) % 1000);
}

std::int64_t scattered(std::int64_t i, std::int64_t multiplier) { return (i * multiplier + i * i * 37) % 2003 - 1001; }

// A kink and a slope; `kind` is told by which side of a line the row lies on, but for every eleventh.
std::string table_of_formulas() {
  const char* colours[] = {"red", "green", "blue"};
  std::string text = "a,b,c,y,kind\n";
  for (std::int64_t i = 1; i <= 60; ++i) {
    const std::int64_t a = scattered(i, 611), b = scattered(i, 1279), noise = scattered(i, 1733) / 8;
    const bool above = (a + b / 2 > 0) != (i % 11 == 0);
    text += fmt::format("{},{},{},{},{}\n", cell(a), cell(b), colours[i % 3],
                        cell(std::abs(a) * 2 + b / 2 + (i % 3 == 0 ? 700 : 0) + noise), above ? "yes" : "no");
  }
  return text;
}

// A slow rise, a pattern of four steps and a kink in `heat`; one value is missing.
std::string series_of_formulas() {
  const std::int64_t season[] = {900, -300, 0, -600};
  std::string text = "step,heat,rain,visits\n";
  for (std::int64_t t = 1; t <= 60; ++t) {
    const std::int64_t heat = scattered(t, 611), rain = scattered(t, 1279);
    const std::int64_t y = 40 * t + season[t % 4] + std::max<std::int64_t>(0, 3 * heat) - rain + scattered(t, 1733) / 5;
    text += fmt::format("{},{},{},{}\n", t, cell(heat), cell(rain), t == 17 ? std::string() : cell(y));
  }
  return text;
}

// Striped along rows, along columns or not at all.
void write_images_of_formulas(const std::filesystem::path& directory) {
  constexpr std::size_t side = 12;
  ImageSet set{120, 1, side, side, 10, {}, {}};
  for (std::size_t i = 0; i < set.count; ++i) {
    const std::size_t label = i % 3;
    set.labels.push_back(static_cast<std::uint16_t>(label));
    for (std::size_t p = 0; p < side * side; ++p) {
      const std::size_t stripe = label == 0 ? p / side % 2 : label == 1 ? p % side % 2 : 0;
      const std::size_t at = i * side * side + p;
      set.pixels.push_back(static_cast<std::uint8_t>(stripe * 127 + (at * 61 + at * at % 251 * 17) % 128));
    }
  }
  std::filesystem::create_directory(directory);
  const Bytes images = idx_images(set), labels = idx_labels(set);
  write_bytes(directory / "train-images-idx3-ubyte", {images.begin(), images.end()});
  write_bytes(directory / "train-labels-idx1-ubyte", {labels.begin(), labels.end()});
}

// FNV-1a of each draw's chain, iteration and network. Traces and statistics are left out: they may be added to.
std::uint64_t hash_of(const std::vector<StoredDraw>& draws) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](const auto* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      hash = (hash ^ reinterpret_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3u;
  };
  for (const StoredDraw& draw : draws) {
    const std::int64_t chain = draw.chain;
    mix(&chain, sizeof chain);
    mix(&draw.iteration, sizeof draw.iteration);
    mix(draw.state.data(), draw.state.size());
  }
  return hash;
}

class PinnedDraws : public CommandLine, public ::testing::WithParamInterface<PinnedFit> {};

TEST_P(PinnedDraws, AreThoseRecorded) {
  const PinnedFit& pinned = GetParam();
  const bool images = pinned.line.starts_with("image");
  const std::string why = difference(images);
  if (!why.empty()) GTEST_SKIP() << "not compared with the recorded draws: " << why;
  write("table.csv", table_of_formulas());
  write("series.csv", series_of_formulas());
  write_images_of_formulas(path("images"));
  // oneDNN keeps to AVX2, whatever else the processor has.
  const auto prepare = [&] {
    if (images) setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  };
  const Ended ended = run(pinned.line + " --seed 7 --threads 1 -q --out pinned.mbnn", prepare);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto draws = stored_draws(path("pinned.mbnn"));
  ASSERT_FALSE(draws.empty());
  const std::uint64_t hash = hash_of(draws);
  EXPECT_TRUE(hash == pinned.hash) << fmt::format(
      "The draws of this fit changed: {}\n  mbnn {}\nIf that is meant, their hash is now\n  0x{:016x}u", pinned.name,
      pinned.line, hash);
}

const std::string kShort = " --chains 2 --warmup 80 --draws 10 --thin 2 --start-steps 50";
const std::string kMasks = " --hidden 16,16 --start-width 6";
const std::string kTable = "fit table.csv --target y --ignore kind" + kShort;
const std::string kFullBatch = kTable + kMasks + " --mask-moves 6 --refit-moves 6";
const std::string kBatches = kTable + kMasks + " --mask-moves 10 --batch 20 --batches 5";

INSTANTIATE_TEST_SUITE_P(
    Tables, PinnedDraws,
    ::testing::ValuesIn(std::vector<PinnedFit>{
        {"table_hmc", 0xc2562bdaa642632bu, kFullBatch + " --leapfrog-steps 20"},
        {"table_ladder", 0xe439207fb58f3962u, kFullBatch + " --leapfrog-steps 20 --rungs 3"},
        {"table_hmc_without_masks", 0xa89b7b69e413a2beu, kTable + " --hidden 8,8 --masks off --leapfrog-steps 20"},
        {"table_hmc_of_classes", 0x85f505548c930807u,
         "fit table.csv --target kind --ignore y --leapfrog-steps 20 --refit-moves 6" + kShort + kMasks},
        {"table_hmc_with_learnt_scales", 0x5ba09e381631eb35u,
         kFullBatch + " --leapfrog-steps 20 --lambda auto --weight-prior cauchy:learn"},
        {"table_hmc_other_rules", 0x271ae3794ae17ed1u,
         kFullBatch + " --leapfrog-steps 20 --birth linear --death linear "
                      "--max-flips 3 --birth-candidates 4"},
        {"table_hmc_validated_lambda", 0x9ea63714b6aaff8au, kFullBatch + " --leapfrog-steps 20 --lambda validate"},
        {"table_nuts", 0xd464a791a47840adu, kFullBatch + " --sampler nuts --max-depth 5"},
        {"table_sgld", 0x5f43338ef2cd9470u, kBatches + " --sampler sgld"},
        {"table_sghmc", 0x1449cea085ace718u, kBatches + " --sampler sghmc"},
        {"table_sgld_tempered_masks", 0x8d8efba917e2c907u, kBatches + " --sampler sgld --mask-test mhbt"},
        {"table_ns_vi", 0xd4f5de2578699547u,
         "fit table.csv --target y --ignore kind --method ns-vi --hidden 16,16 --epochs 60 --draws 10 "
         "--batch 20 --chains 2"},
        {"table_logistic", 0x59ae2ec7b106c3dcu, "fit table.csv --target kind --ignore y --method logistic"}}),
    name_of_case);

const std::string kSeries =
    "series fit series.csv --target visits --date step --season 4 --train-rows 50 --chains 2 --warmup 80 --draws 10 "
    "--thin 2 --regression ";
const std::string kNetwork = " --start-steps 50 --leapfrog-steps 20 ";

INSTANTIATE_TEST_SUITE_P(
    Series, PinnedDraws,
    ::testing::ValuesIn(std::vector<PinnedFit>{
        {"series_linear", 0xde132a43e0fc8096u, kSeries + "linear --trend linear"},
        {"series_bnn", 0xd31e6161ebc9abbbu, kSeries + "bnn --trend damped --damping learn --hidden 8,8" + kNetwork},
        {"series_mbnn", 0xa5382886735d0392u, kSeries + "mbnn --mask-moves 6 --refit-moves 6" + kNetwork + kMasks}}),
    name_of_case);

const std::string kImages = "image fit --data images --network cnn --base-width 4 --batch 20 ";
const std::string kChain = kImages + "--burn-in 3 --draws 3 --thin 2 --mask-every 4 ";
const std::string kTrained = kImages + "--draws 3 --epochs 6 --learning-rate 0.01 --method ";

INSTANTIATE_TEST_SUITE_P(Images, PinnedDraws,
                         ::testing::ValuesIn(std::vector<PinnedFit>{
                             {"image_sgld", 0x29e61d055533249eu, kChain + "--step-size 0.3"},
                             {"image_sghmc_preconditioned", 0x431dfdbb8e29734du,
                              kChain + "--sampler sghmc --precondition"},
                             {"image_resnet18", 0x14e7c648a2e52619u,
                              "image fit --data images --network resnet18 --base-width 2 --batch 20 --burn-in 1 "
                              "--draws 2 --thin 1 --mask-every 3"},
                             {"image_ensemble", 0x1a427b94138b40eau, kTrained + "ensemble"},
                             {"image_ns_ens", 0x7e90c13c9fbd3d19u,
                              kTrained + "ns-ens --search-population 3 --search-tournament 2 --search-candidates 4 "
                                         "--search-batches 3"},
                             {"image_ns_mc", 0x90391c526a42dfc9u, kTrained + "ns-mc --norm-batches 5"},
                             {"image_ns_vi", 0xdd050b5443bc5877u, kTrained + "ns-vi --norm-batches 5"}}),
                         name_of_case);

}  // namespace
}  // namespace mbnn
