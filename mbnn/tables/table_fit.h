// Starts, continues and reads fits: chains on one side, the fit file on the other.
#pragma once

#include <functional>
#include <stop_token>

#include "mbnn/store/fit_file.h"
#include "mbnn/tables/configuration.h"
#include "mbnn/tables/runner.h"

namespace mbnn {

struct RunOptions {
  std::size_t threads = 2;
  std::function<void(const ChainReport&)> report;  // may be empty
  std::stop_token stop;
};

// Refuses a first network that no memory holds: it would be found out only after an old fit was replaced.
void refuse_huge_start(const Configuration& configuration, const Model& model);

// A new file that holds all that a later resume needs: configuration, encoding, notes and the encoded training rows.
FitFile create_fit(const std::string& path, const Configuration& configuration, const Encoding& encoding,
                   const Dataset& data, const std::vector<std::string>& notes, bool overwrite);

// Method::mcmc (mbnn/tables/baselines/methods.h serves every method): runs the chains of the fit from where they are to
// where the configuration wants them, storing draws and checkpoints as they come. Returns false if stopped early;
// running again continues to the same bits.
bool run_fit(FitFile& file, TrainingData data, const RunOptions& options);

// The same for chains that were made elsewhere, which stand where the file's checkpoints left them.
bool record_chains(FitFile& file, const Model& model, const ChainOptions& chain_options,
                   std::vector<std::unique_ptr<Chain>>& chains, const RunOptions& options);

// The encoded training rows of a fit. Storing them marks the file as complete enough to be resumed.
void store_data(FitFile& file, const Dataset& data);
Dataset stored_data(const FitFile& file);

// The names of the numbers stored with each draw, in their order.
std::vector<std::string> trace_names(Method method, const Model& model);

// What is needed to use a fit, read once. Draws are in order of chain, then iteration.
struct FittedModel {
  Configuration configuration;
  Encoding encoding;
  Model model;
  std::vector<std::vector<State>> draws;                 // by chain
  std::vector<std::vector<std::vector<double>>> traces;  // by chain, draw, trace

  static FittedModel read(const FitFile& file);
  std::size_t draw_count() const;
  std::size_t draws_wanted() const;
  TableOptions table_options() const;  // to read a later table as the training table was read
};

}  // namespace mbnn
