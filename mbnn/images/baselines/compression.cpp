#include "mbnn/images/baselines/compression.h"

#include <algorithm>

#include "mbnn/core/finite.h"
#include "mbnn/images/checkpoint_bytes.h"

namespace mbnn {

namespace {

// Signs of scale and weights can be exchanged, so means stay on the side where they start. Only with positive scales
// can a shortcut's be folded into norms; a channel whose mean gets here has long been one to prune.
constexpr float kLeastScaleMean = 1e-3f;

}  // namespace

bool VariationalImages::advance(const ImageRows& rows) {
  if (done() == 0) start_anew();
  if (done() < training()) {
    train(rows, cosine_rate(learning_rate(), static_cast<double>(done()) / static_cast<double>(training())));
    return false;
  }
  if (done() == training()) {
    posterior_ = ImagePosterior::around(architecture(), state_);
    memory_ = {};
  }
  if (done() < 2 * training()) {
    compress(rows);
    return false;
  }
  const std::int64_t k = (done() - 2 * training()) % options().norm_batches;
  if (k == 0) state_ = draw_network(architecture(), posterior_, posterior_.kept(options().prune_above), rng_);
  settle_norms(rows, k);
  return k + 1 == options().norm_batches;
}

void VariationalImages::compress(const ImageRows& rows) {
  rate_ = options().variational_rate;
  const auto images = static_cast<double>(model().width_prior.rows);
  const ImageSample noise = standard_normals(posterior_, rng_);
  take_loss(bound_.evaluate(posterior_, noise, rows, images, gradient_).cross_entropy);
  bound_.network().update_running(posterior_.norm);
  engine_.activate();
  ++steps_;
  const AdamMove slow{rate_, steps_}, fast{options().scale_rate_for(training()), steps_};
  adam_move(slow, gradient_.mean, posterior_.mean, mean_);
  adam_move(fast, gradient_.log_variance, posterior_.log_variance, log_variance_);
  adam_move(fast, gradient_.scale_mean, posterior_.scale_mean, scale_mean_);
  adam_move(fast, gradient_.scale_log_variance, posterior_.scale_log_variance, scale_log_variance_);
  adam_move(slow, gradient_.norm_scale, posterior_.norm.scale, norm_scale_);
  adam_move(slow, gradient_.norm_shift, posterior_.norm.shift, norm_shift_);
  for (float& m : posterior_.scale_mean) m = std::max(m, kLeastScaleMean);
}

void VariationalImages::write_more(ByteWriter& out) const {
  write_image_state({posterior_.gates, posterior_.mean, posterior_.norm}, out);
  for (const auto* values : {&posterior_.log_variance, &posterior_.scale_mean, &posterior_.scale_log_variance})
    out.put_all(*values);
  out.put(steps_);
  for (const auto* memory : {&mean_, &log_variance_, &scale_mean_, &scale_log_variance_, &norm_scale_, &norm_shift_})
    memory->write(out);
}

void VariationalImages::read_more(ByteReader& in) {
  ImageState means = read_image_state(in, architecture());
  posterior_ = {std::move(means.gates), std::move(means.weights), {}, {}, {}, std::move(means.norm)};
  for (auto* values : {&posterior_.log_variance, &posterior_.scale_mean, &posterior_.scale_log_variance}) {
    *values = in.get_all<float>();
    check_length(*values,
                 values == &posterior_.log_variance ? posterior_.mean.size() : active_nodes(posterior_.gates).size());
  }
  steps_ = in.get<std::int64_t>();
  for (auto* memory : {&mean_, &log_variance_, &scale_mean_, &scale_log_variance_, &norm_scale_, &norm_shift_})
    *memory = AdamMemory::read(in);
  const ImagePosterior& q = posterior_;
  require_content(all_finite(q.log_variance) && all_finite(q.scale_mean) && all_finite(q.scale_log_variance) &&
                      std::ranges::all_of(q.scale_mean, [](float mean) { return mean > 0; }) && steps_ >= 0 &&
                      steps_ <= std::int64_t{1} << 53,
                  "a variational posterior has numbers that it cannot have");
  require_content(done() <= training() || (!q.log_variance.empty() && !q.scale_mean.empty() &&
                                           q.scale_log_variance.size() == q.scale_mean.size()),
                  "a checkpoint lacks its variational posterior");
}

}  // namespace mbnn
