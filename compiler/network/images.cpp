#include "compiler/network/images.h"

#include <numeric>
#include <utility>

namespace accord {

namespace {

/// Operators between whose tensors no layout passes.
bool has_own_layout(const Operator& op) {
  return op.type == "Reshape" || op.type == "Transpose" || op.type == "MatMul" || op.type == "Gemm";
}

/// A plane read as one row, or a row as a plane: [N, C, H, W] and [N, C, H * W].
bool flattens_plane(const Network& network, const Operator& op) {
  if (op.type != "Reshape") return false;
  Shape row = network.tensor(op.inputs[0]).shape, plane = network.tensor(op.outputs[0]).shape;
  if (row.size() > plane.size()) std::swap(row, plane);
  return row.size() == 3 && plane.size() == 4 && row[0] == plane[0] && row[1] == plane[1];
}

bool has_windows(const Operator& op) {
  return op.type == "Conv" || op.type == "ConvTranspose" || op.type == "LRN" || op.type == "Resize" ||
         op.type == "DepthToSpace" || op.type == "SpaceToDepth" || op.type.ends_with("Pool");
}

class ImageSearch {
 public:
  explicit ImageSearch(const Network& network) : network_(network), parent_(network.tensors.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::vector<bool> run() {
    std::vector<std::size_t> seen;
    for (const auto& op : network_.operators) {
      if (has_own_layout(op) && !flattens_plane(network_, op)) continue;
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

}  // namespace

std::vector<bool> image_tensors(const Network& network) { return ImageSearch(network).run(); }

}  // namespace accord
