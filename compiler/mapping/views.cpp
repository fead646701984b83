#include "compiler/mapping/views.h"

#include <algorithm>

namespace accord {
namespace {

using Integers = std::vector<std::int64_t>;

std::optional<View> slice_view(const Network& network, const Operator& op, const HomeStrides& strides) {
  const Shape& from = network.tensors[op.inputs[0]].shape;
  const auto starts = attribute(op, "starts", Integers{}), axes = attribute(op, "axes", Integers{});
  const auto steps = attribute(op, "steps", Integers(starts.size(), 1));
  View view{strides, 0};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    const auto start = std::clamp<std::int64_t>(starts[i], 0, from[axis] - 1);
    view.offset += start * strides[axis];
    view.strides[axis] *= steps[i];
  }
  return view;
}

View transpose_view(const Operator& op, const HomeStrides& strides) {
  View view;
  for (const auto axis : attribute(op, "perm", Integers{})) {
    view.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return view;
}

/// Whether the innermost elements of the result, in its own order, would lie side by side.
bool keeps_runs(const Home& home, const Tensor& tensor, const HomeStrides& strides) {
  for (auto it = home.order.rbegin(); it != home.order.rend(); ++it) {
    if (tensor.shape[*it] > 1) return strides[*it] == bytes(tensor.type);
  }
  return true;
}

}  // namespace

std::optional<HomeStrides> reshaped(const Shape& from, const HomeStrides& strides, const Shape& to) {
  struct Run {
    std::int64_t extent, step;
  };
  std::vector<Run> runs;  // innermost first, each as long as its elements are equally far apart
  for (std::size_t d = from.size(); d-- > 0;) {
    if (from[d] == 1) continue;
    if (!runs.empty() && strides[d] == runs.back().step * runs.back().extent)
      runs.back().extent *= from[d];
    else
      runs.push_back({from[d], strides[d]});
  }
  HomeStrides result(to.size(), 0);
  std::size_t at = 0;
  for (std::size_t d = to.size(); d-- > 0;) {
    if (at < runs.size() && runs[at].extent == 1) ++at;
    if (at == runs.size()) continue;  // extents of 1 outside all elements
    result[d] = runs[at].step;
    if (runs[at].extent % to[d] != 0) return std::nullopt;
    runs[at].extent /= to[d];
    runs[at].step *= to[d];
  }
  return result;
}

std::optional<View> view_of(const Network& network, const Operator& op, const HomeStrides& strides) {
  if (op.type == "Slice") return slice_view(network, op, strides);
  if (op.type == "Transpose") return transpose_view(op, strides);
  const auto shown = reshaped(network.tensors[op.inputs[0]].shape, strides, network.tensors[op.outputs[0]].shape);
  if (!shown) return std::nullopt;
  return View{*shown, 0};
}

bool shows_input(const Operator& op) {
  return op.type == "Reshape" || op.type == "Identity" || op.type == "Slice" || op.type == "Transpose";
}

bool may_be_view(const Network& network, const Operator& op, const Homes& homes) {
  if (!shows_input(op)) return false;
  if (op.type != "Slice" && op.type != "Transpose") return true;
  const auto view = view_of(network, op, homes[op.inputs[0]].strides);
  return keeps_runs(homes[op.outputs[0]], network.tensors[op.outputs[0]], view->strides);
}

bool touches_part(const Network& network, const Work& work) {
  const auto touches = [&](TensorId part) {
    return part != no_tensor && std::ranges::count(work.operands, part, &WorkOperand::tensor) != 0;
  };
  return std::ranges::any_of(network.operators, [&](const Operator& op) {
    return op.type == "Concat" && std::ranges::any_of(op.inputs, touches);
  });
}

}  // namespace accord
