#include "mbnn/images/channel_flips.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace mbnn {

namespace {

// Weights of all edges between a channel of layer l and the active channels.
std::size_t edge_weights(const ImageArchitecture& architecture, const ImageShape& shape, std::size_t l) {
  std::size_t sum = shape.filters[l - 1].in * shape.filters[l - 1].taps() + shape.projections[l - 1].in;
  if (l == architecture.last()) return sum + shape.affine.out;
  sum += shape.filters[l].out * shape.filters[l].taps();
  for (std::size_t u = l + 1; u <= architecture.gates(); ++u)
    if (architecture.unit(u).projected && architecture.unit(u).shortcut == l) sum += shape.projections[u - 1].out;
  return sum;
}

// Hands out the weights of candidates that stand behind the active channels, in the order of storage.
class Newcomers {
 public:
  template <class Candidates>
  Newcomers(const Gates& gates, const Candidates& candidates) : first_(gates.active.size()), members_(first_.size()) {
    for (std::size_t l = 0; l < first_.size(); ++l) first_[l] = gates.active[l].size();
    numbers_.resize(first_.size());
    for (const auto& candidate : candidates) {
      members_[candidate.layer - 1].push_back({candidate.weights, 0});
      numbers_[candidate.layer - 1].push_back(candidate.number);
    }
  }
  const std::vector<std::vector<std::uint32_t>>& numbers() const { return numbers_; }
  bool out_is_new(const ImageEdge& e) const { return is_new(e.out_unit, e.out); }
  bool in_is_new(const ImageEdge& e) const { return is_new(e.in_tensor, e.in); }
  // For an edge with one new end.
  std::span<const float> weights(const ImageEdge& e, std::size_t count) {
    auto& [values, next] = out_is_new(e) ? members_[e.out_unit - 1][e.out - first_[e.out_unit - 1]]
                                         : members_[e.in_tensor - 1][e.in - first_[e.in_tensor - 1]];
    next += count;
    return values.subspan(next - count, count);
  }

 private:
  bool is_new(std::size_t tensor, std::size_t position) const {
    return tensor >= 1 && tensor <= first_.size() && position >= first_[tensor - 1];
  }
  struct Member {
    std::span<const float> values;
    std::size_t next;
  };
  std::vector<std::size_t> first_;
  std::vector<std::vector<Member>> members_;
  std::vector<std::vector<std::uint32_t>> numbers_;
};

}  // namespace

void ImageFlips::bind(const ImageRows& rows, ImageState& state, double scale, std::vector<ImageRows> further) {
  rows_ = rows;
  pool_ = std::move(further);
  state_ = &state;
  scale_ = scale;
  stale_ = 1;
  leave_layer();
  of_current_.layer = 0;
}

void ImageFlips::stay_in(std::size_t layer) {
  leave_layer();
  layer_ = layer;
  held_.resize(pool_.size());
}

void ImageFlips::leave_layer() {
  layer_ = 0;
  held_.clear();
  floats_held_ = 0;
}

void ImageFlips::look_at_current() {
  if (stale_ > layers()) return;
  current_->set({&state_->gates, state_->weights, &state_->norm});
  if (stale_ == 1)
    current_->forward(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch);
  else
    current_->forward_again(ImageNetwork::Norm::batch, stale_);
  current_terms_ = softmax_log_likelihoods(current_->logits(), rows_.labels);
  stale_ = layers() + 1;
}

// Units below it are the same in both networks.
std::size_t ImageFlips::lowest_change() const {
  std::size_t first = 1;
  while (first < layers() && proposed_gates_.active[first - 1] == state_->gates.active[first - 1]) ++first;
  return first;
}

void ImageFlips::look_at_proposed() {
  look_at_current();
  const std::size_t first = lowest_change();
  compared_ = 0;
  proposed_.set({&proposed_gates_, proposed_weights_, &state_->norm});
  proposed_.forward(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch, first, current_);
  proposed_terms_ = softmax_log_likelihoods(proposed_.logits(), rows_.labels);
}

double ImageFlips::log_width_prior(At at) const {
  double squares = 0;
  for (std::size_t l = 1; l <= layers(); ++l) {
    const double width = static_cast<double>(active(l, at));
    squares += width * width;
  }
  return -model_->width_prior.penalty(model_->width_prior.lambda) * squares;
}

std::vector<double> ImageFlips::row_differences() {
  std::vector<double> differences = terms(At::proposed);
  const auto& current = terms(At::current);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= current[i];
  return differences;
}

std::span<const double> ImageFlips::differences(std::size_t batches) {
  if (compared_ == 0) {
    differences_ = row_differences();
    compared_ = 1;
  }
  for (; compared_ < batches; ++compared_) compare(compared_ - 1);
  return std::span(differences_).first(rows_of(batches));
}

