#include "mbnn/series/season.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

constexpr double kLongFree = 31;         // steps of a pattern that is free at each of them, if nothing is said
constexpr std::size_t kUsualWaves = 10;  // as Prophet's year

constexpr const char* kExpected = "a number of steps such as 7, with :fourier=N or :free behind it or not, or auto";

bool whole(double period) { return period == std::floor(period); }

std::size_t usual_waves(double period) {
  return std::clamp<std::size_t>(static_cast<std::size_t>((period - 1) / 2), 1, kUsualWaves);
}

// Free where that is short, else waves.
Season usual(double period) {
  if (whole(period) && period <= kLongFree) return Season(static_cast<std::size_t>(period));
  return {period, usual_waves(period)};
}

double rounded(double period) { return std::round(period * 100) / 100; }

}  // namespace

std::string Season::length() const { return fmt::format("{}", period); }

std::string Season::text() const {
  if (proposed()) return "auto";
  if (waves > 0) return fmt::format("{}:fourier={}", length(), waves);
  return period <= kLongFree ? length() : length() + ":free";
}

Season Season::parse(const std::string& text) {
  return expecting(kExpected, [&] {
    if (text == "auto") return Season();
    const auto colon = text.find(':');
    const double period = parse_real(text.substr(0, colon));
    if (!(period >= 1 && period <= 1e9)) return Season(std::size_t{1});  // refused by its bound
    if (colon == text.npos) return usual(period);
    const std::string form = text.substr(colon + 1);
    if (form == "free" && whole(period)) return Season(static_cast<std::size_t>(period));
    if (!form.starts_with("fourier=")) throw InputError("");
    const auto waves = static_cast<std::size_t>(parse_count(form.substr(8)));
    if (waves == 0) throw InputError("");
    return Season(period, waves);
  });
}

std::string list_seasons(const std::vector<Season>& seasons) {
  std::vector<std::string> texts;
  for (const Season& season : seasons) texts.push_back(season.text());
  return fmt::format("{}", fmt::join(texts, ","));
}

OptionValue value_of(std::vector<Season>& seasons) {
  OptionValue v;
  v.kind = "PERIOD|auto";
  v.show = [&seasons] { return list_seasons(seasons); };
  v.clear = [&seasons] { seasons.clear(); };
  v.parse = [&seasons](const std::string& text) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      seasons.push_back(Season::parse(text.substr(at, end - at)));
      at = end + 1;
    }
  };
  // Free ones as numbers, as ever.
  v.get = [&seasons] {
    nlohmann::json json = nlohmann::json::array();
    for (const Season& season : seasons)
      json.push_back(season.waves == 0 && !season.proposed() ? nlohmann::json(season.steps())
                                                             : nlohmann::json(season.text()));
    return json;
  };
  v.set = [&seasons](const nlohmann::json& json) {
    seasons.clear();
    for (const auto& one : json)
      seasons.push_back(one.is_string() ? Season::parse(one.get<std::string>()) : Season(one.get<std::size_t>()));
  };
  return v;
}

std::vector<Season> usual_seasons(const TimeAxis& axis) {
  constexpr double day = 86400, year = 365.25 * day;
  std::vector<Season> seasons;
  if (const auto months = axis.months_in_step(); months > 0) {
    if (months < 12 && 12 % months == 0) seasons.push_back(Season(static_cast<std::size_t>(12 / months)));
    return seasons;
  }
  const auto step = static_cast<double>(axis.seconds_in_step());
  if (step == 0) return seasons;
  for (const double length : {day, 7 * day, year})
    if (length >= 4 * step || length == 7 * step) seasons.push_back(usual(rounded(length / step)));
  return seasons;
}

}  // namespace mbnn
