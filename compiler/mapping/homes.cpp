#include "compiler/mapping/homes.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "archdsl/tensor/rounding.h"

namespace accord {

namespace {

/// Operators between whose tensors no layout passes.
bool has_own_layout(const Operator& op) {
  return op.type == "Reshape" || op.type == "Transpose" || op.type == "MatMul" || op.type == "Gemm";
}

bool has_windows(const Operator& op) {
  return op.type == "Conv" || op.type == "ConvTranspose" || op.type == "LRN" || op.type == "Resize" ||
         op.type == "DepthToSpace" || op.type == "SpaceToDepth" || op.type.ends_with("Pool");
}

/// Marks the tensors of rank 4 that are images.
class ImageSearch {
 public:
  explicit ImageSearch(const Network& network) : network_(network), parent_(network.tensors.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::vector<bool> run() {
    std::vector<std::size_t> seen;
    for (const auto& op : network_.operators) {
      if (has_own_layout(op)) continue;
      for (const TensorId id : op.inputs) join(id, op.outputs[0]);
      for (const TensorId id : op.outputs) join(id, op.outputs[0]);
      if (has_windows(op)) seen.push_back(static_cast<std::size_t>(op.outputs[0]));
    }
    std::vector<bool> roots(parent_.size(), false), images(parent_.size(), false);
    for (const auto id : seen) roots[find(id)] = true;
    for (std::size_t id = 0; id < images.size(); ++id) images[id] = roots[find(id)];
    return images;
  }

 private:
  std::size_t find(std::size_t id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void join(TensorId id, TensorId other) {
    if (id == no_tensor || other == no_tensor || network_.tensor(id).is_constant()) return;
    parent_[find(static_cast<std::size_t>(id))] = find(static_cast<std::size_t>(other));
  }

  const Network& network_;
  std::vector<std::size_t> parent_;
};

/// Indices from outermost to innermost: channels last for images.
std::vector<std::size_t> storage_order(std::size_t rank, bool image) {
  if (rank == 4 && image) return {0, 2, 3, 1};
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

void settle(Home& home, const Shape& shape, ElementType type) {
  const std::size_t rank = shape.size();
  home.before.resize(rank, 0);
  home.after.resize(rank, 0);
  home.strides.assign(rank, 0);
  assert(home.order.size() == rank);
  std::int64_t step = bytes(type);
  for (auto it = home.order.rbegin(); it != home.order.rend(); ++it) {
    home.strides[*it] = step;
    step *= home.before[*it] + shape[*it] + home.after[*it];
    if (it == home.order.rbegin()) step = round_up(step, home.pitch);
  }
  home.bytes = step;
  home.margin_bytes = step - element_count(shape) * bytes(type);
  home.origin = 0;
  for (std::size_t i = 0; i < rank; ++i) home.origin += home.before[i] * home.strides[i];
}

void reach(Home& home, const Shape& shape, const Access& access, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    std::int64_t low = access.indices[i].offset;
    std::int64_t high = low;
    for (const auto& [it, coefficient] : access.indices[i].terms) {
      (coefficient < 0 ? low : high) += coefficient * (extents[it] - 1);
    }
    home.before[i] = std::max(home.before[i], -low);
    home.after[i] = std::max(home.after[i], high + 1 - shape[i]);
  }
}

Homes initial_homes(const Network& network) {
  const auto images = ImageSearch(network).run();
  Homes homes(network.tensors.size());
  for (std::size_t t = 0; t < homes.size(); ++t) {
    homes[t].order = storage_order(network.tensors[t].shape.size(), images[t]);
    settle(homes[t], network.tensors[t].shape, network.tensors[t].type);
  }
  return homes;
}

}  // namespace accord
