#include "mbnn/core/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"
#include "mbnn/core/known_names.h"

namespace mbnn {

namespace {

nlohmann::json::json_pointer pointer_to(std::string path) {
  std::ranges::replace(path, '.', '/');
  std::ranges::replace(path, '-', '_');
  return nlohmann::json::json_pointer("/" + path);
}

}  // namespace

Option::Option(std::string name, OptionValue value, std::string help, const std::string& group, const std::string& path,
               const std::vector<OptionUse>& uses)
    : name_(std::move(name)),
      help_(std::move(help)),
      group_(group),
      path_(path),
      value_(std::move(value)),
      uses_(uses) {
  if (value_.get) fields_.push_back({place_of(name_), {}, value_, {}});
}

nlohmann::json::json_pointer Option::place_of(const std::string& path) const { return pointer_to(path_ + path); }

Option& Option::json(const std::string& path) {
  fields_.front().place = place_of(path);
  return *this;
}

Option& Option::or_from(const std::string& path) {
  fields_.back().older = place_of(path);
  return *this;
}

Option& Option::json_unless(const nlohmann::json& usual) {
  fields_.back().omitted = usual;
  return *this;
}

// Comparisons that a NaN fails.
Option& Option::at_least(double least) {
  return must([value = value_.number, least] { return value() >= least; }, fmt::format("must be at least {}", least));
}

Option& Option::at_most(double most) {
  return must([value = value_.number, most] { return value() <= most; }, fmt::format("must be at most {}", most));
}

Option& Option::within(double least, double most) {
  return must([value = value_.number, least, most] { return value() >= least && value() <= most; },
              fmt::format("must be from {} to {}", least, most));
}

Option& Option::between(double low, double high) {
  return must([value = value_.number, low, high] { return value() > low && value() < high; },
              fmt::format("must be between {} and {}", low, high));
}

Option& Option::positive() {
  return must([value = value_.number] { return value() > 0 && std::isfinite(value()); }, "must be positive and finite");
}

Option& Option::finite() {
  return must([value = value_.number] { return std::isfinite(value()); }, "must be finite");
}

Option& Option::not_negative() {
  return must([value = value_.number] { return value() >= 0 && std::isfinite(value()); },
              "must be finite and not negative");
}

Option& Option::must(std::function<bool()> holds, std::string expected) {
  bounds_.push_back({std::move(holds), std::move(expected)});
  return *this;
}

Option& Option::only(OptionUse use) {
  uses_.push_back(std::move(use));
  return *this;
}

Option& Option::old_name(std::string name, std::string text) {
  old_names_.push_back({std::move(name), std::move(text)});
  return *this;
}

std::string Option::when() const {
  const auto use = std::find_if(uses_.rbegin(), uses_.rend(), [](const OptionUse& u) { return u.said; });
  return use == uses_.rend() ? "" : use->when;
}

std::string Option::help() const {
  std::string text = help_;
  if (const std::string use = when(); !use.empty()) text += fmt::format(" ({})", use);
  std::string defaults = required_ ? "" : value_.show();
  for (const auto& [of, other] : other_defaults_) defaults += fmt::format("; {}: {}", of, other);
  return defaults.empty() ? text : fmt::format("{} [{}]", text, defaults);
}

void Option::parse(const std::string& text) {
  try {
    value_.parse(text);
  } catch (const InputError& wrong) {
    throw OptionError(name_, fmt::format(" = {}: {}", text, wrong.what()));
  }
}

void Option::check() const {
  for (const Bound& bound : bounds_)
    if (!bound.holds()) throw OptionError(name_, fmt::format(" = {}: {}", value_.show(), bound.expected));
}

std::optional<std::string> Option::idle() const {
  for (const OptionUse& use : uses_)
    if (!use.holds()) return fmt::format("of use only {}", use.when);
  return {};
}

void OptionList::group(std::string name, std::string path, std::vector<OptionUse> uses) {
  group_ = std::move(name);
  path_ = std::move(path);
  uses_ = std::move(uses);
}

Option& OptionList::add(const std::string& name, OptionValue value, const std::string& help) {
  return options_.emplace_back(name, std::move(value), help, group_, path_, uses_);
}

nlohmann::json OptionList::to_json() const {
  nlohmann::json json;
  for (const Option& option : options_)
    for (const auto& field : option.fields_) {
      nlohmann::json value = field.value.get();
      if (!field.omitted || value != *field.omitted) json[field.place] = std::move(value);
    }
  for (const Part& part : parts_)
    if (!part.holds()) json[pointer_to(part.path)] = nullptr;
  return json;
}

void OptionList::read(const nlohmann::json& json) try {
  for (const Option& option : options_)
    for (const auto& field : option.fields_) {
      const auto& place = field.older && !json.contains(field.place) ? *field.older : field.place;
      if (json.contains(place)) field.value.set(json.at(place));
    }
} catch (const nlohmann::json::exception& e) {
  throw ContentError(fmt::format("the stored configuration cannot be read: {}", words_of(e)));
}

void OptionList::check() const {
  for (const Option& option : options_) option.check();
}

namespace {

std::string did_you_mean(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(names, " or "));
}

// The option that was given, if this is it, and the text in its present spelling.
std::optional<std::string> text_for(const Option& option, const GivenOption& given) {
  if (given.name == option.name()) return given.text;
  for (const auto& old : option.old_names())
    if (given.name == old.name) return fmt::format(fmt::runtime(old.text), given.text);
  return {};
}

}  // namespace

void OptionList::apply(const GivenOptions& given) {
  for (const GivenOption& one : given)
    if (!find(one.name)) {
      std::vector<KnownName> names;
      for (const Option* option : shown()) names.push_back({option->name(), option->known_as()});
      throw InputError(fmt::format("no option {}{}", one.name, did_you_mean(meant_names(one.name, names))));
    }
  for (Option& option : options_) {
    bool first = true;
    if (!option.for_people_) continue;
    for (const GivenOption& one : given)
      if (const auto text = text_for(option, one)) {
        if (!first && !option.value_.clear) throw OptionError(option.name(), " is given more than once");
        if (first && option.value_.clear) option.value_.clear();
        option.parse(*text);
        first = false;
      }
  }
}

void OptionList::refuse_idle(const GivenOptions& given) const {
  for (const GivenOption& one : given) {
    const Option* option = find(one.name);
    const auto why = option ? option->idle() : std::nullopt;
    if (!why) continue;
    std::vector<std::string> instead;
    for (const Option* other : shown())
      if (!other->idle() && std::ranges::find(other->known_as(), option->name()) != other->known_as().end())
        instead.push_back(other->name());
    throw OptionError(option->name(), ": " + *why + did_you_mean(instead));
  }
}

std::vector<const Option*> OptionList::shown(const std::vector<std::string>& without) const {
  std::vector<const Option*> list;
  for (const Option& option : options_)
    if (option.for_people_ && std::ranges::find(without, option.group()) == without.end()) list.push_back(&option);
  return list;
}

const Option* OptionList::find(std::string_view name) const {
  for (const Option& option : options_)
    if (option.for_people_ &&
        (option.name() == name || std::ranges::any_of(option.old_names(), [&](auto& old) { return old.name == name; })))
      return &option;
  return nullptr;
}

void OptionList::add_defaults(const std::string& of, const OptionList& others) {
  for (Option& option : options_) {
    const Option* other = others.find(option.name());
    if (!other || other->idle()) continue;
    const std::string text = other->value().show();
    if (text != of && text != option.value().show()) option.other_defaults_.emplace_back(of, text);
  }
}

}  // namespace mbnn
