#include "mbnn/net/dense/activations.h"

#include <algorithm>
#include <functional>

namespace mbnn {

namespace {

void positive_copy(const float* z, std::size_t nodes, std::size_t rows, float* h) {
  for (std::size_t k = 0; k < nodes; ++k)
    for (std::size_t r = 0; r < rows; ++r) h[k * kTileRows + r] = std::max(z[k * kTileRows + r], 0.0f);
}

// z of one tile of a layer from the pre-activations below it. Many outputs would take the positive parts again and
// again, so those are taken once, into h.
void forward_from(const float* below, std::size_t in, const float* panels, std::size_t out, float* z, std::size_t rows,
                  float* h) {
  if (out <= 2 * kMaxPanel) return kernels().forward_positive(below, in, panels, out, z, rows);
  positive_copy(below, in, rows, h);
  kernels().forward(h, in, panels, out, z, rows, false);
}

// Columns first..last of the affine map, with its biases, in a block of their own.
std::vector<float> columns(const float* w, std::size_t inputs, std::size_t outputs, std::size_t first) {
  std::vector<float> block;
  block.reserve((inputs + 1) * (outputs - first));
  for (std::size_t k = 0; k <= inputs; ++k) block.insert(block.end(), w + k * outputs + first, w + (k + 1) * outputs);
  return block;
}

}  // namespace

void Activations::View::positive_part(std::size_t l, std::size_t tile, std::size_t rows, float* h) const {
  const Tiles& z = *layers[l - 1];
  if (l != changed_layer) return positive_copy(z.tile(tile), z.nodes(), rows, h);
  if (joining) {
    positive_copy(z.tile(tile), z.nodes(), rows, h);
    positive_copy(joining->tile(tile), joining->nodes(), rows, h + z.nodes() * kTileRows);
    return;
  }
  for (std::size_t k = 0; k < z.nodes(); ++k) {
    if (std::find(leaving.begin(), leaving.end(), k) != leaving.end()) continue;
    positive_copy(z.node(tile, k), 1, rows, h);
    h += kTileRows;
  }
}

Activations::View Activations::current() const {
  View view;
  for (const Tiles& layer : layers_) view.layers.push_back(&layer);
  return view;
}

Activations::View Activations::proposed() const {
  View view;
  for (std::size_t l = 1; l <= layers_.size(); ++l)
    view.layers.push_back(l <= changed_ ? &layers_[l - 1] : &proposed_[l - 1]);
  view.changed_layer = changed_;
  if (leaving_.empty()) view.joining = &joining_;
  view.leaving = leaving_;
  return view;
}

void Activations::rebuild(const Batch& batch, const Shape& shape, std::span<const float> weights) {
  batch_ = &batch;
  const std::size_t maps = shape.affine_maps();
  layers_.resize(maps);
  proposed_.resize(maps);
  const std::size_t widest = *std::max_element(shape.widths.begin(), shape.widths.end());
  h_.resize(std::max(h_.size(), widest * kTileRows));
  for (std::size_t l = 1; l <= maps; ++l) {
    const std::size_t in = shape.widths[l - 1], out = shape.widths[l];
    layers_[l - 1].reset(batch.rows(), out);
    panels_.resize(shape.affine_size(l - 1));
    pack_forward(weights.data() + shape.offset(l - 1), in, out, panels_.data());
    for (std::size_t t = 0; t < batch.x.count(); ++t) {
      const std::size_t rows = batch.x.padded_rows(t);
      float* z = layers_[l - 1].tile(t);
      if (l == 1)
        kernels().forward(batch.x.tile(t), in, panels_.data(), out, z, rows, false);
      else
        forward_from(layers_[l - 2].tile(t), in, panels_.data(), out, z, rows, h_.data());
    }
  }
}

void Activations::propose(const Change& change) {
  const Shape &before = change.before, &after = change.after;
  const std::size_t maps = before.affine_maps(), count = batch_->x.count();
  const bool birth = change.leaving.empty();
  changed_ = 1;
  if (birth)
    while (before.widths[changed_] == after.widths[changed_]) ++changed_;
  else
    changed_ = std::min_element(change.leaving.begin(), change.leaving.end(), [](Node a, Node b) {
                 return a.layer < b.layer;
               })->layer;
  const std::size_t widest = *std::max_element(after.widths.begin(), after.widths.end()) + 1;
  h_.resize(std::max(h_.size(), widest * kTileRows));

  auto leaving_of = [&](std::size_t l) {
    std::vector<std::size_t> positions;
    for (const Node& node : change.leaving)
      if (node.layer == l) positions.push_back(node.position);
    std::sort(positions.begin(), positions.end(), std::greater<>());
    return positions;
  };
  // z of the last `out - first` nodes of layer l in full, into target.
  auto compute = [&](std::size_t l, std::size_t first, Tiles& target, std::size_t target_first) {
    const std::size_t in = after.widths[l - 1], out = after.widths[l];
    const float* w = change.weights_after.data() + after.offset(l - 1);
    panels_.resize((in + 1) * (out - first));
    if (first == 0)
      pack_forward(w, in, out, panels_.data());
    else
      pack_forward(columns(w, in, out, first).data(), in, out - first, panels_.data());
    const View view = proposed();
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t rows = batch_->x.padded_rows(t);
      float* z = target.node(t, target_first);
      if (l == 1) {
        kernels().forward(batch_->x.tile(t), in, panels_.data(), out - first, z, rows, false);
      } else if (l - 1 != changed_) {
        forward_from(view.layers[l - 2]->tile(t), in, panels_.data(), out - first, z, rows, h_.data());
      } else {
        view.positive_part(l - 1, t, rows, h_.data());
        kernels().forward(h_.data(), in, panels_.data(), out - first, z, rows, false);
      }
    }
  };