std::size_t ImageFlips::rows_of(std::size_t batches) const {
  std::size_t count = rows_.count();
  for (std::size_t b = 1; b < batches; ++b) count += pool_[b - 1].count();
  return count;
}

void ImageFlips::compare(std::size_t batch) {
  constexpr std::size_t most_floats = 50'000'000;  // that may be held
  constexpr auto norm = ImageNetwork::Norm::batch;
  const ImageRows& rows = pool_[batch];
  const std::size_t first = lowest_change();
  const bool stays = layer_ > 0 && first == layer_;
  Held none;
  Held& held = stays ? held_[batch] : none;
  extended_.keep(ImageNetwork::Keep::outputs);
  const auto log_likelihoods = [&] { return softmax_log_likelihoods(extended_.logits(), rows.labels); };

  if (!held.known) {
    extended_.set({&state_->gates, state_->weights, &state_->norm});
    extended_.forward(rows.pixels, rows.count(), norm, held.below ? layer_ : 1, held.below.get());
    held.terms = log_likelihoods();
  }
  if (stays && !held.below && floats_held_ + extended_.kept_size(layer_) <= most_floats) {
    held.below = std::make_unique<ImageNetwork>(model_->architecture, *engine_);
    held.below->keep_below(extended_, layer_);
    floats_held_ += extended_.kept_size(layer_);
  }
  held.known = held.below != nullptr;
  extended_.set({&proposed_gates_, proposed_weights_, &state_->norm});
  if (held.below)
    extended_.forward(rows.pixels, rows.count(), norm, layer_, held.below.get());
  else
    extended_.forward_again(norm, first);
  held.proposed_terms = log_likelihoods();
  for (std::size_t i = 0; i < held.terms.size(); ++i) differences_.push_back(held.proposed_terms[i] - held.terms[i]);
}

const std::vector<double>& ImageFlips::terms(At at) {
  if (at == At::current) look_at_current();
  return at == At::current ? current_terms_ : proposed_terms_;
}

double ImageFlips::log_likelihood(At at) {
  const auto& of_images = terms(at);
  return scale_ * std::accumulate(of_images.begin(), of_images.end(), 0.0);
}

std::vector<ImageFlips::Candidate> ImageFlips::draw_candidates(At at, std::span<const std::size_t> counts,
                                                               Rng& rng) const {
  const ImageShape shape(model_->architecture, gates(at));
  std::vector<Candidate> candidates;
  for (std::size_t l = 1; l <= layers(); ++l) {
    auto taken = state_->gates.active[l - 1];
    for (std::size_t i = 0; i < counts[l - 1]; ++i) {
      taken.push_back(draw_inactive(taken, cap(l), rng));
      Candidate& candidate = candidates.emplace_back(Candidate{l, taken.back(), {}});
      candidate.weights.resize(edge_weights(model_->architecture, shape, l));
      for (float& w : candidate.weights)
        w = static_cast<float>(model_->weight_prior.draw(model_->weight_prior.scale, rng));
    }
  }
  return candidates;
}

std::vector<ImageFlips::Candidate> ImageFlips::leaving_candidates() const {
  std::vector<Candidate> candidates;
  for (const Node& node : leaving_)
    candidates.push_back({node.layer, state_->gates.active[node.layer - 1][node.position], {}});
  const auto who = [&](std::size_t layer, std::size_t position) {
    const auto found = std::find_if(leaving_.begin(), leaving_.end(),
                                    [&](const Node& n) { return n.layer == layer && n.position == position; });
    return static_cast<std::size_t>(found - leaving_.begin());
  };
  const std::size_t nobody = leaving_.size();
  for_each_edge(model_->architecture, ImageShape(model_->architecture, state_->gates),
                [&](const ImageEdge& e, std::size_t offset, std::size_t count) {
                  const std::size_t out = who(e.out_unit, e.out),
                                    in = e.in_tensor == 0 ? nobody : who(e.in_tensor, e.in);
                  if ((out == nobody) == (in == nobody)) return;
                  auto& to = candidates[out == nobody ? in : out].weights;
                  const float* from = state_->weights.data() + offset;
                  to.insert(to.end(), from, from + count);
                });
  return candidates;
}

void ImageFlips::propose_birth(std::span<const Candidate> joining, Rng& rng) {
  place(joining, rng);
  look_at_proposed();
}

// Newcomers stand behind the channels that are there.
void ImageFlips::place(std::span<const Candidate> joining, Rng& rng) {
  leaving_.clear();
  Newcomers newcomers(state_->gates, joining);
  proposed_gates_ = with_channels(state_->gates, newcomers.numbers());
  proposed_weights_ =
      rearrange(model_->architecture, state_->gates, state_->weights, proposed_gates_,
                [&](const ImageEdge& e, std::span<float> values) {
                  if (newcomers.out_is_new(e) && newcomers.in_is_new(e)) {
                    for (float& w : values)
                      w = static_cast<float>(model_->weight_prior.draw(model_->weight_prior.scale, rng));
                  } else {
                    std::ranges::copy(newcomers.weights(e, values.size()), values.begin());
                  }
                });
}

