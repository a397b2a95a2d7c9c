// The methods that studies compare, each no more than a configuration.
#pragma once

#include "experiments/studies/study.h"

namespace mbnn::studies {

std::vector<std::string> regression_methods();
std::vector<std::string> classification_methods();
std::string method_title(const std::string& method);  // "mBNN"

// Our defaults, or the paper's setting for UCI tables, with what the user asked for on top.
Configuration base_configuration(const StudyOptions& options);

// The base with what makes the method. A plain BNN has as many nodes as our chains start with, or all of the paper's.
Configuration method_configuration(const std::string& method, const StudyOptions& options);

}  // namespace mbnn::studies
