// mbnn series from the command line: columns, modes, refusals, and the same bits after kills.
#include "tests/support/program.h"

namespace mbnn {
namespace {

// A level that drifts, a weekly pattern, and a kink in `heat`; row 40 has no target.
std::string daily_table(std::size_t rows = 120) {
  Rng rng(31, 0);
  std::string text = "day,heat,rain,visits\n";
  double level = 50;
  const int lengths[] = {31, 28, 31, 30, 31, 30};
  std::size_t month = 0;
  int day = 0;
  for (std::size_t t = 0; t < rows; ++t) {
    if (++day > lengths[month]) day = 1, ++month;
    level += 0.3 * rng.normal();
    const double heat = rng.normal(), rain = rng.uniform();
    const double y = level + 4 * std::max(0.0, heat) - 2 * rain + (t % 7 == 5 ? 6 : 0) + 0.3 * rng.normal();
    text += fmt::format("2021-{:02}-{:02},{:.4f},{:.4f},{}\n", month + 1, day, heat, rain,
                        t == 40 ? std::string() : fmt::format("{:.4f}", y));
  }
  return text;
}

const std::string kFit = "series fit d.csv --target visits --date day --season 7 --train-rows 90";

class SeriesCommands : public CommandLine {
 protected:
  void SetUp() override { write("d.csv", daily_table()); }
};

TEST_F(SeriesCommands, EveryRegressionForecastsEvaluatesAndHasAnImpact) {
  for (const std::string regression : {"none", "linear", "bnn", "mbnn"}) {
    SCOPED_TRACE(regression);
    run_well(tiny(kFit + " --out s.mbnn -q --force --regression " + regression));
    const Ended scored = run("series evaluate s.mbnn d.csv --json -q");
    ASSERT_EQ(scored.code, 0) << scored.err;
    const auto json = nlohmann::json::parse(scored.out);
    for (const char* mode : {"forecast", "nowcast"}) {
      EXPECT_EQ(json.at(mode).at("n"), 30);
      for (const char* figure : {"rmse", "nll", "crps", "coverage"}) EXPECT_TRUE(json.at(mode).at(figure).is_number());
    }
    for (const std::string mode : {"forecast", "nowcast"}) {
      run_well("series forecast s.mbnn d.csv -q --out p.csv --mode " + mode);
      const auto rows = lines(read("p.csv"));
      ASSERT_EQ(rows.size(), 31u);
      EXPECT_EQ(rows[0], "date,mean,sd,lower,upper,trend,trend_lower,trend_upper,season7,season7_lower,season7_upper" +
                             std::string(regression == "none" ? "" : ",regression,regression_lower,regression_upper"));
      EXPECT_TRUE(rows[1].starts_with("2021-04-01,")) << rows[1];
    }
    run_well("series forecast s.mbnn d.csv -q --out p.csv --with-training");
    EXPECT_EQ(lines(read("p.csv")).size(), 121u);
    const Ended effect = run("series impact s.mbnn d.csv --from 2021-04-10 --json -q --out i.csv");
    ASSERT_EQ(effect.code, 0) << effect.err;
    EXPECT_EQ(nlohmann::json::parse(effect.out).at("rows"), 21);
    EXPECT_EQ(lines(read("i.csv")).size(), 22u);
    EXPECT_EQ(run("summary s.mbnn").code, 0);
    const Ended diagnosis = run("diagnose s.mbnn");
    EXPECT_TRUE(diagnosis.code == 0 || diagnosis.code == 3) << diagnosis.err;
    EXPECT_THAT(diagnosis.out, AllOf(HasSubstr("level_sd"), HasSubstr("season7_sd")));
  }
}

TEST_F(SeriesCommands, SaysWhatItDidWithTheRows) {
  const Ended ended = run(tiny(kFit + " --out s.mbnn"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("one step of the series is 1 day"),
                               HasSubstr("90 rows are for training, up to 2021-03-31"),
                               HasSubstr("1 of 90 training rows have no target 'visits': treated as missing")));
  EXPECT_THAT(ended.out, HasSubstr("mbnn series forecast s.mbnn NEW.csv"));
}

TEST_F(SeriesCommands, HelpOffersNothingThatIsRefused) {
  const Ended help = run("series fit --help-all");
  EXPECT_EQ(help.code, 0);
  for (const char* absent : {"sgld", "sghmc", "validate", "--batch", "--method", "--task", "--missing", "--truncate"})
    EXPECT_THAT(help.out, Not(HasSubstr(absent)));
}

TEST_F(SeriesCommands, RefusesWhatCannotBeASeries) {
  write("gap.csv",
        "day,x,y\n2021-01-01,1,2\n2021-01-02,,3\n2021-01-03,3,5\n2021-01-04,1,5\n2021-01-05,2,5\n2021-01-06,0,4\n");
  const std::string fit = " --target y --date day --out s.mbnn -q";
  expect_refused("series fit gap.csv" + fit, {"gap.csv, line 3, column 'x': the cell is missing"});
  write("alone.csv", "ds,y\n2021-01-01,2\n2021-01-02,3\n2021-01-03,5\n2021-01-04,5\n2021-01-05,4\n");
  expect_refused("series fit alone.csv --target y --regression linear --out s.mbnn -q",
                 {"no columns beside the date and the target 'y'", "regression none fits the series by itself"});
  expect_refused("series fit alone.csv --target y --date ds --out s.mbnn --masks off", {"did you mean --regression?"});
  write("twice.csv", "day,x,y\n2021-01-01,1,2\n2021-01-01,2,3\n");
  expect_refused("series fit twice.csv" + fit, {"line 3", "is the same date as"});
  expect_refused(kFit + " --out s.mbnn --date dya", {"--date is given more than once"});
  expect_refused(kFit + " --out s.mbnn --ignore day", {"--ignore = day: it is the column of dates"});
  expect_refused("series fit d.csv --target visits --date dayy --out s.mbnn",
                 {"no column 'dayy'", "did you mean 'day'?"});
  expect_refused(kFit + " --out s.mbnn --season 1", {"--season = 7,1: a period must be from 2"});
  expect_refused(kFit + " --out s.mbnn --season 7", {"--season = 7,7: the period is given twice"});
  expect_refused(kFit + " --out s.mbnn --level-variance 3",
                 {"--level-variance = 3: expected SHAPE:RATE or fixed:VALUE"});
  expect_refused(kFit + " --out s.mbnn --damping 0.9", {"--damping: of use only with trend damped"});
  expect_refused(kFit + " --out s.mbnn --slope-variance 1:1", {"--slope-variance: of use only with trend linear"});
  expect_refused(kFit + " --out s.mbnn --regression linear --hidden 7",
                 {"--hidden: of use only with regression mbnn or bnn"});
  expect_refused(kFit + " --out s.mbnn --regression linear --weight-prior cauchy:5",
                 {"--weight-prior: of use only with regression mbnn or bnn"});
  expect_refused(kFit + " --out s.mbnn --regression bnn --lambda auto", {"--lambda: of use only with regression mbnn"});
  expect_refused(kFit + " --out s.mbnn --regression bnn --mask-moves 9",
                 {"--mask-moves: of use only with regression mbnn"});
  write("far.csv", "t,x,y\n1,1,2\n2,4,3\n3,1,2\n10000000000000,2,3\n");
  expect_refused("series fit far.csv --target y --date t --out s.mbnn -q", {"far.csv, line 5", "is the date right?"});
  expect_refused(kFit + " --out s.mbnn --train-until 2021-02-01", {"give one of them"});
  expect_refused(kFit + " --out s.mbnn --sampler sgld", {"--sampler = sgld: expected hmc or nuts"});
  expect_refused(kFit + " --out s.mbnn --lambda validate",
                 {"--lambda = validate: rows of a series cannot be held out"});
  expect_refused("series fit d.csv --target visits --date day --train-rows 900 --out s.mbnn", {"--train-rows = 900"});
  run_well(tiny(kFit + " --regression linear --out s.mbnn -q"));
  expect_refused("predict s.mbnn d.csv --out p.csv", {"is the fit of a series"});
  expect_refused("series impact s.mbnn d.csv --from 2021-03-01", {"--from", "trained on"});
  write("later.csv", "day,heat,rain\n2021-04-01,1,0.5\n2021-04-02,,0.5\n");
  expect_refused("series forecast s.mbnn later.csv --out p.csv", {"later.csv, line 3, column 'heat'"});
  write("later.csv", "day,heat,rain\n2021-04-01,1,0.5\n2021-04-02,0,0.5\n");
  expect_refused("series forecast s.mbnn later.csv --mode nowcast --out p.csv", {"no column 'visits'"});
  run_well("series forecast s.mbnn later.csv --out p.csv -q");
  fit_regression();
  expect_refused("series forecast r.mbnn d.csv --out p.csv", {"is the fit of a table"});
}

// Caught: read as numbers, 2019.10 became 2019.1, January.
TEST_F(SeriesCommands, DatesAreReadAsTheyAreWritten) {
  for (const std::string form : {"{}.{:02}", "{}{:02}", "{}{:02}.0"}) {
    std::string text = "month,x,y\n";
    for (int t = 0; t < 30; ++t)
      text += fmt::format(fmt::runtime(form + ",{},{}\n"), 2019 + t / 12, 1 + t % 12, t * 7 % 5, t * 3 % 7);
    write("m.csv", text);
    const Ended fit = run(
        tiny("series fit m.csv --target y --date month --season 12 --regression linear --train-rows 24 --out m.mbnn "
             "--force"));
    ASSERT_EQ(fit.code, 0) << fit.err;
    EXPECT_THAT(fit.err, AllOf(HasSubstr("one step of the series is 1 month"), HasSubstr("24 steps")));
    run_well("series evaluate m.mbnn m.csv -q");
  }
}

// A table of dates and targets alone, as people bring it.
std::string monthly_table(std::size_t rows, std::size_t future, const std::string& separator = "-") {
  Rng rng(8, 0);
  std::string text = "ds,y\n";
  for (std::size_t t = 0; t < rows + future; ++t) {
    const double y = 20 + 5 * std::cos(0.5236 * static_cast<double>(t)) + rng.normal();
    text += fmt::format("{}{}{:02}{}01,{}\n", 2015 + t / 12, separator, 1 + t % 12, separator,
                        t < rows ? fmt::format("{:.4f}", y) : std::string());
  }
  return text;
}

const std::string kAlone = " --target y --season 12 --chains 1 --warmup 20 --draws 10 --thin 1 --force --seed 3 --out ";

TEST_F(SeriesCommands, DatesAndTargetsAloneAreEnough) {
  write("m.csv", monthly_table(30, 0));
  const Ended fit = run("series fit m.csv" + kAlone + "m.mbnn");
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.err, AllOf(HasSubstr("column 'ds' holds the dates"), HasSubstr("one step of the series is 1 month"),
                             HasSubstr("regression is none")));
  EXPECT_THAT(fit.out, HasSubstr("mbnn series forecast m.mbnn --horizon 30"));
  const Ended next = run("series forecast m.mbnn --horizon 3 -q");
  ASSERT_EQ(next.code, 0) << next.err;
  const auto rows = lines(next.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[1].starts_with("2017-07-01,")) << rows[1];
  EXPECT_TRUE(rows[3].starts_with("2017-09-01,")) << rows[3];
  // A table of the same dates says the same; so does a far date alone.
  write("next.csv", "ds\n2017-07-01\n2017-08-01\n2017-09-01\n");
  EXPECT_EQ(run("series forecast m.mbnn next.csv -q").out, next.out);
  write("next.csv", "ds\n2017-09-01\n");
  EXPECT_EQ(lines(run("series forecast m.mbnn next.csv -q").out)[1], rows[3]);
  EXPECT_EQ(lines(run("series forecast m.mbnn --horizon 3 --with-training -q").out).size(), 34u);
  EXPECT_EQ(run("summary m.mbnn").code, 0);

