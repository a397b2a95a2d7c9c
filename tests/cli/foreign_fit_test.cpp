// Fits that somebody has made to do harm, whose checksums all fit: refused by every verb that would use what was
// forged, in words, at once, and with the file left as it was. Caught when broken: any single one of the checks that
// read_state(), Carried::read(), stored_data(), verify_progress(), verify_schema_whole() or parse_stored_json() make.
#include <sys/resource.h>
#include <sys/stat.h>

#include <limits>

#include "mbnn/core/bytes.h"
#include "mbnn/images/network_file.h"
#include "mbnn/mbnn.h"
#include "mbnn/tables/state_bytes.h"
#include "tests/support/forgery.h"
#include "tests/support/images.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ForeignFit : public CommandLine {
 protected:
  using Forge = std::function<void(Forgery&)>;

  void forge(const std::string& from, const Forge& change) const {
    std::filesystem::copy_file(path(from), path("x.mbnn"), std::filesystem::copy_options::overwrite_existing);
    Forgery forgery(path("x.mbnn"));
    change(forgery);
    forgery.keep();
  }
  // At most so many seconds of work, and never a signal.
  void refuse(const std::vector<std::string>& lines, const std::string& said) const {
    const std::string before = read("x.mbnn");
    for (const std::string& line : lines) {
      const Ended ended = run(line, [] {
        const rlimit seconds{10, 10};
        setrlimit(RLIMIT_CPU, &seconds);
      });
      EXPECT_EQ(ended.signal, 0) << line;
      EXPECT_EQ(ended.code, 2) << line << ": " << ended.err;
      EXPECT_EQ(ended.out, "") << line;
      EXPECT_THAT(ended.err,
                  AllOf(HasSubstr("x.mbnn"), HasSubstr(said), Not(HasSubstr("exception")), Not(HasSubstr("_M_"))))
          << line;
    }
    EXPECT_TRUE(read("x.mbnn") == before) << "the file was changed";
  }
  const std::vector<std::string> everywhere{"summary x.mbnn", "diagnose x.mbnn", "predict x.mbnn r.csv",
                                            "evaluate x.mbnn r.csv", "resume x.mbnn --draws 3 -q"};
  const std::vector<std::string> resumed{"resume x.mbnn --draws 3 -q"};
};

