// mbnn explain: which columns matter to a fit of a table, what each does, and what moved single predictions.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "apps/common/details.h"
#include "apps/mbnn/explanation.h"
#include "apps/mbnn/session.h"
#include "apps/mbnn/table_rows.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn::app {

namespace {

constexpr std::size_t kBackgroundRows = 100, kPairRows = 100, kPairCandidates = 4;
constexpr std::uint64_t kRowStream = std::uint64_t{1} << 41;

struct Arguments {
  RowArguments table;
  std::vector<std::size_t> rows;
  std::string label, out;
  std::size_t effects = 4, pairs = 2, shuffles = 10, sample = 500;
  double level = 0.95;
  std::optional<std::uint64_t> seed;
  std::optional<Format> format;
};

// Rows with targets, and those that --rows counts: of a table all its rows, whether or not they have one.
struct ExplainedRows {
  Dataset scored, listed;
};

ExplainedRows rows_of(const TableFit& fit, const Arguments& arguments, std::vector<std::string>& notes) {
  if (arguments.table.data.empty()) {
    Dataset training = stored_data(fit.file);
    return {training, training};
  }
  const Table table = read_later_table(fit.fitted, arguments.table);
  notes.insert(notes.end(), table.notes.begin(), table.notes.end());
  ExplainedRows rows;
  const Encoding& encoding = fit.fitted.encoding;
  rows.scored = encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
  std::vector<std::string> said;
  if (!arguments.rows.empty()) rows.listed = encoding.encode(table, Encoding::Needs::inputs, said);
  return rows;
}

// Of classes: the one named, the second of two, or the most frequent one.
std::size_t label_of(const Encoding& encoding, const Dataset& data, const std::string& asked) {
  const auto& labels = encoding.labels();
  if (encoding.task() == Task::regression) {
    if (!asked.empty()) throw OptionError("class", fmt::format(" = {}: the target is a number", asked));
    return 0;
  }
  if (!asked.empty()) {
    const auto found = std::ranges::find(labels, asked);
    if (found == labels.end())
      throw OptionError("class", fmt::format(" = {}: expected one of {}", asked, list_names(labels)));
    return static_cast<std::size_t>(found - labels.begin());
  }
  if (labels.size() == 2) return 1;
  std::vector<std::size_t> count(labels.size());
  for (const std::int32_t label : data.labels) ++count[static_cast<std::size_t>(label)];
  return static_cast<std::size_t>(std::ranges::max_element(count) - count.begin());
}

// The pairs of the strongest columns that do most together.
std::vector<PairEffect> strongest_pairs(const ColumnFunction& function, const std::vector<Importance>& importance,
                                        const Dataset& data, const Arguments& arguments) {
  std::vector<PairEffect> pairs;
  if (arguments.pairs == 0) return pairs;
  const std::size_t candidates = std::min(kPairCandidates, importance.size());
  for (std::size_t i = 0; i < candidates; ++i)
    for (std::size_t j = i + 1; j < candidates; ++j)
      pairs.push_back(
          pair_effect_of(function, importance[i].column, importance[j].column, data, {.level = arguments.level}));
  std::ranges::stable_sort(pairs, std::greater(), &PairEffect::strength);
  if (pairs.size() > arguments.pairs)
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(arguments.pairs), pairs.end());
  return pairs;
}

Explanation explained(const ColumnFunction& function, const ExplainedRows& rows, const Arguments& arguments,
                      std::uint64_t seed) {
  Explanation e;
  for (const auto& column : function.columns()) e.columns.push_back(column.name);
  for (const std::size_t row : arguments.rows)
    require_option(row >= 1 && row <= rows.listed.rows, "rows", row,
                   fmt::format("must be one of 1 to {}", rows.listed.rows));
  Rng rng(seed, kRowStream);
  const Dataset data = subset(rows.scored, sampled_rows(rows.scored.rows, arguments.sample, rng));
  const Dataset few = subset(data, sampled_rows(data.rows, kBackgroundRows, rng));
  e.rows = data.rows;
  e.shuffles = arguments.shuffles;
  e.score = log_score(function.fitted(), data, function.threads());
  e.importance = importance(function, data, arguments.shuffles, seed);
  for (std::size_t i = 0; i < std::min(arguments.effects, e.importance.size()); ++i)
    e.effects.push_back(effect_of(function, e.importance[i].column, data, {.level = arguments.level}));
  e.pairs = strongest_pairs(function, e.importance, few, arguments);
  for (const std::size_t row : arguments.rows)
    e.row_shares.push_back({row, attribution(function, rows.listed, row - 1, few, arguments.level, seed)});
  return e;
}

