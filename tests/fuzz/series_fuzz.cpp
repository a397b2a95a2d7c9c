// Forged fits of a series.
#include "mbnn/mbnn.h"
#include "tests/fuzz/forged_fit.h"

namespace mbnn::fuzz {

namespace {

const std::string& base() {
  static const std::string path = [] {
    std::string table = "day,heat,visits\n";
    for (int day = 1; day <= 28; ++day)
      table += fmt::format("2021-02-{:02},{},{}\n", day, day % 5, day % 7 + 0.1 * (day * day % 11));
    const std::string data = scratch_directory() + "/series.csv";
    write_file(data, {reinterpret_cast<const std::uint8_t*>(table.data()), table.size()});
    SeriesConfiguration c;
    c.base.data = data;
    c.base.encoding.target = "visits";
    c.date = "day";
    c.series.trend = Trend::damped;
    c.series.learn_damping = true;
    c.series.seasons = {7};
    c.base.hidden = {3};
    c.base.chains = 2;
    c.base.chain.warmup = 2;
    c.base.chain.draws = 4;
    c.base.chain.thin = 1;
    c.base.chain.start = {.widths = {2}, .steps = 5};
    c.base.chain.leapfrog_steps = 3;
    c.base.chain.mask_moves = c.base.chain.refit_moves = 2;
    SeriesProblem problem = SeriesProblem::read(c);
    std::string place = scratch_directory() + "/base.mbnn";
    fit(problem, place, {.threads = 1});
    FitFile file = FitFile::open(place, FitFile::Mode::append);
    add_draws(file, problem, 3);
    return place;
  }();
  return path;
}

}  // namespace

void read_bytes(Bytes input) { use_forged(base(), input); }
std::vector<std::string> seeds() { return edits_of(base()); }

}  // namespace mbnn::fuzz
