// What the tests of declared options share: other values than the defaults, found by trying.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mbnn/core/options.h"

namespace mbnn {

// A text that the option takes and that makes other JSON, if there is one; a flag takes none.
template <class Configuration>
std::optional<std::string> other_text(const GivenOptions& before, const std::string& name) {
  Configuration c;
  OptionList options = options_of(c);
  options.apply(before);
  const Option& option = *options.find(name);
  if (option.value().flag()) return "";
  const nlohmann::json usual = options.to_json();
  std::vector<std::string> texts = option.value().choices;
  texts.insert(texts.end(), {"0.5", "2", "3", "7", "0.25", "99", "cauchy:0.7", "normal:2", "2:0.5", "a,\"b,c\"", "name",
                             "a=b=date"});
  for (const std::string& text : texts) {
    try {
      options.apply({{name, text}});
      options.check();
    } catch (const InputError&) {
      continue;
    }
    if (options.to_json() != usual) return text;
  }
  return {};
}

// Each option, where one of the settings has a use for it, is given another value, written and read back.
template <class Configuration, class Write, class Read>
void expect_options_survive(const std::vector<GivenOptions>& settings, Write write, Read read) {
  Configuration defaults;
  const OptionList all = options_of(defaults);
  for (const Option* option : all.shown()) {
    if (option->name() == "preset") continue;  // what it changes is stored instead
    SCOPED_TRACE(option->name());
    bool tried = false;
    for (const GivenOptions& before : settings) {
      Configuration c;
      OptionList options = options_of(c);
      options.apply(before);
      if (tried || options.find(option->name())->idle()) continue;
      const nlohmann::json plain = write(c);
      const auto text = other_text<Configuration>(before, option->name());
      if (!text) continue;  // this setting allows one value only
      options.apply({{option->name(), *text}});
      const nlohmann::json json = write(c);
      EXPECT_NE(json, plain) << "is not stored";
      Configuration back = read(json);
      EXPECT_EQ(write(back), json);
      EXPECT_EQ(options_of(back).find(option->name())->value().show(), options.find(option->name())->value().show());
      tried = true;
    }
    EXPECT_TRUE(tried) << "no setting has a use for another value";
  }
}

// Each option but those that are `always` of use is refused beside one of the settings.
template <class Configuration>
void expect_idle_ones_refused(const std::vector<GivenOptions>& settings, const std::set<std::string>& always) {
  Configuration defaults;
  const OptionList all = options_of(defaults);
  std::set<std::string> never_refused;
  for (const Option* option : all.shown()) {
    bool refused = false;
    for (const GivenOptions& before : settings) {
      Configuration c;
      OptionList options = options_of(c);
      options.apply(before);
      try {
        options.refuse_idle({{option->name(), ""}});
      } catch (const OptionError& e) {
        EXPECT_EQ(e.option(), option->name());
        EXPECT_THAT(e.what(), testing::HasSubstr("of use only with"));
        refused = true;
      }
    }
    if (!refused) never_refused.insert(option->name());
  }
  EXPECT_EQ(never_refused, always);
}

}  // namespace mbnn