void ImageFlips::propose_death(std::vector<Node> leaving) {
  leaving_ = std::move(leaving);
  proposed_gates_ = without_channels(state_->gates, leaving_);
  proposed_weights_ = rearrange(model_->architecture, state_->gates, state_->weights, proposed_gates_,
                                [](const ImageEdge&, std::span<float>) {});
  look_at_proposed();
}

void ImageFlips::accept(Rng&) {
  move_running_statistics();
  const std::size_t first = lowest_change();
  stale_ = std::min(stale_, first);
  of_current_.layer = 0;
  if (first < layer_) stay_in(layer_);  // and begin anew
  for (std::size_t b = 0; b < held_.size(); ++b) {
    Held& held = held_[b];
    held.known = held.known && first == layer_ && b + 1 < compared_;
    std::swap(held.terms, held.proposed_terms);
  }
  state_->gates = proposed_gates_;
  std::swap(state_->weights, proposed_weights_);
}

// What the batch says of a newborn; and of the others above the lowest change, how the batch's statistics moved.
void ImageFlips::move_running_statistics() {
  NormState before = state_->norm, after = state_->norm;
  current_->update_running(before, 1);
  proposed_.update_running(after, 1);
  NormState& norm = state_->norm;
  for (std::size_t u = lowest_change(); u <= layers(); ++u)
    for (std::size_t j = 0; j < active(u, At::proposed); ++j) {
      const std::size_t number = proposed_gates_.active[u - 1][j];
      const bool newborn = std::ranges::find(state_->gates.active[u - 1], number) == state_->gates.active[u - 1].end();
      for (std::size_t slot = model_->architecture.norm_slot(u) + number; slot < model_->architecture.norm_slot(u + 1);
           slot += model_->architecture.unit(u).cap) {
        if (newborn) {
          norm.mean[slot] = after.mean[slot];
          norm.variance[slot] = after.variance[slot];
        } else {
          norm.mean[slot] += after.mean[slot] - before.mean[slot];
          if (before.variance[slot] > 0) norm.variance[slot] *= after.variance[slot] / before.variance[slot];
        }
      }
    }
}

std::vector<double> ImageFlips::derivatives(ImageNetwork& network) const {
  std::vector<float> d_logits(network.logits().size());
  softmax_log_likelihoods(network.logits(), rows_.labels, scale_, d_logits);
  std::vector<double> result;
  network.backward(d_logits, {{}, nullptr, nullptr, &result});
  return result;
}

std::vector<double> ImageFlips::gate_derivatives(At at, std::span<const Candidate> candidates) {
  if (!candidates.empty()) return candidate_derivatives(at, candidates);
  look_at_current();
  return derivatives(network(at));
}

// The derivative by a gate that is closed: the channel is added with outgoing edges so faint that nothing above can
// tell, and the derivative is divided by their faintness, a power of two.
std::vector<double> ImageFlips::candidate_derivatives(At at, std::span<const Candidate> candidates) {
  constexpr float faint = 0x1p-40f;
  Newcomers newcomers(gates(at), candidates);
  const Gates all = with_channels(gates(at), newcomers.numbers());
  const auto all_weights =
      rearrange(model_->architecture, gates(at), weights(at), all, [&](const ImageEdge& e, std::span<float> values) {
        if (newcomers.out_is_new(e) && newcomers.in_is_new(e)) {
          std::ranges::fill(values, 0.0f);
          return;
        }
        std::ranges::copy(newcomers.weights(e, values.size()), values.begin());
        if (newcomers.in_is_new(e))
          for (float& w : values) w *= faint;
      });
  NetworkSetting setting{&all, all_weights, &state_->norm};
  for (std::size_t l = 0; l < layers(); ++l) {
    auto& scales = setting.shortcut_scales.emplace_back(all.active[l].size(), 1.0f);
    std::fill(scales.begin() + static_cast<std::ptrdiff_t>(gates(at).active[l].size()), scales.end(), faint);
  }
  extended_.keep(ImageNetwork::Keep::all);
  extended_.set(setting);
  extended_.forward(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch);
  const auto found = derivatives(extended_);

  std::vector<double> result;
  std::vector<std::size_t> next(layers());  // where the candidates of a layer begin
  std::size_t position = 0;
  for (std::size_t l = 0; l < layers(); ++l) {
    for (std::size_t j = 0; j < gates(at).active[l].size(); ++j) result.push_back(found[position++]);
    next[l] = position;
    position += newcomers.numbers()[l].size();
  }
  for (const Candidate& candidate : candidates) result.push_back(found[next[candidate.layer - 1]++] / faint);
  return result;
}

}  // namespace mbnn
