// What may stand next on a command line: the words that the program gives the shell.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Completion : public CommandLine {
 protected:
  // The last of the words is to be completed; "" if it is not begun.
  std::vector<std::string> after(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"complete"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = run(all);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::vector<std::string> said = lines(ended.out);
    if (said.empty()) return said;
    if (said[0] == "words") said.erase(said.begin());
    return said;
  }
};

using Words = std::vector<std::string>;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(Completion, Verbs) {
  EXPECT_THAT(after({""}),
              AllOf(Contains("fit"), Contains("series"), Contains("reproduce"), Not(Contains("complete"))));
  EXPECT_THAT(after({"su"}), ElementsAre("summary"));
  EXPECT_THAT(after({"series", ""}), ElementsAre("fit", "forecast", "evaluate", "impact", "cv"));
  EXPECT_THAT(after({"image", "e"}), ElementsAre("evaluate", "export"));  // resume is an old way to write it
  EXPECT_THAT(after({"help", "ser"}), ElementsAre("series"));
  EXPECT_THAT(after({"nonsense", "x"}), IsEmpty());
}

// Caught: options of the short help alone.
TEST_F(Completion, Options) {
  EXPECT_THAT(after({"fit", "--mask"}), ElementsAre("--masks", "--mask-every", "--mask-moves", "--mask-test"));
  EXPECT_THAT(after({"fit", "r.csv", "--chains", "2", "--cha"}), IsEmpty());
  EXPECT_THAT(after({"fit", "r.csv", "--ignore", "a", "--ign"}), ElementsAre("--ignore"));
  EXPECT_THAT(after({"fit", "r.csv", "-"}), AllOf(Contains("--target"), Contains("--quiet"), Each(StartsWith("--"))));
  EXPECT_THAT(after({"fit", "--noise-p"}), IsEmpty());  // an old name
  EXPECT_THAT(after({"predict", "r.mbnn", "r.csv", "--o"}), ElementsAre("--out"));
}

TEST_F(Completion, Choices) {
  EXPECT_THAT(after({"fit", "--sampler", ""}), ElementsAre("hmc", "nuts", "sgld", "sghmc"));
  EXPECT_THAT(after({"series", "fit", "--sampler", "h"}), ElementsAre("hmc"));
  EXPECT_THAT(after({"fit", "--sampler", "=", "sg"}), ElementsAre("sgld", "sghmc"));  // as bash splits --sampler=sg
  EXPECT_THAT(after({"fit", "--sampler", "="}), ElementsAre("hmc", "nuts", "sgld", "sghmc"));
  EXPECT_THAT(after({"fit", "--lambda", ""}), ElementsAre("auto", "validate"));
  EXPECT_THAT(after({"fit", "--chains", ""}), IsEmpty());
  EXPECT_THAT(after({"fit", "--json", "--masks", "o"}), ElementsAre("on", "off"));
}

TEST_F(Completion, Files) {
  EXPECT_THAT(after({"fit", ""}), ElementsAre("files"));
  EXPECT_THAT(after({"fit", "r.csv", "--out", ""}), ElementsAre("files"));
  EXPECT_THAT(after({"fit", "r.csv", "-o", "x"}), ElementsAre("files"));
  EXPECT_THAT(after({"predict", "r.mbnn", ""}), ElementsAre("files"));
  EXPECT_THAT(after({"predict", "r.mbnn", "r.csv", ""}), IsEmpty());
  EXPECT_THAT(after({"image", "predict", "a", "b", ""}), ElementsAre("files"));
  EXPECT_THAT(after({"image", "fit", "--data", ""}), ElementsAre("files"));
}

TEST_F(Completion, ColumnsOfTheTable) {
  write("my table.csv", "price;\"size, net\";site area\n1;2;3\n4;5;6\n");
  EXPECT_THAT(after({"fit", "my\\ table.csv", "--target", ""}), ElementsAre("price", "size, net", "site area"));
  EXPECT_THAT(after({"fit", "'my table.csv'", "-t", "s"}), ElementsAre("size, net", "site area"));
  EXPECT_THAT(after({"fit", "\"my table.csv\"", "--ignore", "pr"}), ElementsAre("price"));
  EXPECT_THAT(after({"fit", "my\\ table.csv", "--ignore", "price,si"}), ElementsAre("price,site area"));
  EXPECT_THAT(after({"fit", "my\\ table.csv", "--ignore", "price,"}),
              ElementsAre("price,\"size, net\"", "price,site area"));
  EXPECT_THAT(after({"series", "fit", "my\\ table.csv", "--date", "pri"}), ElementsAre("price"));
  EXPECT_THAT(after({"fit", "none.csv", "--target", ""}), IsEmpty());
  EXPECT_THAT(after({"fit", "--target", "", "my\\ table.csv"}), ElementsAre("files"));
}

TEST_F(Completion, Studies) {
  EXPECT_THAT(after({"reproduce", "pol"}), ElementsAre("polynomial"));
  EXPECT_THAT(after({"reproduce", "uci", "--preset", ""}), ElementsAre("default", "paper"));
  EXPECT_THAT(after({"reproduce", "uci", "--", ""}), IsEmpty());
}

}  // namespace
}  // namespace mbnn
