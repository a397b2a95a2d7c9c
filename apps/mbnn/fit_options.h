// The options of mbnn fit, each declared once, and the configuration that they make.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mbnn/tables/configuration.h"

namespace mbnn::app {

// What the user wrote. An option that was not given keeps the value of the preset.
class FitArguments {
 public:
  // `defaults` are those that the help shows; `tables` adds what a series cannot be fitted with: the other methods,
  // mini-batches, rows held out.
  void add_to(CLI::App& verb, const Configuration& defaults = {}, bool tables = true);
  // Without the table, the output and the preset: what a study passes on to its fits.
  void add_settings_to(CLI::App& verb, const Configuration& defaults = {}, bool tables = true);
  Configuration configuration() const;
  Configuration configuration(Configuration base) const;  // what was given, over what `base` says
  void apply_settings(Configuration& configuration) const;
  // One line for the first option that this sampler, or a network without masks, has no use for.
  void refuse_idle_options(const Configuration& configuration) const;
  const std::string& data() const { return data_; }

  std::string out;
  bool force = false;

 private:
  template <class T>
  using Given = std::optional<T>;

  // One line for the first option that the method has no use for.
  void refuse_foreign_options(Method method) const;

  const CLI::App* verb_ = nullptr;
  std::string data_, target_, preset_ = "default", method_ = "mcmc";
  bool no_header_ = false, two_logits_ = false, raw_target_ = false;
  std::string missing_ = "impute";
  Given<char> delimiter_;
  Given<std::string> task_, hidden_, lambda_, weight_prior_, noise_prior_, outliers_, sampler_, masks_, birth_, death_,
      schedule_, mask_test_;
  std::vector<std::string> categorical_, numeric_, ignore_;
  Given<double> truncation_, target_accept_, step_size_, friction_, temperature_, learning_rate_, threshold_;
  Given<std::size_t> start_width_, start_steps_, max_flips_, candidates_, mask_moves_, refit_moves_, chains_, leapfrog_,
      max_depth_, batch_, batches_;
  Given<std::int64_t> mask_every_, warmup_, draws_, thin_, epochs_;
  Given<std::uint64_t> seed_;
};

}  // namespace mbnn::app
