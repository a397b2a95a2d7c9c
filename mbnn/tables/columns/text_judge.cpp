#include "mbnn/tables/columns/text_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {
namespace {

// Numbers or dates of so few values beside other texts are rather names of categories: 0, 1, 2, 3+.
constexpr std::size_t few_values = 10;
// Up to one cell in so many may be no number of a column of numbers, and is missing then.
constexpr std::size_t stray_share = 20;
// Beyond one in so many, texts that all differ are codes rather than slips.
constexpr std::size_t slip_share = 5;

// Whether texts from everywhere in a long column are neither numbers nor dates, so that most of them are not.
bool sampled_words(const DistinctTexts& cells) {
  constexpr std::size_t sample = 200;
  if (cells.texts.size() <= 10 * sample) return false;
  for (std::size_t i = 0; i < sample; ++i) {
    const std::string_view text = cells.texts[i * cells.texts.size() / sample];
    if (take_apart(text) || parse_number(text) || parse_moment(text, DayOrder::day_first) ||
        parse_moment(text, DayOrder::month_first) || parse_time_of_day(text))
      return false;
  }
  return true;
}

bool all_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

}  // namespace

TextJudge::TextJudge(std::string path, std::string column, DistinctTexts cells, std::optional<ColumnKind> wanted)
    : path_(std::move(path)),
      name_(std::move(column)),
      cells_(std::move(cells)),
      wanted_(wanted),
      all_(std::accumulate(cells_.counts.begin(), cells_.counts.end(), std::size_t{0})),
      words_(sampled_words(cells_)),
      numbers_(words_ ? DistinctTexts() : cells_, wanted == ColumnKind::numeric) {
  if (words_ || (numbers_.cells() == all_ && wanted_ != ColumnKind::date)) return;
  dates_ = DateTally::of(cells_.texts, cells_.counts);
  for (std::size_t i = 0; i < cells_.texts.size(); ++i)
    if (parse_time_of_day(cells_.texts[i])) clock_ += cells_.counts[i];
}

std::string TextJudge::place(std::size_t text) const {
  return fmt::format("{}, line {}, column '{}'", path_, cells_.lines[text], name_);
}

bool TextJudge::dated() const {
  if (wanted_) return wanted_ == ColumnKind::date;
  const std::size_t dates = std::max(dates_.most(), clock_);
  return dates > numbers_.cells() && 2 * dates > all_;
}

bool TextJudge::numeric() const {
  if (wanted_) return wanted_ == ColumnKind::numeric;
  return 2 * numbers_.cells() > all_ && !dated() && !codes();
}

// Two digits (01 to 12) are months, days and hours, which are numbers.
bool TextJudge::codes() const {
  bool leading_zero = false;
  if (wanted_ || 2 * numbers_.cells() <= all_) return false;
  for (std::string_view text : cells_.texts) {
    if (all_digits(text))
      leading_zero = leading_zero || is_code(text);
    else if (parse_number(text))
      return false;
  }
  return leading_zero;
}

TextJudge::Verdict TextJudge::categories(std::string note) const {
  Verdict verdict;
  verdict.note = std::move(note);
  return verdict;
}

TextJudge::Verdict TextJudge::judge(const Customs& customs) const {
  if (dated()) return read_dates(customs);
  if (numeric()) return read_numbers(customs);
  if (!codes()) return categories();
  const auto code = std::ranges::find_if(cells_.texts, [](std::string_view text) { return is_code(text); });
  return categories(fmt::format("'{}' is read as categories, for cells such as '{}' begin with a zero", name_, *code));
}

TextJudge::Verdict TextJudge::read_numbers(const Customs& customs) const {
  if (const auto& two = numbers_.contradiction()) {
    const auto [comma, point] = *two;
    throw InputError(fmt::format(
        "{}, column '{}': line {} has a comma ('{}') and line {} a point ('{}'), and each may be decimal or "
        "part thousands; write all numbers one way",
        path_, name_, cells_.lines[comma], cells_.texts[comma], cells_.lines[point], cells_.texts[point]));
  }
  const NumberSpelling::Choice choice = numbers_.choose(customs);
  Verdict verdict;
  verdict.kind = ColumnKind::numeric;
  verdict.form.number = choice.format;
  std::string_view example;  // the first that is not written as programs do
  std::size_t example_line = 0;
  bool example_plain = true;
  for (std::size_t i = 0; i < cells_.texts.size(); ++i) {
    std::string_view text = cells_.texts[i];
    auto value = choice.format.read(text);
    if (value && std::isinf(*value)) throw InputError(infinite_cell(place(i), text));
    if (value && std::isnan(*value)) value.reset();
    const bool plain = parse_number(text).has_value();
    if (value &&
        (example.empty() || plain < example_plain || (plain == example_plain && cells_.lines[i] < example_line))) {
      example = text;
      example_line = cells_.lines[i];
      example_plain = plain;
    }
    verdict.values.push_back(value);
  }
  refuse_clash(verdict, example);
  if (!choice.doubt.empty()) example = numbers_.doubtful_text();
  if (!example.empty() && !(choice.format.plain() && parse_number(example)))
    verdict.note = fmt::format("'{}': '{}' is read as {}", name_, example, format_number(*choice.format.read(example)));
  if (!choice.doubt.empty())
    verdict.note = fmt::format("'{}': '{}' is read as {} and not as {}, since {}", name_, example,
                               format_number(*choice.format.read(example)), format_number(*choice.other.read(example)),
                               choice.doubt);
  return with_strays(std::move(verdict), "number");
}