std::vector<std::byte> bytes_of(const State& state) {
  ByteWriter out;
  write_state(state, out);
  return out.take();
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// A state, and in a checkpoint what stands around it.
struct Parts {
  std::vector<std::byte> version, rest;
  State state;
  Parts(const std::vector<std::byte>& bytes, const Model& model) : version(bytes.begin(), bytes.begin() + 4) {
    const std::span<const std::byte> all(bytes);
    ByteReader in(all.subspan(4));
    state = read_state(in, model);
    rest.assign(bytes.end() - static_cast<std::ptrdiff_t>(in.left()), bytes.end());
  }
  std::vector<std::byte> bytes() const {
    auto all = version;
    const auto middle = bytes_of(state);
    all.insert(all.end(), middle.begin(), middle.end());
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
};

struct StateCase {
  const char* name;
  std::function<void(State&)> change;
  const char* said;
};

const std::vector<StateCase> kStates{
    {"no layers", [](State& s) { s.gates.active.clear(); }, "another number of hidden layers"},
    {"many layers", [](State& s) { s.gates.active.resize(200, s.gates.active[0]); }, "another number of hidden layers"},
    {"an empty layer", [](State& s) { s.gates.active[0].clear(); }, "no nodes"},
    {"a wide layer", [](State& s) { s.gates.active[0].resize(50000, 3); }, "one of them twice"},
    {"a node twice", [](State& s) { s.gates.active[1].assign(2, 1); }, "one of them twice"},
    {"a node beyond the cap", [](State& s) { s.gates.active[1][0] = 4'000'000'000u; }, "nodes that cannot be"},
    {"few weights", [](State& s) { s.weights.resize(3); }, "another number of weights"},
    {"no weights", [](State& s) { s.weights.clear(); }, "another number of weights"},
    {"a weight that is no number", [](State& s) { s.weights[1] = NAN; }, "a weight is not finite"},
    {"noise that is no number", [](State& s) { s.noise_variance = kNaN; }, "noise variance"},
    {"no noise", [](State& s) { s.noise_variance = 0; }, "noise variance"},
    {"negative noise", [](State& s) { s.noise_variance = -1; }, "noise variance"},
    {"no scale", [](State& s) { s.weight_scale = 0; }, "scale of weights"},
    {"a lambda without end", [](State& s) { s.lambda = HUGE_VAL; }, "lambda"}};

TEST_F(ForeignFit, StatesOfDraws) {
  write("r.csv", regression_table());
  fit_regression();
  const FittedModel fitted = FittedModel::read(FitFile::open(path("r.mbnn"), FitFile::Mode::read));
  for (const StateCase& c : kStates) {
    SCOPED_TRACE(c.name);
    State state = fitted.draws[0][0];
    c.change(state);
    forge("r.mbnn", [&](Forgery& f) {
      const auto row = f.draws().front();
      f.draw(row.chain, row.iteration, bytes_of(state), row.scalars);
    });
    refuse(everywhere, c.said);
  }
  SCOPED_TRACE("numbers beside draws");
  for (const auto& scalars : {std::vector<double>{}, std::vector<double>{1}, std::vector<double>(7, kNaN)}) {
    forge("r.mbnn", [&](Forgery& f) {
      const auto row = f.draws().front();
      f.draw(row.chain, row.iteration, row.state, bytes_of(scalars));
    });
    refuse(scalars.size() == 7 ? everywhere : std::vector<std::string>{"diagnose x.mbnn"}, "beside a draw");
  }
}

TEST_F(ForeignFit, Checkpoints) {
  write("r.csv", regression_table());
  for (const std::string more : {"--sampler hmc", "--sampler sghmc --batches 3", "--rungs 2"}) {
    SCOPED_TRACE(more);
    fit_regression(more + " --force --chains 1");
    const Model model = FittedModel::read(FitFile::open(path("r.mbnn"), FitFile::Mode::read)).model;
    const auto with_checkpoint = [&](const std::function<std::vector<std::byte>(std::vector<std::byte>)>& change) {
      forge("r.mbnn", [&](Forgery& f) {
        const auto row = f.checkpoints().front();
        f.checkpoint(row.chain, row.iteration, change(row.state));
      });
    };
    const std::size_t front = more == "--rungs 2" ? 12 : 0;  // the ladder's version, and the length of what follows
    for (const StateCase& c : kStates) {
      SCOPED_TRACE(c.name);
      with_checkpoint([&](std::vector<std::byte> bytes) {
        if (front > 0) {
          ByteReader in(bytes);
          in.get<std::uint32_t>();
          const auto cold = in.get_all<std::byte>();
          Parts parts(cold, model);
          c.change(parts.state);
          ByteWriter out;
          out.put(std::uint32_t{1});
          out.put_all(parts.bytes());
          auto all = out.take();
          all.insert(all.end(), bytes.end() - static_cast<std::ptrdiff_t>(in.left()), bytes.end());
          return all;
        }
        Parts parts(bytes, model);
        c.change(parts.state);
        return parts.bytes();
      });
      refuse(resumed, c.said);
    }
    // Every number behind the state in turn becomes none, and the whole is cut everywhere: refused, or harmless.
    std::size_t refused = 0;
    for (std::size_t back = 8; back < 900; back += 40) {
      with_checkpoint([&](std::vector<std::byte> bytes) {
        for (std::size_t i = 0; i < 8 && back + i < bytes.size(); ++i) bytes[bytes.size() - back + i] = std::byte{0xff};
        return bytes;
      });
      const Ended ended = run(resumed[0]);
      EXPECT_EQ(ended.signal, 0) << back;
      EXPECT_TRUE(ended.code == 0 || ended.code == 1 || ended.code == 2) << ended.err;
      refused += ended.code == 2;
    }
    EXPECT_GT(refused, 3u);
    for (const std::size_t cut : {1u, 3u, 8u, 200u}) {
      with_checkpoint([&](std::vector<std::byte> bytes) {
        bytes.resize(bytes.size() - cut);
        return bytes;
      });
      refuse(resumed, "stored bytes end too early");
    }
    with_checkpoint([&](std::vector<std::byte> bytes) {
      bytes.push_back(std::byte{1});
      return bytes;
    });
    refuse(resumed, "belong to nothing");
  }
}

TEST_F(ForeignFit, ConfigurationsAndEncodings) {
  write("r.csv", regression_table());
  fit_regression();
  const std::vector<std::pair<const char*, nlohmann::json>> wrong{{"/chains", 100'000'000},
                                                                  {"/chains", 1e308},
                                                                  {"/hidden/0", 1e300},
                                                                  {"/hidden/0", 2.5},
                                                                  {"/chain/draws", "three"},
                                                                  {"/chains", -1},
                                                                  {"/chains", 0},
                                                                  {"/table/delimiter", ""},
                                                                  {"/table/delimiter", "\""},
                                                                  {"/hidden", {0, 0}},
                                                                  {"/hidden", {1ull << 62, 8}},
                                                                  {"/hidden", std::vector<int>(5000, 1)},
                                                                  {"/hidden", {8}},
                                                                  {"/chain/draws", -5},
                                                                  {"/chain/draws", 1ll << 62},
                                                                  {"/chain/thin", 0},
                                                                  {"/chain/warmup", -100},
                                                                  {"/chain/mask_every", 0},
                                                                  {"/chain/mask_moves", 1 << 30},
                                                                  {"/chain/leapfrog_steps", 1ll << 40},
                                                                  {"/chain/refit_moves", 1e18},
                                                                  {"/chain/birth_death/max_flips", 1'000'000},
                                                                  {"/chain/start/width", {}},
                                                                  {"/chain/start/batch", 0},
                                                                  {"/chain/initial_step", -1},
                                                                  {"/method", "bogus"},
                                                                  {"/method", 3},
                                                                  {"/weight_prior/spread", 0},
                                                                  {"/noise_prior/rate", -1},
                                                                  {"/chain/rungs", 100'000},
                                                                  {"/kind", 7},
                                                                  {"/kind", "another"}};
  for (const auto& [place, value] : wrong) {
    SCOPED_TRACE(place + std::string(" = ") + value.dump());
    forge("r.mbnn",
          [&](Forgery& f) { f.configuration([&](auto& json) { json[nlohmann::json::json_pointer(place)] = value; }); });
    refuse(everywhere, "x.mbnn");
  }
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"/columns", nlohmann::json::array()},
                                                           {"/columns/0/features", 3},
                                                           {"/columns/0/features/0/sd", 0},
                                                           {"/columns/2/features/0/level", 77},
                                                           {"/target/sd", -1},
                                                           {"/labels", {"a"}},
                                                           {"/version", 9},
                                                           {"/columns/0/kind", "none"}}) {
    SCOPED_TRACE(place);
    forge("r.mbnn",
          [&](Forgery& f) { f.encoding([&](auto& json) { json[nlohmann::json::json_pointer(place)] = value; }); });
    refuse(everywhere, "x.mbnn is not as mbnn writes it");
  }
  for (const char* key : {"configuration", "encoding"})
    for (const std::string text : {"[", "\"text\"", "null", "{\"a\":", "\xff"}) {
      SCOPED_TRACE(std::string(key) + " " + text);
      forge("r.mbnn", [&](Forgery& f) { f.meta(key, text); });
      refuse(everywhere, "is not as mbnn writes it");
    }
  for (const int depth : {33, 100'000, 1'000'000}) {
    const std::string nested = "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
    for (const char* key : {"configuration", "encoding"}) {
      forge("r.mbnn", [&](Forgery& f) { f.meta(key, nested); });
      refuse(everywhere, "levels deep");
    }
    forge("r.mbnn", [&](Forgery& f) {
      for (const auto& row : f.checkpoints()) f.statistics(row.chain, row.iteration, nested);
    });
    refuse({"diagnose x.mbnn"}, "levels deep");
  }
  for (const std::string text : {"[]", "{\"warmup\":\"x\",\"sampling\":3,\"step_size\":{}}"}) {
    forge("r.mbnn", [&](Forgery& f) {
      for (const auto& row : f.checkpoints()) f.statistics(row.chain, row.iteration, text);
    });
    refuse({"diagnose x.mbnn"}, "is not as mbnn writes it");
  }
}

TEST_F(ForeignFit, RowsAndProgress) {
  write("r.csv", regression_table());
  fit_regression();
  using Words = std::vector<std::uint64_t>;
  for (const Words& header : {Words{1ull << 40, 5}, Words{1ull << 63, 2}, Words{0, 5}, Words{60, 1},
                              Words{60, 1ull << 60}, Words{59, 5}, Words{60}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(header, " ")));
    forge("r.mbnn", [&](Forgery& f) { f.blob("data/header", bytes_of(header)); });
    refuse(everywhere, "x.mbnn");
  }
  forge("r.mbnn", [&](Forgery& f) { f.blob("data/0", bytes_of(std::vector<float>(60 * 5, NAN))); });
  refuse(everywhere, "not finite");
  forge("r.mbnn", [&](Forgery& f) { f.blob("data/y", bytes_of(std::vector<float>(59, 1))); });
  refuse(everywhere, "not as many as it says");
  for (const std::int64_t chain : {-5ll, 2ll, (1ll << 31) - 1}) {
    forge("r.mbnn", [&](Forgery& f) { f.progress(chain, 10, 0, false); });
    refuse(everywhere, "more chains");
  }
  for (const auto& [iteration, draws] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{-1, 10}, {40, -1}, {40, 999}}) {
    forge("r.mbnn", [&](Forgery& f) { f.progress(0, iteration, draws, true); });
    refuse(everywhere, "progress of a chain");
  }
  forge("r.mbnn", [&](Forgery& f) { f.progress(0, 3, 0, false); });
  refuse(resumed, "no checkpoint to go on from");
  forge("r.mbnn", [&](Forgery& f) {
    for (int chain = 10; chain < 3000; ++chain) f.progress(chain, 10, 0, false);
  });
  refuse(everywhere, "more chains");
}

TEST_F(ForeignFit, Schemas) {
  write("r.csv", regression_table());
  fit_regression();
  const std::vector<std::string> statements{
      "CREATE TRIGGER t AFTER INSERT ON draw BEGIN DELETE FROM draw WHERE iteration < new.iteration; END",
      "CREATE VIEW v AS SELECT load_extension('x')",
      "CREATE TABLE e (a, CHECK (length(hex(zeroblob(200000000))) > 0))",
      "CREATE TABLE e (a, b GENERATED ALWAYS AS (length(hex(zeroblob(100000000)))) STORED)",
      "CREATE INDEX i ON draw (length(hex(zeroblob(iteration))))",
      "CREATE INDEX i ON draw (iteration)",
      "CREATE TABLE sqlite (a)",
      "ALTER TABLE note ADD COLUMN more TEXT DEFAULT 'x'",
      "ALTER TABLE note RENAME TO notes",
      "DROP TABLE note"};
  for (const std::string& statement : statements) {
    SCOPED_TRACE(statement);
    forge("r.mbnn", [&](Forgery& f) { f.sql(statement); });
    if (statement == "DROP TABLE note") {  // what lacks may be damage
      EXPECT_THAT(run("summary x.mbnn").err, HasSubstr("x.mbnn is damaged: note of format 1 is missing"));
      continue;
    }
    refuse(everywhere, "is not as mbnn writes it");
  }
}

// Caught: notes that reached the terminal as they were.
TEST_F(ForeignFit, NotesAndNamesAreShown) {
  write("r.csv", regression_table());
  fit_regression();
  forge("r.mbnn", [](Forgery& f) {
    f.note(1, "\x1b]0;owned\x07\x1b[2Jgood\r\nfake");
    f.encoding([](auto& json) { json["columns"][0]["name"] = "a\x1b[31m"; });
  });
  const Ended ended = run("summary x.mbnn");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("\\x1b]0;owned\\x07\\x1b[2Jgood\\x0d\\x0afake"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(run("predict x.mbnn r.csv").err, AllOf(HasSubstr("a\\x1b[31m"), Not(HasSubstr("\x1b"))));
}

// A journal that names a further one lets SQLite delete that file.
TEST_F(ForeignFit, JournalsThatNameFiles) {
  write("r.csv", regression_table());
  fit_regression();
  write("precious", std::string("x\0", 2));
  const std::string name = path("precious");
  std::string journal(1024, '\0');
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  const auto word = [](std::size_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  journal.replace(0, 8, magic);
  journal.replace(20, 4, word(512));   // the sector
  journal.replace(24, 4, word(4096));  // the page
  journal += word(0) + name + word(name.size()) + word(sum) + magic;
  std::filesystem::copy_file(path("r.mbnn"), path("x.mbnn"));
  write("x.mbnn-journal", journal);
  refuse(everywhere, "it names a further file");
  EXPECT_TRUE(exists("precious"));
}

TEST_F(ForeignFit, Series) {
  std::string table = "day,heat,visits\n";
  Rng rng(4, 0);
  for (int day = 0; day < 60; ++day) table += fmt::format("{},{:.3f},{:.3f}\n", day, rng.normal(), 3 + rng.normal());
  write("d.csv", table);
  run_well(tiny("series fit d.csv --target visits --date day --season 7 --out s.mbnn -q"));
  const std::vector<std::string> all{"summary x.mbnn", "diagnose x.mbnn", "series forecast x.mbnn d.csv",
                                     "resume x.mbnn --draws 3 -q"};
  for (const auto& [place, value] : std::vector<std::pair<const char*, nlohmann::json>>{
           {"/series/steps", 1ll << 40},
           {"/series/steps", -1},
           {"/series/steps", 3},
           {"/series/axis/length", 0},
           {"/series/axis/unit", 9},
           {"/series/axis/first", std::numeric_limits<std::int64_t>::min()},
           {"/series/model/seasons", {1000, 999, 998, 997, 996}},
           {"/series/model/seasons", {0}},
           {"/series/model/damping", 7},
           {"/series/model/level_variance/rate", -1},
           {"/series/model/initial_variances/0", -1},
           {"/series", 4}}) {
    SCOPED_TRACE(place + std::string(" = ") + value.dump());
    forge("s.mbnn",
          [&](Forgery& f) { f.configuration([&](auto& json) { json[nlohmann::json::json_pointer(place)] = value; }); });
    refuse(all, "x.mbnn");
  }
  for (const std::int64_t shift : {-1ll, 1ll << 40}) {
    std::vector<std::int64_t> times(60);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<std::int64_t>(i) + shift;
    forge("s.mbnn", [&](Forgery& f) { f.blob("series/times", bytes_of(times)); });
    refuse(all, "times do not fit");
  }
  // The path of a checkpoint comes last, as its length and that many numbers.
  forge("s.mbnn", [&](Forgery& f) {
    auto row = f.checkpoints().front();
    for (std::size_t i = 1; i <= 8; ++i) row.state[row.state.size() - i] = std::byte{0xff};
    f.checkpoint(row.chain, row.iteration, row.state);
  });
  refuse(resumed, "path of states is not finite");
}

TEST_F(ForeignFit, Images) {
  write_stripes(path("stripes"), 1);
  run_well(
      "image fit --data stripes --base-width 4 --batch 20 --burn-in 3 --draws 3 --thin 2 --threads 1 -q --out i.mbnn");
  const std::vector<std::string> all{"summary x.mbnn", "diagnose x.mbnn", "image predict x.mbnn --data stripes",
                                     "resume x.mbnn --draws 1 -q"};
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"/batch", 0},
                                                           {"/batch", 1ll << 40},
                                                           {"/chains", 1 << 30},
                                                           {"/base_width", 1 << 20},
                                                           {"/draws", -1},
                                                           {"/further_draws", std::numeric_limits<std::int64_t>::max()},
                                                           {"/headroom", 1e300},
                                                           {"/mask_every", 0},
                                                           {"/thin", 0},
                                                           {"/network", "none"},
                                                           {"/crop_padding", 1ll << 40}}) {
    SCOPED_TRACE(place + std::string(" = ") + value.dump());
    forge("i.mbnn",
          [&](Forgery& f) { f.configuration([&](auto& json) { json[nlohmann::json::json_pointer(place)] = value; }); });
    refuse(all, "x.mbnn");
  }
  for (const auto& [place, value] : std::vector<std::pair<const char*, nlohmann::json>>{{"/images", 0},
                                                                                        {"/images", -1},
                                                                                        {"/classes", 1 << 30},
                                                                                        {"/height", 0},
                                                                                        {"/mean", {1, 2, 3}},
                                                                                        {"/sd", {0}}}) {
    SCOPED_TRACE(place + std::string(" = ") + value.dump());
    forge("i.mbnn",
          [&](Forgery& f) { f.encoding([&](auto& json) { json[nlohmann::json::json_pointer(place)] = value; }); });
    refuse(all, "x.mbnn");
  }
  forge("i.mbnn", [&](Forgery& f) {
    const auto row = f.draws().front();
    CompactNetwork network = from_bytes(row.state, "draw");
    network.state.weights[0] = NAN;
    f.draw(row.chain, row.iteration, to_bytes(network), row.scalars);
  });
  refuse({"diagnose x.mbnn", "image predict x.mbnn --data stripes"}, "not finite");
  forge("i.mbnn", [&](Forgery& f) { f.blob("reference/labels", bytes_of(std::vector<std::uint16_t>(40, 60000))); });
  refuse({"diagnose x.mbnn"}, "reference images");
  forge("i.mbnn", [&](Forgery& f) {
    auto row = f.checkpoints().front();
    row.state.resize(row.state.size() - 4);
    f.checkpoint(row.chain, row.iteration, row.state);
  });
  refuse({"resume x.mbnn --draws 1 -q"}, "stored bytes end too early");
}

}  // namespace
}  // namespace mbnn
