#include "apps/mbnn/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mbnn::app {

namespace {

std::string shown(const std::string& cell) { return cell.empty() ? "(missing)" : cell; }

std::string shown(const Band& band) {
  return std::isnan(band.mean) ? "" : fmt::format("{:>10.4g} {:>10.4g} {:>10.4g}", band.mean, band.lower, band.upper);
}

nlohmann::ordered_json json_of(const Band& band) {
  if (std::isnan(band.mean)) return nullptr;
  return {{"mean", band.mean}, {"lower", band.lower}, {"upper", band.upper}};
}

void print_importance(const Explanation& e) {
  if (e.importance.empty()) return;
  fmt::print("mean log score of {} rows: {:.4f}; what it loses when a column is shuffled ({} times)\n", e.rows, e.score,
             e.shuffles);
  fmt::print("{:<20} {:>10} {:>10}\n", "column", "loss", "error");
  for (const Importance& i : e.importance)
    fmt::print("{:<20} {:>10.4f} {:>10.2g}\n", e.columns[i.column], i.loss, i.error);
}

void print_effects(const Explanation& e) {
  for (const Effect& effect : e.effects) {
    const bool local = std::ranges::any_of(effect.points, [](const auto& p) { return !std::isnan(p.local.mean); });
    fmt::print("\n{} by {}\n{:<16} {:>10} {:>10} {:>10}", e.prediction, e.columns[effect.column], "", "partial",
               "lower", "upper");
    fmt::print("{}\n", local ? fmt::format("  {:>10} {:>10} {:>10}", "local", "lower", "upper") : "");
    for (const EffectPoint& p : effect.points) {
      const std::string beside = shown(p.local);
      fmt::print("{:<16.16} {}{}\n", shown(p.cell), shown(p.partial), beside.empty() ? "" : "  " + beside);
    }
  }
  if (e.pairs.empty()) return;
  fmt::print("\n{:<34} {:>10}   (the effect of both is in the output of --out and --json)\n", "pair", "together");
  for (const PairEffect& pair : e.pairs)
    fmt::print("{:<34} {:>10.4g}\n", fmt::format("{} and {}", e.columns[pair.first], e.columns[pair.second]),
               pair.strength);
}

void print_rows(const Explanation& e) {
  for (const auto& [row, a] : e.row_shares) {
    fmt::print("\nrow {}: {} is {:.5g}; the mean is {:.5g}\n", row, e.prediction, a.prediction, a.mean);
    fmt::print("{:<20} {:<16} {:>10} {:>10} {:>10} {:>10}\n", "column", "cell", "moves by", "lower", "upper", "error");
    for (const ColumnShare& s : a.shares)
      fmt::print("{:<20} {:<16.16} {} {:>10.2g}\n", e.columns[s.column], shown(s.cell), shown(s.value), s.error);
  }
}

}  // namespace

void print_explanation(const Explanation& e) {
  print_importance(e);
  print_effects(e);
  print_rows(e);
}

nlohmann::ordered_json to_json(const Explanation& e) {
  nlohmann::ordered_json json{{"prediction", e.prediction}, {"n", e.rows}};
  if (!e.importance.empty()) json["log_score"] = e.score;
  for (const char* part : {"importance", "effects", "pairs", "rows"}) json[part] = nlohmann::ordered_json::array();
  for (const Importance& i : e.importance)
    json["importance"].push_back({{"column", e.columns[i.column]}, {"loss", i.loss}, {"error", i.error}});
  for (const Effect& effect : e.effects) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const EffectPoint& p : effect.points)
      points.push_back({{"cell", p.cell}, {"partial", json_of(p.partial)}, {"local", json_of(p.local)}});
    json["effects"].push_back({{"column", e.columns[effect.column]}, {"points", points}});
  }
  for (const PairEffect& pair : e.pairs) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const PairPoint& p : pair.points)
      points.push_back({{"cells", {p.first, p.second}}, {"partial", json_of(p.partial)}});
    json["pairs"].push_back({{"columns", {e.columns[pair.first], e.columns[pair.second]}},
                             {"together", pair.strength},
                             {"points", points}});
  }
  for (const auto& [row, a] : e.row_shares) {
    nlohmann::ordered_json shares = nlohmann::ordered_json::array();
    for (const ColumnShare& s : a.shares) {
      nlohmann::ordered_json share{{"column", e.columns[s.column]}, {"cell", s.cell}, {"value", s.value.mean}};
      share.update({{"lower", s.value.lower}, {"upper", s.value.upper}, {"error", s.error}});
      shares.push_back(share);
    }
    json["rows"].push_back({{"row", row}, {"prediction", a.prediction}, {"mean", a.mean}, {"columns", shares}});
  }
  return json;
}

std::vector<std::string> lines_of(const Explanation& e, Format kind) {
  const RowFormat format(kind,
                         {"what", "row", "column", "cell", "column2", "cell2", "value", "lower", "upper", "error"});
  std::vector<std::string> lines{format.header()};
  struct Place {
    std::string row, column, cell, column2, cell2;
  };
  const auto add = [&](const char* what, const Place& place, const Band& band, double error) {
    RowFormat::Line line(format);
    line.add(std::string_view(what));
    for (const std::string* text : {&place.row, &place.column, &place.cell, &place.column2, &place.cell2})
      line.add(*text);
    for (const double number : {band.mean, band.lower, band.upper, error}) line.add(number);
    lines.push_back(line.finish());
  };
  const double none = std::nan("");
  for (const Importance& i : e.importance)
    add("importance", {"", e.columns[i.column], "", "", ""}, {i.loss, none, none}, i.error);
  for (const Effect& effect : e.effects)
    for (const EffectPoint& p : effect.points) {
      add("partial", {"", e.columns[effect.column], p.cell, "", ""}, p.partial, none);
      if (!std::isnan(p.local.mean)) add("local", {"", e.columns[effect.column], p.cell, "", ""}, p.local, none);
    }
  for (const PairEffect& pair : e.pairs) {
    add("together", {"", e.columns[pair.first], "", e.columns[pair.second], ""}, {pair.strength, none, none}, none);
    for (const PairPoint& p : pair.points)
      add("pair", {"", e.columns[pair.first], p.first, e.columns[pair.second], p.second}, p.partial, none);
  }
  for (const auto& [row, a] : e.row_shares) {
    const std::string number = std::to_string(row);
    add("prediction", {number, "", "", "", ""}, {a.prediction, none, none}, none);
    add("mean", {number, "", "", "", ""}, {a.mean, none, none}, none);
    for (const ColumnShare& s : a.shares) add("share", {number, e.columns[s.column], s.cell, "", ""}, s.value, s.error);
  }
  return lines;
}

}  // namespace mbnn::app
