// mbnn predict beyond its default columns: what is kept, in which format, and what is refused.
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/program.h"

namespace mbnn {
namespace {

class Predict : public CommandLine {
 protected:
  // The rows of r.csv behind a code and a text that are not the fit's.
  void write_with_texts() const {
    const auto all = lines(regression_table());
    std::string text = "code,a,b,c,y,\"a, note\"\n";
    for (std::size_t i = 1; i < all.size(); ++i) text += fmt::format("{:05},{},\"x, \"\"{}\"\"\nz\"\n", i, all[i], i);
    write("t.csv", text);
  }
};

TEST_F(Predict, KeepsColumnsAsTheyAreWritten) {
  fit_regression();
  run_well("predict r.mbnn r.csv --out p.csv -q");
  write_with_texts();
  const auto keep = [&](const std::string& more) {
    std::vector<std::string> line = words("predict r.mbnn t.csv -q --out k.csv --keep code,b " + more);
    line.insert(line.end(), {"--keep", "\"a, note\""});
    return line;
  };
  ASSERT_EQ(run(keep("")).code, 0);
  const auto table = lines(regression_table()), plain = lines(read("p.csv"));
  std::string expected = "code,b,\"a, note\",mean,sd,lower,upper\n";
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string b = table[i].substr(table[i].find(',') + 1);
    expected += fmt::format("{:05},{},\"x, \"\"{}\"\"\nz\",{}\n", i, b.substr(0, b.find(',')), i, plain[i]);
  }
  EXPECT_EQ(read("k.csv"), expected);
  const std::string from_file = read("k.csv");
  std::vector<std::string> piped = keep("");
  piped[2] = "-";
  ASSERT_EQ(run(piped, [] { dup2(open("t.csv", O_RDONLY), 0); }).code, 0);
  EXPECT_EQ(read("k.csv"), from_file);
}

TEST_F(Predict, KeepsCellsThatAreMissingOrOfAnIgnoredColumn) {
  write("t.csv", regression_table());
  run_well(tiny("fit t.csv --target y --ignore c --out r.mbnn -q"));
  write("n.csv", "a,b,c\n0.10,?,07\n+1.5,NA,\n");
  const auto kept = lines(run("predict r.mbnn n.csv -q --keep a,b,c").out);
  EXPECT_THAT(kept.at(1), testing::StartsWith("0.10,?,07,"));
  EXPECT_THAT(kept.at(2), testing::StartsWith("+1.5,NA,,"));
}

// The same numbers, digit for digit, whatever the format; what is kept is text.
TEST_F(Predict, WritesJsonLines) {
  fit_regression();
  write_with_texts();
  const std::string more = "--keep code --quantiles .1,.9 --above 0 --samples 2 -q";
  run_well("predict r.mbnn t.csv --out p.csv " + more);
  run_well("predict r.mbnn t.csv --out p.jsonl " + more);
  EXPECT_EQ(run("predict r.mbnn t.csv --format jsonl " + more).out, read("p.jsonl"));
  EXPECT_EQ(run("predict r.mbnn t.csv --out q.jsonl --format csv " + more).code, 0);
  EXPECT_EQ(read("q.jsonl"), read("p.csv"));
  const auto csv = lines(read("p.csv")), json = lines(read("p.jsonl"));
  ASSERT_EQ(json.size() + 1, csv.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto row = nlohmann::json::parse(json[i]);
    EXPECT_EQ(row.size(), 10u);
    EXPECT_EQ(row.at("code"), fmt::format("{:05}", i + 1));
    const auto numbers = csv_numbers("\n" + csv[i + 1]).at(0);
    const char* names[] = {"mean", "sd", "lower", "upper", "q10", "q90", "above_0", "s1", "s2"};
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(row.at(names[k]), numbers.at(k + 1)) << names[k];
  }
}

TEST_F(Predict, SamplesDoNotDependOnThreads) {
  fit_regression();
  const std::string line = "predict r.mbnn r.csv -q --samples 4 --threads ";
  const std::string one = run(line + "1").out;
  EXPECT_EQ(run(line + "3").out, one);
  EXPECT_EQ(run(line + "1 --seed 1").out, one);
  EXPECT_NE(run(line + "1 --seed 2").out, one);
}

TEST_F(Predict, ClassesHaveTheirSpreadAndTheirRefusals) {
  write("k.csv", class_table({"low", "top"}));
  run_well(tiny("fit k.csv --target kind --out k.mbnn -q"));
  EXPECT_THAT(run("predict k.mbnn k.csv -q --parts --keep a").out,
              testing::StartsWith("a,class,p_low,p_top,sd_low,sd_top\n"));
  const auto first = nlohmann::json::parse(lines(run("predict k.mbnn k.csv -q --format jsonl").out).at(0));
  EXPECT_EQ(first.at("class"), first.at("p_low") > first.at("p_top") ? "low" : "top");
  expect_refused("predict k.mbnn k.csv --quantiles .5", {"--quantiles: the target is a class", "p_LABEL"});
  expect_refused("predict k.mbnn k.csv --above 1", {"--above: the target is a class"});
  expect_refused("predict k.mbnn k.csv --samples 3", {"--samples: the target is a class"});
}

TEST_F(Predict, RefusesWhatCannotBe) {
  fit_regression();
  write("m.csv", "a,b,c,mean\n1,2,red,3\n");
  expect_refused("predict r.mbnn r.csv --out p.csv --keep aa", {"r.csv: no column 'aa' to keep; columns are a, b, c"});
  expect_refused("predict r.mbnn r.csv --out p.csv --keep a,a", {"--keep = a", "two columns called a"});
  expect_refused("predict r.mbnn m.csv --out p.csv --keep mean", {"--keep = mean", "two columns called mean"});
  expect_refused("predict r.mbnn r.csv --out p.csv --quantiles .1,95", {"--quantiles = 95", "between 0 and 1"});
  expect_refused("predict r.mbnn r.csv --out p.csv --quantiles 5%", {"--quantiles = 5%: expected a number"});
  expect_refused("predict r.mbnn r.csv --out p.csv --above nan", {"--above = nan: must be finite"});
  expect_refused("predict r.mbnn r.csv --out p.csv --seed 3", {"--seed: of use only with samples"});
  expect_refused("predict r.mbnn r.csv --out p.csv --format xml", {"--format = xml: expected csv or jsonl"});
}

}  // namespace
}  // namespace mbnn