  leaving_ = leaving_of(changed_);
  if (birth) {
    joining_.reset(batch_->rows(), after.widths[changed_] - before.widths[changed_]);
    compute(changed_, before.widths[changed_], joining_, 0);
  }

  // The layer above: the nodes that it already had change by the edges of the flipped nodes.
  const std::size_t above = changed_ + 1;
  Tiles& z = proposed_[above - 1];
  const std::size_t old_out = before.widths[above], new_out = after.widths[above];
  z.reset(batch_->rows(), new_out);
  const float* w =
      (birth ? change.weights_after : change.weights_before).data() + (birth ? after : before).offset(changed_);
  const auto gone = leaving_of(above);
  std::vector<std::size_t> flipped = leaving_;  // rows of w
  if (birth)
    for (std::size_t i = 0; i < joining_.nodes(); ++i) flipped.push_back(before.widths[changed_] + i);
  const std::size_t stride = birth ? new_out : old_out, kept_count = old_out - gone.size();
  std::vector<std::size_t> kept;  // old positions that stay, in order; only listed if some do not
  std::vector<float> gathered;    // edges of the flipped nodes to the kept ones; the same
  if (!gone.empty()) {
    for (std::size_t j = 0; j < old_out; ++j)
      if (std::find(gone.begin(), gone.end(), j) == gone.end()) kept.push_back(j);
    for (std::size_t position : flipped)
      for (std::size_t j : kept) gathered.push_back(w[position * stride + j]);
  }
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t rows = batch_->x.padded_rows(t);
    const float* from = layers_[above - 1].tile(t);
    if (!gone.empty()) {
      for (std::size_t j = 0; j < kept_count; ++j) std::copy_n(layers_[above - 1].node(t, kept[j]), rows, z.node(t, j));
      from = z.tile(t);
    }
    for (std::size_t i = 0; i < flipped.size(); ++i) {
      const float* node = birth ? joining_.node(t, i) : layers_[changed_ - 1].node(t, leaving_[i]);
      const float* edges = gone.empty() ? w + flipped[i] * stride : gathered.data() + i * kept_count;
      kernels().add_node(node, edges, birth ? 1.0f : -1.0f, kept_count, from, z.tile(t), rows);
      from = z.tile(t);
    }
  }
  if (birth && new_out > old_out) compute(above, old_out, z, old_out);

  for (std::size_t l = above + 1; l <= maps; ++l) {
    proposed_[l - 1].reset(batch_->rows(), after.widths[l]);
    compute(l, 0, proposed_[l - 1], 0);
  }
}

void Activations::accept() {
  if (leaving_.empty())
    layers_[changed_ - 1].append(joining_);
  else
    for (std::size_t position : leaving_) layers_[changed_ - 1].remove(position);
  for (std::size_t l = changed_ + 1; l <= layers_.size(); ++l) std::swap(layers_[l - 1], proposed_[l - 1]);
}

}  // namespace mbnn
