#include "mbnn/images/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"

namespace mbnn {

std::size_t held_back_images(ImageMethod method, std::size_t images) {
  return method == ImageMethod::ns_ens ? std::max<std::size_t>(1, std::min<std::size_t>(1000, images / 10)) : 0;
}

std::size_t least_channels(std::size_t width) { return std::max<std::size_t>(1, (width + 9) / 10); }

double least_flops(const ImageArchitecture& architecture) {
  const Gates whole = architecture.initial_gates();
  Gates least = whole;
  for (auto& active : least.active) active.resize(least_channels(active.size()));
  return static_cast<double>(image_cost(architecture, least).multiply_adds) /
         static_cast<double>(image_cost(architecture, whole).multiply_adds);
}

double ImageBaselineOptions::learning_rate_for(const ImageArchitecture& architecture) const {
  if (learning_rate > 0) return learning_rate;
  const bool residual =
      std::ranges::any_of(architecture.units, [](const ImageUnit& unit) { return unit.shortcut > 0; });
  return residual ? 0.001 : 0.005;
}

double ImageBaselineOptions::scale_rate_for(std::int64_t steps) const {
  return scale_rate > 0 ? scale_rate : std::max(1e-4, 10 / static_cast<double>(std::max<std::int64_t>(1, steps)));
}

void ImageBaselineOptions::check(ImageMethod method, const ImageArchitecture& architecture,
                                 std::int64_t training_epochs) const {
  const auto share = [](const char* name, double value) {
    require(value >= 0 && value <= 1, name, value, "must be from 0 to 1");
  };
  require(learning_rate >= 0 && std::isfinite(learning_rate), "--learning-rate", learning_rate,
          "must be finite and not negative");
  require(weight_decay >= 0 && std::isfinite(weight_decay), "--weight-decay", weight_decay,
          "must be finite and not negative");
  require(norm_batches >= 1, "--norm-batches", norm_batches, "must be at least 1");
  share("--drop-probability", drop_probability);
  share("--drop-share", drop_share);
  require(positive(variational_rate), "--variational-rate", variational_rate, "must be positive and finite");
  require(scale_rate >= 0 && std::isfinite(scale_rate), "--scale-rate", scale_rate, "must be finite and not negative");
  require(std::isfinite(prune_above), "--prune-above", prune_above, "must be finite");
  if (method != ImageMethod::ns_ens) return;
  require(training_epochs >= 2, "--epochs", training_epochs, "must be at least 2: one before pruning and one after");
  const double least = least_flops(architecture);
  require(flops <= 1, "--flops", flops, "must be at most 1");
  require(flops >= least, "--flops", flops, fmt::format("must be at least {:.4f}: pruning leaves no less", least));
  require(tournament >= 1 && tournament <= population, "--search-tournament", tournament,
          "must be from 1 to the population");
  require(candidates >= population, "--search-candidates", candidates, "must be at least the population");
  require(tuning_batches >= 1, "--search-batches", tuning_batches, "must be at least 1");
}

nlohmann::json ImageBaselineOptions::to_json() const {
  return {{"learning_rate", learning_rate},
          {"weight_decay", weight_decay},
          {"norm_batches", norm_batches},
          {"flops", flops},
          {"population", population},
          {"tournament", tournament},
          {"candidates", candidates},
          {"tuning_batches", tuning_batches},
          {"drop_probability", drop_probability},
          {"drop_share", drop_share},
          {"variational_rate", variational_rate},
          {"scale_rate", scale_rate},
          {"prune_above", prune_above}};
}

ImageBaselineOptions ImageBaselineOptions::from_json(const nlohmann::json& json) {
  ImageBaselineOptions o;
  json.at("learning_rate").get_to(o.learning_rate);
  json.at("weight_decay").get_to(o.weight_decay);
  json.at("norm_batches").get_to(o.norm_batches);
  json.at("flops").get_to(o.flops);
  json.at("population").get_to(o.population);
  json.at("tournament").get_to(o.tournament);
  json.at("candidates").get_to(o.candidates);
  json.at("tuning_batches").get_to(o.tuning_batches);
  json.at("drop_probability").get_to(o.drop_probability);
  json.at("drop_share").get_to(o.drop_share);
  json.at("variational_rate").get_to(o.variational_rate);
  json.at("scale_rate").get_to(o.scale_rate);
  json.at("prune_above").get_to(o.prune_above);
  return o;
}

}  // namespace mbnn
