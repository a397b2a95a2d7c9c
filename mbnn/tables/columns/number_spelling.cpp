#include "mbnn/tables/columns/number_spelling.h"

#include <algorithm>
#include <cmath>

#include "mbnn/tables/columns/cell.h"

namespace mbnn {

NumberSpelling::NumberSpelling(const DistinctTexts& cells, bool unit_optional) : unit_optional_(unit_optional) {
  std::vector<std::optional<WrittenNumber>> written;
  for (const std::string_view text : cells.texts) written.push_back(take_apart(text));
  choose_unit(cells, written);
  std::optional<std::size_t> with_comma, with_point;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::size_t count = cells.counts[i];
    bool number = unit_.empty() && parse_number(cells.texts[i]);
    plain_ += number ? count : 0;
    const std::string digits = written[i] && conforms(*written[i]) ? written[i]->digits : "";
    std::array<bool, 2> read{};  // with a decimal point, with a decimal comma
    for (std::size_t c = 0; c < conventions.size(); ++c) {
      if (!value_of_digits(digits, conventions[c].first, conventions[c].second)) continue;
      counts_[c] += count;
      read[conventions[c].first == ','] = number = true;
    }
    any_ += number ? count : 0;
    if (digits.empty()) continue;
    const bool point = digits.find('.') != digits.npos, comma = digits.find(',') != digits.npos;
    seen_[0] = seen_[0] || point;
    seen_[1] = seen_[1] || comma;
    if (point != comma && read[0] && read[1] && doubtful_.empty()) doubtful_ = cells.texts[i];
    if (point && !comma && !with_point) with_point = i;
    if (comma && !point && !with_comma) with_comma = i;
    if (digits.find_first_not_of("0123456789") == digits.npos) (digits.size() > 3 ? long_whole_ : small_whole_) = true;
  }
  best_ = std::max(plain_, *std::ranges::max_element(counts_));
  if (!possible('.') || !possible(','))
    doubtful_ = {};
  else if (with_comma && with_point)
    contradiction_ = {*with_comma, *with_point};
}

// The unit that most cells have; none if more have none.
void NumberSpelling::choose_unit(const DistinctTexts& cells, const std::vector<std::optional<WrittenNumber>>& written) {
  constexpr std::size_t most_units = 50;  // of more, none is that of the column
  std::vector<std::pair<std::string, std::size_t>> units;
  std::size_t without = 0;
  for (std::size_t i = 0; i < written.size() && units.size() <= most_units; ++i) {
    if (!written[i]) continue;
    const std::string& unit = written[i]->unit;
    if (unit.empty()) {
      without += written[i]->digits == "0" ? 0 : cells.counts[i];
      continue;
    }
    const auto known = std::ranges::find_if(units, [&](const auto& u) { return same_unit(u.first, unit); });
    if (known == units.end())
      units.emplace_back(unit, cells.counts[i]);
    else
      known->second += cells.counts[i];
  }
  const auto most = std::ranges::max_element(units, {}, &std::pair<std::string, std::size_t>::second);
  if (most != units.end() && (unit_optional_ || most->second > without)) unit_ = most->first;
}

bool NumberSpelling::conforms(const WrittenNumber& number) const {
  if (same_unit(number.unit, unit_)) return true;
  return number.unit.empty() && (unit_optional_ || number.digits.find_first_not_of("0.,") == number.digits.npos);
}

NumberSpelling::Clash NumberSpelling::clash(std::string_view text) const {
  const auto number = take_apart(text);
  if (!number) return Clash::none;
  if (conforms(*number))
    return std::ranges::any_of(
               conventions,
               [&](const auto& c) { return value_of_digits(number->digits, c.first, c.second).has_value(); })
               ? Clash::signs
               : Clash::none;
  if (!number->unit.empty() && !unit_.empty()) return Clash::none;
  const std::string& unit = unit_.empty() ? number->unit : unit_;
  return unit == "%" || is_currency(unit) ? Clash::unit : Clash::none;
}

// Plain numbers have a decimal point.
bool NumberSpelling::possible(char decimal) const {
  if (best_ == 0) return false;
  if (decimal == '.' && plain_ == best_) return true;
  for (std::size_t c = 0; c < conventions.size(); ++c)
    if (conventions[c].first == decimal && counts_[c] == best_) return true;
  return false;
}

NumberFormat NumberSpelling::format_of(char decimal) const {
  NumberFormat format;
  format.unit = unit_;
  format.unit_optional = unit_optional_ && !unit_.empty();
  format.decimal = decimal;
  if (decimal == '.' && unit_.empty() && plain_ == best_) return format;
  for (std::size_t c = conventions.size(); c-- > 0;)  // the first that explains the cells
    if (conventions[c].first == decimal && counts_[c] == best_) format.group = conventions[c].second;
  return format;
}

NumberSpelling::Choice NumberSpelling::choose(const Customs& customs) const {
  if (!possible(',')) return {format_of('.')};
  if (!possible('.')) return {format_of(',')};
  if (doubtful_.empty()) return {format_of('.')};  // no sign that could be either
  const auto point = [&](const char* why) { return Choice{format_of('.'), why, format_of(',')}; };
  const auto comma = [&](const char* why) { return Choice{format_of(','), why, format_of('.')}; };
  if (customs.decimal_commas != customs.decimal_points)
    return customs.decimal_commas ? comma("other columns have decimal commas")
                                  : point("other columns have decimal points");
  const bool money = is_currency(unit_);
  if (seen_[0])  // 1.234
    return money && customs.delimiter != ',' ? comma("it is money") : point("a point is rather decimal");
  if (money) return point("it is money");
  if (customs.delimiter == ',') return point("commas part the cells, too");
  if (small_whole_ && !long_whole_) return point("no number below 1000 has one");
  return comma("cells are not parted by commas");
}

}  // namespace mbnn
