// The options of a table's fit, declared once; series share the parts of it that they have.
#pragma once

#include "mbnn/core/options.h"
#include "mbnn/tables/configuration.h"

namespace mbnn {

// `network` and `masks` say when there are any.
void add_columns(OptionList& options, Configuration& c);
// By name; `told` says where it comes from otherwise.
OptionValue delimiter_value(std::optional<char>& delimiter, const std::string& told);
Option& add_hidden(OptionList& options, Configuration& c);
Option& add_lambda(OptionList& options, Configuration& c, bool can_validate);
Option& add_weight_prior(OptionList& options, WeightPrior& prior);
void add_lengths(OptionList& options, Configuration& c);
void add_trajectories(OptionList& options, ChainOptions& chain, const OptionUse& network, const OptionUse& masks);
void add_masks(OptionList& options, ChainOptions& chain, const std::vector<OptionUse>& masks);

}  // namespace mbnn