  // Chains are short where there is no network; what is given stands, even if it is what is usual elsewhere.
  EXPECT_THAT(run("series fit m.csv --target y --force --out s.mbnn").err, HasSubstr("4 chains of 100 + 100 x 1"));
  EXPECT_THAT(
      run("series fit m.csv --target y --force --out s.mbnn --regression none --chains 1 --thin 10 --warmup 20").err,
      HasSubstr("1 chains of 20 + 100 x 10"));

  expect_refused("series forecast m.mbnn", {"no rows behind its last target", "--horizon N"});
  expect_refused("series forecast m.mbnn next.csv --horizon 3", {"give the number of steps or a table"});
  expect_refused("series forecast m.mbnn --horizon 3 --mode nowcast", {"--mode nowcast", "needs a table"});
  expect_refused("series forecast m.mbnn --horizon 3000", {"3000 steps of 1 month after the training", "2017-06-01"});
  expect_refused("series forecast m.mbnn --regressor-forecast last", {"of use only with a horizon"});
  write("next.csv", "ds\n2971-09-01\n");
  expect_refused("series forecast m.mbnn next.csv", {"next.csv, line 2", "'2971-09-01' is 11451 steps of 1 month"});
  write("next.csv", "ds\n10/02/2017\n");
  expect_refused("series forecast m.mbnn next.csv", {"line 2", "may be day/month or month/day", "2021-03-04"});
}

std::string hourly_table(std::size_t rows) {
  Rng rng(6, 0);
  std::string text = "ds,y\n";
  for (std::size_t t = 0; t < rows; ++t)
    text += fmt::format("2024-{:02}-{:02} {:02}:00,{:.3f}\n", 1 + t / 24 / 28, 1 + t / 24 % 28, t % 24,
                        10 + 3 * std::sin(0.2618 * static_cast<double>(t)) + rng.normal());
  return text;
}

TEST_F(SeriesCommands, SeasonsAreProposedByTheCalendar) {
  const std::string rest = " --target y --chains 1 --warmup 5 --draws 4 --thin 1 --force --out m.mbnn --season ";
  write("m.csv", monthly_table(30, 0));
  const Ended month = run("series fit m.csv" + rest + "auto");
  EXPECT_EQ(month.code, 0) << month.err;
  EXPECT_THAT(month.err, HasSubstr("seasons of steps of 1 month: 12"));
  EXPECT_THAT(lines(run("series forecast m.mbnn --horizon 1 -q").out)[0], HasSubstr(",season12,"));
  EXPECT_THAT(run("series fit m.csv" + rest + "5").err, Not(HasSubstr("season auto")));
  EXPECT_THAT(run("series fit m.csv --target y --chains 1 --warmup 5 --draws 4 --thin 1 --force --out m.mbnn").err,
              HasSubstr("no season is given; season auto would take 12"));
  write("h.csv", hourly_table(24 * 16));
  const Ended hour = run("series fit h.csv" + rest + "auto");
  EXPECT_EQ(hour.code, 0) << hour.err;
  EXPECT_THAT(hour.err, AllOf(HasSubstr("seasons of steps of 1 hour: 24,168:fourier=10"),
                              HasSubstr("left out, for they are longer than half"), HasSubstr("8766:fourier=10")));
  run_well("series forecast m.mbnn --horizon 24 --with-training -q --out f.csv");
  EXPECT_THAT(lines(read("f.csv"))[0], AllOf(HasSubstr(",season24,"), HasSubstr(",season168,")));
  EXPECT_EQ(lines(read("f.csv")).size(), 1 + 24 * 16 + 24u);
  expect_refused("series fit m.csv" + rest + "31", {"--season = 31", "longer than the 30 steps"});
  expect_refused("series fit m.csv" + rest + "7:fourier=4", {"at most half of the period"});
  expect_refused("series fit m.csv" + rest + "auto --season 7", {"auto stands alone"});
  expect_refused("series fit m.csv" + rest + "weekly", {"--season = weekly", "expected a number of steps such as 7"});
}

// Rows without a target at the end: they change no draw, and are what is forecast.
TEST_F(SeriesCommands, RowsWithoutTargetsAtTheEndAreTheFuture) {
  write("whole.csv", monthly_table(30, 0));
  write("more.csv", monthly_table(30, 5));
  run_well("series fit whole.csv -q" + kAlone + "whole.mbnn");
  const Ended fit = run("series fit more.csv" + kAlone + "more.mbnn");
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.err, AllOf(HasSubstr("the last 5 rows have no target"), HasSubstr("from 2017-07-01 on"),
                             Not(HasSubstr("treated as missing"))));
  EXPECT_TRUE(same_draws(stored_draws(path("more.mbnn")), stored_draws(path("whole.mbnn"))));
  const Ended future = run("series forecast more.mbnn -q");
  EXPECT_EQ(lines(future.out).size(), 6u);
  EXPECT_EQ(future.out, run("series forecast whole.mbnn --horizon 5 -q").out);
  EXPECT_EQ(future.out, run("series forecast more.mbnn more.csv -q").out);
}