void TextJudge::refuse_clash(const Verdict& verdict, std::string_view example) const {
  for (std::size_t i = 0; i < cells_.texts.size(); ++i) {
    if (verdict.values[i]) continue;
    const auto clash = numbers_.clash(cells_.texts[i]);
    if (clash == NumberSpelling::Clash::none) continue;
    throw InputError(fmt::format(
        "{}: '{}' is a number, but not written as '{}' and others: {}", place(i), cells_.texts[i], example,
        clash == NumberSpelling::Clash::signs ? "its points or commas contradict them; write all numbers one way"
                                              : fmt::format("one has a unit and the other none; write it everywhere, "
                                                            "or give type {0}=number if all are in that unit, "
                                                            "or type {0}=category",
                                                            name_)));
  }
}

DayOrder TextJudge::settled_order(const Customs& customs) const {
  if (dates_.doubtful()) return customs.order;
  const auto month_of_digits = [](std::string_view text) {
    const auto count = parse_moment(text, DayOrder::unknown), month = parse_moment(text, DayOrder::year_month);
    return count && count->kind == Moment::Kind::count && month->kind == Moment::Kind::month;
  };
  if (dates_.most() == 0 && std::ranges::all_of(cells_.texts, month_of_digits)) return DayOrder::year_month;
  return dates_.order();
}

TextJudge::Verdict TextJudge::read_dates(const Customs& customs) const {
  Verdict verdict;
  verdict.kind = ColumnKind::date;
  verdict.form.date.clock = clock_ > dates_.most();
  if (!verdict.form.date.clock) verdict.form.date.order = settled_order(customs);
  if (!verdict.form.date.clock && dates_.doubtful()) {
    const auto text = std::ranges::find_if(cells_.texts, [](std::string_view cell) {
      return !parse_moment(cell, DayOrder::unknown) && parse_moment(cell, DayOrder::day_first);
    });
    if (customs.order == DayOrder::unknown) {
      const std::string why =
          fmt::format("'{}' may be day/month or month/day, and no other cell tells; write dates as 2021-03-04", *text);
      if (wanted_) throw InputError(fmt::format("{}, column '{}': {}", path_, name_, why));
      verdict.usable = false;
      verdict.note = fmt::format("'{}' is left out: {}", name_, why);
      return verdict;
    }
    verdict.note = fmt::format("'{}': the {} of '{}' comes first, as in other columns", name_,
                               customs.order == DayOrder::day_first ? "day" : "month", *text);
  }
  for (std::string_view text : cells_.texts) verdict.values.push_back(verdict.form.date.read(text));
  return with_strays(std::move(verdict), "date");
}

TextJudge::Verdict TextJudge::with_strays(Verdict verdict, const char* what) const {
  std::size_t cells = 0, texts = 0, first = cells_.texts.size();
  for (std::size_t i = 0; i < cells_.texts.size(); ++i) {
    cells += verdict.values[i] ? cells_.counts[i] : 0;
    texts += verdict.values[i] ? 1 : 0;
    if (!verdict.values[i] && (first == cells_.texts.size() || cells_.lines[i] < cells_.lines[first])) first = i;
  }
  if (texts == cells_.texts.size()) return verdict;
  if (wanted_)
    throw InputError(fmt::format("{}: '{}' is not a {}, but the column was named as {}", place(first),
                                 cells_.texts[first], what,
                                 wanted_ == ColumnKind::numeric ? "numeric" : "one of dates"));
  const std::size_t strays = all_ - cells;
  if (texts > few_values) {
    if (strays == 1 || stray_share * strays <= all_) return verdict;
    if (slip_share * strays <= all_ || cells_.texts.size() - texts <= few_values)
      throw InputError(fmt::format(
          "{}: '{}' is not a {}, nor are {} of the {} cells that should be: correct them or write NA, give type "
          "{}=category if they name categories, or leave the column out with ignore {}",
          place(first), cells_.texts[first], what, strays, all_, name_, name_));
  }
  return categories(
      fmt::format("column '{}' is read as categories because of '{}' on line {}, although {} of its {} cells are "
                  "{}s: correct {}, or write NA, if it should be {}",
                  name_, cells_.texts[first], cells_.lines[first], cells, all_, what,
                  strays == 1 ? "that cell" : fmt::format("the other {}", strays),
                  verdict.kind == ColumnKind::numeric ? "numeric" : "one of dates"));
}

}  // namespace mbnn
