// An option of a fit is declared once: its name, where its value stands, what it does, its bounds and when it is of
// use. The command line, the documents, fit files and checks all follow from the declaration.
//
//   OptionList options_of(Configuration& c) {
//     OptionList options;
//     options.group("Sampler", "chain.", {{[&c] { return c.sampler == Sampler::hmc; }, "with sampler hmc"}});
//     options.add("leapfrog-steps", c.leapfrog_steps, "steps of a trajectory").at_least(1);
//     return options;
//   }
//
// The stored place of this one is chain.leapfrog_steps. A list holds references: it must not outlive what it is of.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mbnn/core/option_value.h"

namespace mbnn {

// What a person wrote: a name without dashes, and the text behind it (none for a flag). May hold a name several times.
struct GivenOption {
  std::string name, text;
};
using GivenOptions = std::vector<GivenOption>;

// "with sampler hmc": when an option is of use. The help says the last one that is to be said.
struct OptionUse {
  std::function<bool()> holds;
  std::string when;
  bool said = true;
};

class Option {
 public:
  // An earlier spelling, which still works: "{}" stands for what was given; without it, the old one was a flag.
  struct OldName {
    std::string name, text = "{}";
    bool flag() const { return text.find("{}") == text.npos; }
  };

  Option(std::string name, OptionValue value, std::string help, const std::string& group, const std::string& path,
         const std::vector<OptionUse>& uses);

  // Where stored JSON has the value, behind the path of its group, if that is not the name. A field that is absent
  // leaves the value as it is.
  Option& json(const std::string& path);
  Option& not_stored() { return fields_.clear(), *this; }
  // Part of a value that has several fields.
  template <class T>
  Option& json(const std::string& path, T& part) {
    fields_.push_back({place_of(path), {}, value_of(part), {}});
    return *this;
  }
  Option& or_from(const std::string& path);          // where older versions stored it
  Option& json_unless(const nlohmann::json& usual);  // not written then: files from before there was a choice lack it

  Option& at_least(double least);
  Option& at_most(double most);
  Option& within(double least, double most);  // both included
  Option& between(double low, double high);   // neither included
  Option& positive();
  Option& finite();
  Option& not_negative();  // and finite
  // must([&] { return batch >= 2; }, "must be at least 2: the variance is that of a batch")
  Option& must(std::function<bool()> holds, std::string expected);

  Option& only(OptionUse use);
  Option& old_name(std::string name, std::string text = "{}");
  // Words that users of other programs write instead. They are not taken; errors lead from them to this option.
  Option& known_as(std::vector<std::string> words) { return known_as_ = std::move(words), *this; }
  // What stands behind it, in the help: a COLUMN, a FILE.
  Option& kind(const std::string& shown) { return value_.kind = shown, *this; }
  Option& letter(char c) { return letter_ = c, *this; }
  Option& basic() { return basic_ = true, *this; }                                           // shown by the short help
  Option& required(bool needed = true) { return required_ = needed, basic_ = true, *this; }  // has no default
  Option& positional() { return positional_ = true, *this; }

  const std::string& name() const { return name_; }
  const std::string& group() const { return group_; }
  const OptionValue& value() const { return value_; }
  const std::vector<OldName>& old_names() const { return old_names_; }
  const std::vector<std::string>& known_as() const { return known_as_; }
  char letter() const { return letter_; }
  bool is_basic() const { return basic_; }
  bool is_required() const { return required_; }
  bool is_positional() const { return positional_; }
  std::string when() const;  // "with sampler hmc"; empty if it is of use always, or nothing is to be said
  // "steps of a trajectory (with sampler hmc) [100]"
  std::string help() const;

  // Throws an OptionError that says what was expected.
  void parse(const std::string& text);
  void check() const;
  // Why it is of no use, if it is.
  std::optional<std::string> idle() const;

 private:
  friend class OptionList;
  struct Field {
    nlohmann::json::json_pointer place;
    std::optional<nlohmann::json::json_pointer> older;
    OptionValue value;
    std::optional<nlohmann::json> omitted;
  };
  struct Bound {
    std::function<bool()> holds;
    std::string expected;
  };
  nlohmann::json::json_pointer place_of(const std::string& path) const;

  std::string name_, help_, group_, path_;
  OptionValue value_;
  std::vector<Field> fields_;
  std::vector<Bound> bounds_;
  std::vector<OptionUse> uses_;
  std::vector<OldName> old_names_;
  std::vector<std::string> known_as_;
  std::vector<std::pair<std::string, std::string>> other_defaults_;  // of a method: name and text
  char letter_ = 0;
  bool basic_ = false, required_ = false, positional_ = false, for_people_ = true;
};

class OptionList {
 public:
  // The heading of those that are added from here on, the path to their places in JSON, and when they are of use.
  void group(std::string name, std::string path = "", std::vector<OptionUse> uses = {});
  template <class T>
  Option& add(const std::string& name, T& value, const std::string& help) {
    return add(name, value_of(value), help);
  }
  Option& add(const std::string& name, OptionValue value, const std::string& help);
  // In JSON and in the check, and not for people.
  template <class T>
  Option& stored(const std::string& path, T& value) {
    return hide(add(path, value_of(value), ""));
  }
  // A part of the JSON that is null where it has no meaning.
  void null_unless(const std::string& path, std::function<bool()> holds) { parts_.push_back({path, std::move(holds)}); }

  nlohmann::json to_json() const;
  // Takes over what is there; throws Error for what cannot be read.
  void read(const nlohmann::json& json);
  // Throws an OptionError for the first value that is out of its bounds.
  void check() const;
  // Takes over what was given, in the order of the declarations: a choice on which others depend is declared first.
  void apply(const GivenOptions& given);
  // Throws an OptionError for the first given option that is of no use beside the others; it names those that are
  // looked for under the same word and are of use.
  void refuse_idle(const GivenOptions& given) const;

  // Those for people, in order; without the groups named, if any.
  std::vector<const Option*> shown(const std::vector<std::string>& without = {}) const;
  const Option* find(std::string_view name) const;  // by an old name, too; null if there is none
  // Lets the help say the defaults that `others` have, where they differ and the option is of use: "[4; ns-vi: 1]".
  void add_defaults(const std::string& of, const OptionList& others);

 private:
  static Option& hide(Option& option) { return option.for_people_ = false, option; }

  struct Part {
    std::string path;
    std::function<bool()> holds;
  };
  std::vector<Option> options_;
  std::vector<Part> parts_;
  std::string group_, path_;
  std::vector<OptionUse> uses_;
};

// A configuration with what was given in it.
template <class Configuration>
Configuration configured(const GivenOptions& given) {
  Configuration configuration;
  OptionList options = options_of(configuration);
  options.apply(given);
  options.refuse_idle(given);
  return configuration;
}

}  // namespace mbnn
