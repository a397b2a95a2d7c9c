// Forged fits of a table.
#include "mbnn/mbnn.h"
#include "mbnn/tables/columns/table_builder.h"
#include "tests/fuzz/forged_fit.h"

namespace mbnn::fuzz {

namespace {

const std::string& base() {
  static const std::string path = [] {
    TableBuilder builder("seed");
    std::vector<double> a, y;
    std::vector<std::int64_t> places;
    for (int i = 0; i < 24; ++i) {
      a.push_back(0.1 * i);
      y.push_back(i % 3 + 0.2 * i);
      places.push_back(i % 3);
    }
    builder.add_numbers("a", a);
    builder.add_texts("b", std::vector<std::string>{"red", "green", "blue"}, places, false);
    builder.add_numbers("y", y);
    Configuration c;
    c.encoding.target = "y";
    c.hidden = {4, 3};
    c.chains = 2;
    c.chain.warmup = 2;
    c.chain.draws = 5;
    c.chain.thin = 1;
    c.chain.start = {.widths = {3}, .steps = 5};
    c.chain.leapfrog_steps = 3;
    c.chain.mask_moves = c.chain.refit_moves = 2;
    std::vector<std::string> notes;
    TableProblem problem = TableProblem::of_table(c, builder.finish(), notes);
    std::string place = scratch_directory() + "/base.mbnn";
    fit(problem, place, {.threads = 1});
    FitFile file = FitFile::open(place, FitFile::Mode::append);
    add_draws(file, problem, 3);  // so that there is something to resume
    return place;
  }();
  return path;
}

}  // namespace

void read_bytes(Bytes input) { use_forged(base(), input); }
std::vector<std::string> seeds() { return edits_of(base()); }

}  // namespace mbnn::fuzz