// Their regressors are in the fit; those of later steps have to come from somewhere.
TEST_F(SeriesCommands, FutureRegressorsAreAskedFor) {
  std::string text = "day,heat,visits\n";
  Rng rng(5, 0);
  for (int t = 0; t < 60; ++t) {
    const double heat = rng.normal();
    text += fmt::format("{:02}/01/2021,{:.3f},{}\n", t + 1, heat, t < 28 ? fmt::format("{:.3f}", 3 * heat) : "");
    if (t == 29) break;
  }
  write("r.csv", text);
  const Ended fit =
      run("series fit r.csv --target visits --regression linear --chains 1 --warmup 20 --draws 10 --thin 1 "
          "--out r.mbnn");
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.err, AllOf(HasSubstr("column 'day' holds the dates"), HasSubstr("read as day, month, year")));
  EXPECT_EQ(lines(run("series forecast r.mbnn -q").out).size(), 3u);
  EXPECT_EQ(lines(run("series forecast r.mbnn --horizon 2 -q").out).size(), 3u);
  expect_refused("series forecast r.mbnn --horizon 4",
                 {"--horizon = 4", "regressors (heat)", "for 2 of these steps", "regressor-forecast last or mean"});
  const auto last = lines(run("series forecast r.mbnn --horizon 4 --regressor-forecast last -q").out),
             mean = lines(run("series forecast r.mbnn --horizon 4 --regressor-forecast mean -q").out);
  ASSERT_EQ(last.size(), 5u);
  ASSERT_EQ(mean.size(), 5u);
  EXPECT_EQ(last[2], mean[2]);  // known
  EXPECT_NE(last[3], mean[3]);
  // A table whose dates cannot be told.
  write("two.csv", "a,b,y\n2021-01-01,2022-01-01,1\n2021-01-02,2022-01-02,2\n2021-01-03,2022-01-03,4\n");
  expect_refused("series fit two.csv --target y --out t.mbnn", {"--date", "'a' and 'b'", "both hold dates"});
  write("no.csv", "a,b,y\n1,4,1\n3,2,2\n2,9,4\n");
  expect_refused("series fit no.csv --target y --out t.mbnn", {"--date", "no column of no.csv holds dates"});
}

