// Deep ensembles of convolutional networks: dense ones, and ones pruned by a learnt global ranking of their channels.
#pragma once

#include "mbnn/images/baselines/baseline.h"
#include "mbnn/images/loader.h"

namespace mbnn {

// Networks from different random starts, trained one after another (Lakshminarayanan et al. 2017).
class DenseEnsemble : public ImageBaseline {
 public:
  using ImageBaseline::ImageBaseline;
  static std::int64_t length(const ImageBaselineSetting& s) { return s.networks * s.training(); }
  std::int64_t batches_in_all() const override { return length(setting()); }

 protected:
  bool advance(const ImageRows& rows) override;
};

// Each network is trained for half of the epochs, pruned by LeGR (Chin et al. 2020), and trained for the other half.
// The search for the ranking comes between, outside of these epochs.
class PrunedEnsemble : public ImageBaseline {
 public:
  // Candidates of the search are judged on the held-back images, which no training sees.
  PrunedEnsemble(const ImageBaselineSetting& setting, const ImageSet& held_back, const ImageScaling& scaling)
      : ImageBaseline(setting), held_back_(&held_back), scaling_(&scaling) {}
  static std::int64_t length(const ImageBaselineSetting& s) {
    return s.networks * (s.training() + searching(*s.options));
  }
  std::int64_t batches_in_all() const override { return length(setting()); }

 protected:
  bool advance(const ImageRows& rows) override;
  void write_more(ByteWriter& out) const override;
  void read_more(ByteReader& in) override;

 private:
  // Channels are ranked by factor |filter|^2 + summand.
  struct Ranking {
    std::vector<double> factor, summand;  // by gate
    double fitness = 0;
  };
  std::int64_t before_pruning() const { return batches((epochs() + 1) / 2); }
  static std::int64_t searching(const ImageBaselineOptions& o) {
    return static_cast<std::int64_t>(o.candidates) * o.tuning_batches;
  }
  std::int64_t searching() const { return searching(options()); }
  std::int64_t after_pruning() const { return batches(epochs() / 2); }
  std::int64_t of_network() const { return before_pruning() + searching() + after_pruning(); }

  void search(const ImageRows& rows, std::int64_t batch);
  Ranking next_ranking(std::size_t candidate);
  void enter(std::size_t candidate);
  void prune(const Ranking& ranking);
  double fitness();

  const ImageSet* held_back_;
  const ImageScaling* scaling_;
  ImageBatch judged_;
  ImageState dense_;
  Ranking current_, best_;
  std::vector<Ranking> population_;  // candidate c is at c modulo its size: the newcomer takes the oldest's place
};

}  // namespace mbnn