int explain(const Arguments& arguments, const Common& common) {
  if (arguments.format && arguments.out.empty()) throw OptionError("format", ": of use only with out");
  if (!arguments.table.data.empty()) refuse_swapped(arguments.table.fit, arguments.table.data);
  if (!arguments.out.empty()) refuse_input_as_output(arguments.out, {arguments.table.fit, arguments.table.data});
  std::vector<std::string> notes;
  const TableFit fit = read_fit(arguments.table.fit, notes);
  const ExplainedRows rows = rows_of(fit, arguments, notes);
  say(common, notes);
  const Encoding& encoding = fit.fitted.encoding;
  const std::size_t label = label_of(encoding, rows.scored, arguments.label);
  const ColumnFunction function(fit.fitted, label, common.thread_count());
  Explanation e = explained(function, rows, arguments, arguments.seed.value_or(fit.fitted.configuration.seed));
  e.prediction = encoding.task() == Task::regression
                     ? encoding.target()
                     : fmt::format("P({} = {})", encoding.target(), encoding.labels()[label]);
  if (!arguments.out.empty()) {
    OutputFile out(arguments.out);
    const auto lines = lines_of(e, format_of(arguments.format, arguments.out));
    for (const std::string& line : lines) out.print(line);
    out.place();
    out.report({{"file", arguments.out}, {"rows", lines.size() - 1}}, common);
    return good;
  }
  if (common.json)
    fmt::print("{}\n", to_json(e).dump(2));
  else
    print_explanation(e);
  return good;
}

OptionList options_of(Arguments& a) {
  OptionList options;
  options.group("Options");
  declare_fit(options, a.table.fit);
  options.add("data", a.table.data, "a table with inputs and target; the training rows, which the fit holds, otherwise")
      .kind("FILE")
      .positional()
      .known_as({"input", "table", "csv"});
  options.add("rows", a.rows, "what moved the predictions of these rows, counted from 1: 1,5")
      .kind("N,...")
      .basic()
      .known_as({"row", "shap", "shapley", "instance", "local", "attributions"});
  OptionValue label = value_of(a.label);
  label.show = [] { return "the second of two, else the most frequent"; };
  options.add("class", label, "of classes: the one whose probability is explained").kind("LABEL").basic();
  options.add("effects", a.effects, "of how many columns to show what they do, the most important first")
      .basic()
      .known_as({"partial-dependence", "pdp", "ale", "top"});
  options.add("pairs", a.pairs, "how many pairs of them, those that do most together")
      .basic()
      .known_as({"interactions"});
  options.add("shuffles", a.shuffles, "of each column, for its importance")
      .at_least(2)
      .basic()
      .known_as({"permutations", "repeats", "n-repeats"});
  options.add("sample", a.sample, "most rows to look at; the seed chooses them")
      .at_least(2)
      .basic()
      .known_as({"max-rows", "n-samples"});
  declare_interval(options, a.level, "share of the draws between lower and upper");
  options
      .add("seed", value_of(a.seed, "the fit's"), "of rows, shuffles and orders: the same seed gives the same numbers")
      .basic()
      .known_as({"random-state"});
  OptionValue out = value_of(a.out);
  out.show = [] { return "text on the standard output"; };
  out.parse = [&a](const std::string& text) {
    if (text.empty()) throw InputError("expected the name of a file");
    a.out = text == "-" ? kStandardOutput : text;
  };
  options.add("out", out, "a table of all numbers to write, a line for each")
      .kind("FILE")
      .letter('o')
      .basic()
      .known_as({"output", "save"});
  declare_format(options, a.format);
  declare_delimiter(options, a.table.delimiter);
  return options;
}

}  // namespace

void add_explain(CLI::App& app, Common& common, Action& action) {
  CLI::App& verb = add_verb<Arguments>(
      app, "explain", "which columns matter, what each does, and what moved single predictions", common, action,
      [](Arguments& a) { return options_of(a); }, explain);
  details_of(verb).known_as = {"importance", "importances", "shap",        "pdp",      "ale",
                               "interpret",  "effects",     "sensitivity", "attribute"};
  verb.footer("Example:\n  mbnn explain houses.mbnn sold.csv --rows 1,5");
}

}  // namespace mbnn::app
