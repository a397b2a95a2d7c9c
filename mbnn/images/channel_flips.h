// The posterior of a masked convolutional network as birth-death sees it, on one batch of images.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/images/model.h"
#include "mbnn/net/conv/filters.h"

namespace mbnn {

class ImageFlips {
 public:
  enum class At { current, proposed };

  // An inactive channel with weights drawn from the prior: those of its edges to the channels that are active where it
  // is scored, in the order of storage. Which channel it is matters, for shortcuts and norms.
  struct Candidate {
    std::size_t layer;
    std::uint32_t number;
    std::vector<float> weights;
  };

  // `spare`: a network that is of no use to others while masks move; it then runs the current state. Null: one of its
  // own does.
  ImageFlips(const ImageModel& model, ConvEngine& engine, ImageNetwork* spare = nullptr)
      : model_(&model),
        engine_(&engine),
        own_(model.architecture, engine),
        current_(spare ? spare : &own_),
        proposed_(model.architecture, engine),
        extended_(model.architecture, engine) {}
  ImageFlips(const ImageFlips&) = delete;
  ImageFlips& operator=(const ImageFlips&) = delete;

  // Likelihood terms are multiplied by `scale`. The forward pass waits until it is needed. Proposals are made on
  // `rows`; `further` batches may be asked about them, too.
  void bind(const ImageRows& rows, ImageState& state, double scale, std::vector<ImageRows> further = {});

  std::size_t layers() const { return model_->architecture.gates(); }
  std::size_t active(std::size_t layer, At at = At::current) const { return gates(at).active[layer - 1].size(); }
  std::size_t cap(std::size_t layer) const { return model_->architecture.unit(layer).cap; }
  double log_likelihood(At at = At::current);
  double log_mask_prior(At at = At::current) const { return mbnn::log_mask_prior(*model_, gates(at)); }
  // The part of it that is tempered with the likelihood.
  double log_width_prior(At at) const;
  // Of log p(label), proposed minus current, for each image.
  std::vector<double> row_differences();
  // The same of the first so many batches, of which there are batches(): that of the proposal, then the further ones.
  std::size_t batches() const { return 1 + pool_.size(); }
  std::size_t rows_of_batches() const { return rows_of(batches()); }
  std::size_t batches_compared() const { return compared_; }
  std::span<const double> differences(std::size_t batches);
  // To be said before many moves in one layer: what lies below it is then kept for the further batches, of as many of
  // them as the memory for that allows.
  void stay_in(std::size_t layer);
  // Gives that memory back.
  void leave_layer();

  // `counts[l - 1]` channels for layer l that are inactive in the current state, each with the same probability.
  std::vector<Candidate> draw_candidates(At at, std::span<const std::size_t> counts, Rng& rng) const;
  std::vector<Candidate> leaving_candidates() const;

  // Edges between newborns come from the prior.
  void propose_birth(std::span<const Candidate> joining, Rng& rng);
  void propose_death(std::vector<Node> leaving);

  // Regressions of each channel of a layer on the others and a constant, over the pixels of the batch: what they would
  // have to do in its place. They follow from the layer's incoming weights alone.
  struct Substitutes {
    std::size_t layer = 0, width = 0;
    std::vector<double> inverse;  // of the ridged means of products, the constant last
    std::vector<double> squares;  // mean squares of the channels

    // Shares of the others in the place of a channel, and the constant last; its own is 0.
    std::vector<double> shares(std::size_t channel) const;
    // The same for a further channel, from the means of its products with the others and with a constant.
    std::vector<double> shares_of_newcomer(std::span<const double> products) const;
    double residual(std::size_t channel) const;  // mean square
  };
  // Those of the current state are found once.
  const Substitutes& substitutes(At at, std::size_t layer);
  // How much the layers above would feel the loss of each channel whose substitutes are at work: the mean square of the
  // change of what their norms give, and of what a shortcut adds.
  std::vector<double> losses(At at, std::size_t layer, const Substitutes& substitutes);
  // As propose_death and propose_birth of one channel, in which the others take over what they can of it, and give it
  // back. Neither changes volume. Returned: the change of the log prior of their weights.
  double propose_refitted_death(Node leaving, const Substitutes& substitutes);
  double propose_refitted_birth(const Candidate& joining, Rng& rng);

  // Running statistics follow: a newborn's start with those of the batch, those of channels above move as the batch's
  // do.
  void accept(Rng& rng);

  // Derivatives of the log-likelihood by the gates: of the active channels, layer after layer, then of the candidates.
  std::vector<double> gate_derivatives(At at, std::span<const Candidate> candidates = {});

 private:
  const Gates& gates(At at) const { return at == At::current ? state_->gates : proposed_gates_; }
  std::span<const float> weights(At at) const { return at == At::current ? state_->weights : proposed_weights_; }
  ImageNetwork& network(At at) { return at == At::current ? *current_ : proposed_; }
  const std::vector<double>& terms(At at);
  std::size_t rows_of(std::size_t batches) const;
  void look_at_current();
  void compare(std::size_t batch);
  void look_at_proposed();
  std::size_t lowest_change() const;
  void move_running_statistics();
  void place(std::span<const Candidate> joining, Rng& rng);
  double hand_over(std::span<float> weights, const ImageShape& shape, Node node, double sign,
                   std::span<const double> shares) const;
  std::vector<double> derivatives(ImageNetwork& network) const;
  std::vector<double> candidate_derivatives(At at, std::span<const Candidate> candidates);

  const ImageModel* model_;
  ConvEngine* engine_;
  ImageNetwork own_;
  ImageNetwork* current_;
  ImageNetwork proposed_, extended_;
  ImageRows rows_;
  std::vector<ImageRows> pool_;
  ImageState* state_ = nullptr;
  double scale_ = 1;
  std::size_t stale_ = 1;  // the lowest unit that current_ has not run as it is now
  Gates proposed_gates_;
  std::vector<float> proposed_weights_;
  std::vector<Node> leaving_;
  std::vector<double> current_terms_, proposed_terms_, differences_;
  std::size_t compared_ = 0;  // batches in differences_
  Substitutes of_current_, of_proposed_;

  // A further batch in moves that stay in a layer.
  struct Held {
    std::unique_ptr<ImageNetwork> below;  // as far as it is read; null: not held
    bool known = false;
    std::vector<double> terms, proposed_terms;  // of the current state, if known
  };
  std::size_t layer_ = 0;  // that the moves stay in; 0: in none
  std::vector<Held> held_;
  std::size_t floats_held_ = 0;
};

}  // namespace mbnn