class SeriesCrash : public SeriesCommands {};

TEST_F(SeriesCrash, KilledAndResumedEqualsUndisturbed) {
  for (const std::string model : {"--regression linear --trend linear --draws 150 --thin 6",
                                  "--regression mbnn --trend damped --damping learn --draws 80 --thin 4"}) {
    SCOPED_TRACE(model);
    const std::string fit = tiny(kFit + " -q --force --threads 1 --warmup 100 " + model);
    const double seconds = seconds_of([&] { run_well(fit + " --out whole.mbnn"); });
    const auto whole = stored_draws(path("whole.mbnn"));
    int killed = 0;
    Rng rng(3, 0);
    for (int round = 0; round < 6; ++round) {
      const bool begun = exists("s.mbnn") && run("summary s.mbnn").code == 0;
      Running program(directory(), words(begun ? "resume s.mbnn -q" : fit + " --out s.mbnn"));
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds * (0.05 + 0.5 * rng.uniform())));
      program.send(SIGKILL);
      killed += program.wait().signal == SIGKILL;
    }
    EXPECT_GE(killed, 1);
    if (exists("s.mbnn") && run("summary s.mbnn").code == 0)
      run_well("resume s.mbnn -q");
    else
      run_well(fit + " --out s.mbnn");
    EXPECT_TRUE(same_draws(stored_draws(path("s.mbnn")), whole));
    std::filesystem::remove(path("s.mbnn"));
  }
}

}  // namespace
}  // namespace mbnn
