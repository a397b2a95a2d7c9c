// The methods that studies compare, each no more than a configuration.
#pragma once

#include "apps/reproduce/study.h"

namespace mbnn::studies {

std::vector<std::string> regression_methods();
std::vector<std::string> classification_methods();
std::string method_title(const std::string& method);  // "mBNN"

// Our defaults, or the paper's setting for UCI tables.
Configuration preset(const StudyOptions& options);

// Turns the configuration into that of the method, with the user's options on top. A plain BNN has as many nodes as our
// chains start with, or in the paper's setting all of the paper's.
Configuration as_method(const std::string& method, Configuration configuration, const StudyOptions& options);

// The nine pairs of rules, such as uniform-reciprocal: birth first.
std::vector<std::string> rule_pairs();
void set_rules(const std::string& pair, BirthDeathOptions& options);

}  // namespace mbnn::studies
