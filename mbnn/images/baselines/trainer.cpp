#include "mbnn/images/baselines/trainer.h"

#include <algorithm>

#include "mbnn/net/conv/filters.h"

namespace mbnn {

void TrainerMemory::write(ByteWriter& out) const {
  out.put(steps);
  for (const auto* memory : {&weights, &scale, &shift}) memory->write(out);
}

TrainerMemory TrainerMemory::read(ByteReader& in) {
  TrainerMemory result;
  result.steps = in.get<std::int64_t>();
  for (auto* memory : {&result.weights, &result.scale, &result.shift}) *memory = AdamMemory::read(in);
  require_content(result.steps >= 0 && result.steps <= std::int64_t{1} << 53,
                  "a training has more steps than there can be");
  return result;
}

double ImageTrainer::evaluate(const ImageRows& rows, const ImageState& state, const Gates& active) {
  active_ = active;  // the network refers to it until move()
  const auto nothing = [](const ImageEdge&, std::span<float> values) { std::ranges::fill(values, 0.0f); };
  const bool all = active_ == state.gates;
  if (!all) weights_ = rearrange(*architecture_, state.gates, state.weights, active_, nothing);
  network_.set({&active_, all ? std::span<const float>(state.weights) : weights_, &state.norm});
  network_.forward(rows.pixels, rows.count(), ImageNetwork::Norm::batch);
  d_logits_.resize(network_.logits().size());
  const double count = static_cast<double>(rows.count());
  double loss = 0;
  for (double l : softmax_log_likelihoods(network_.logits(), rows.labels, -1 / count, d_logits_)) loss -= l / count;
  gradient_.resize(network_.shape().size);
  network_.backward(d_logits_, {gradient_, &d_scale_, &d_shift_, nullptr});
  if (!all) gradient_ = rearrange(*architecture_, active_, gradient_, state.gates, nothing);
  return loss;
}

void ImageTrainer::move(double rate, ImageState& state, TrainerMemory& memory) {
  engine_->activate();
  network_.update_running(state.norm, std::max(0.1, settling_momentum(memory.steps)));
  ++memory.steps;
  const auto decay = static_cast<float>(options_->weight_decay);
  const std::size_t biases = state.weights.size() - architecture_->classes;  // they come last
  for (std::size_t i = 0; i < biases; ++i) gradient_[i] += decay * state.weights[i];
  adam_move({rate, memory.steps}, gradient_, state.weights, memory.weights);
  adam_move({rate, memory.steps}, d_scale_, state.norm.scale, memory.scale);
  adam_move({rate, memory.steps}, d_shift_, state.norm.shift, memory.shift);
}

}  // namespace mbnn
