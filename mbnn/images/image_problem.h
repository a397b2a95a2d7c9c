// Images as a problem: the training set, and how masked networks or a baseline are to be fitted to it.
#pragma once

#include <mutex>

#include "mbnn/images/image_configuration.h"
#include "mbnn/images/network_file.h"
#include "mbnn/run/problem.h"

namespace mbnn {

class ImageProblem : public Problem {
 public:
  // Throws InputError for what cannot be run on these images.
  ImageProblem(ImageConfiguration configuration, ImageSet training);
  // Reads the images from the directory that the configuration names.
  static ImageProblem read(ImageConfiguration configuration);
  // Images are read when a process asks for them, from where they were or from `directory`. They must be those that
  // the fit was begun with.
  static ImageProblem open(const FitFile& file, const std::string& directory = "");
  ImageProblem(ImageProblem&& other) noexcept;

  std::string kind() const override { return "image"; }
  nlohmann::json configuration() const override { return configuration_.to_json(); }
  nlohmann::json encoding() const override { return encoding_; }
  void store(FitFile& file) const override;
  std::vector<std::string> traces() const override;

  std::size_t chains() const override { return configuration_.chains; }
  std::int64_t length() const override;
  std::int64_t draws() const override { return configuration_.chain.draws + configuration_.chain.further_draws; }
  std::string step_name() const override { return "batches"; }
  void add_draws(std::int64_t further) override;
  // A checkpoint may have a gigabyte.
  Rhythm rhythm() const override { return {false, 300, true}; }
  std::unique_ptr<Process> process(std::size_t chain, const Resources& resources) const override;

  Evidence evidence(const FitFile& file) const override;
  void judge(const FitFile& file, Diagnosis& diagnosis) const override;
  Description describe(const FitFile& file) const override;

  const ImageConfiguration& options() const { return configuration_; }
  const ImageSet& training() const { return *loaded(); }
  std::int64_t batches_per_epoch() const;

 private:
  explicit ImageProblem(ImageConfiguration configuration) : configuration_(std::move(configuration)) {}
  std::shared_ptr<const ImageSet> loaded() const;
  void verify_encoding() const;
  void require_same(const ImageSet& images) const;

  ImageConfiguration configuration_;
  nlohmann::json encoding_;
  std::string path_;  // of the fit that was opened
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const ImageSet> training_;
};

// The draws so far, chain after chain.
std::vector<CompactNetwork> stored_networks(const FitFile& file);

}  // namespace mbnn
