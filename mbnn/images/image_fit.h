// An image fit in one file: what it was asked for, the draws as compact networks, and the checkpoint it continues from.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "mbnn/images/channel_chain.h"
#include "mbnn/images/image_configuration.h"
#include "mbnn/images/network_file.h"
#include "mbnn/store/fit_file.h"

namespace mbnn {

FitFile create_image_fit(const std::string& path, const ImageConfiguration& configuration, const ImageSet& training,
                         bool overwrite);
bool is_image_fit(const FitFile& file);
// The draws so far.
std::vector<CompactNetwork> image_draws(const FitFile& file);

struct ImageReport {
  std::int64_t batch = 0, batches = 0, batches_per_epoch = 1;
  double images_per_second = 0, seconds_left = 0, epoch_seconds_left = 0;
  double loss = 0, step_size = 0;
  std::vector<std::size_t> widths, stages;  // active channels of each gate, and of all gates of one resolution
  ImageCost cost, dense;
  std::size_t dense_channels = 0;
  MaskCounts masks;
};

struct ImageRunOptions {
  std::size_t threads = 1;
  double checkpoint_seconds = 300;  // also at the end of an epoch with a draw
  std::function<void(const ImageReport&)> report;
  std::stop_token stop;
};

// What a fit file asks for, with these images. Throws InputError if they are not those that it was begun with.
struct ImageTask {
  ImageConfiguration configuration;
  ImageModel model;
  ImageScaling scaling;
};
ImageTask image_task(const FitFile& file, const ImageSet& training);

// How many threads the run had that wrote the file's checkpoint: with as many it goes on to the same bits.
std::optional<std::size_t> checkpoint_threads(const FitFile& file);

// Runs the process on batches of these images, or continues it from the file's checkpoint. Returns false if it was
// stopped before its end; a checkpoint is then in the file.
bool run_image_process(FitFile& file, const ImageTask& task, const ImageSet& training, ImageProcess& process,
                       const ImageRunOptions& options);
// That with the chain (mbnn/images/baselines/image_methods.h serves every method).
bool run_image_fit(FitFile& file, const ImageSet& training, const ImageRunOptions& options);

}  // namespace mbnn
