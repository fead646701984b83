// Shapes of reductions and of operators that normalise along axes.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

Shape reduced(const Shape& x, const std::vector<std::int64_t>& axes, bool keep) {
  Shape shape;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    if (!gone) shape.push_back(x[d]);
    if (gone && keep) shape.push_back(1);
  }
  return shape;
}

void infer_reduce(OnnxNode& node) {
  const auto& x = node.shape(0);
  auto axes = node.integers_from(1, "axes").value_or(std::vector<std::int64_t>{});
  if (axes.empty()) {
    if (node.get_int("noop_with_empty_axes", 0) == 0) {
      axes.resize(x.size());
      std::iota(axes.begin(), axes.end(), 0);
    }
  }
  axes = normalise_axes(axes, x.size());
  const auto keep = node.get_int("keepdims", 1);
  node.op.attributes["axes"] = axes;
  node.op.attributes["keepdims"] = keep;
  node.op.attributes.erase("noop_with_empty_axes");
  node.keep_inputs(1);
  node.result(node.input(0).type, reduced(x, axes, keep != 0));
}

void infer_arg_reduce(OnnxNode& node) {
  const auto axis = normalise_axis(node.get_int("axis", 0), node.shape(0).size());
  node.op.attributes["axis"] = axis;
  node.result(ElementType::i64, reduced(node.shape(0), {axis}, node.get_int("keepdims", 1) != 0));
}

/// Before opset 13 the operator works on the input seen as a matrix, split at `axis` (default 1).
void infer_softmax(OnnxNode& node) {
  const auto& x = node.shape(0);
  const bool old = node.opset() < 13;
  auto axis = normalise_axis(node.get_int("axis", old ? 1 : -1), x.size());
  const auto split = x.begin() + static_cast<std::ptrdiff_t>(axis);
  if (old && element_count(Shape(split + 1, x.end())) != 1) {
    node.computed_in = Shape{element_count(Shape(x.begin(), split)), element_count(Shape(split, x.end()))};
    axis = 1;
  }
  node.op.attributes["axis"] = axis;
  node.same_as(0);
}

/// LayerNormalization and, without mean and bias, RMSNormalization.
void infer_layer_normalization(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", -1), x.size());
  node.op.attributes["axis"] = axis;
  const Shape normalised(x.begin() + static_cast<std::ptrdiff_t>(axis), x.end());
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.has_input(i) && broadcast(normalised, node.shape(i)) != normalised) {
      throw Error(fmt::format("input {} has shape {}, not {}", i, to_string(node.shape(i)), to_string(normalised)));
    }
  }
  if (node.output_count > 1) throw Error("mean and deviation as results are not supported");
  node.same_as(0);
}

/// Scale and bias are one per group before opset 21, one per channel since.
void infer_group_normalization(OnnxNode& node) {
  const auto& x = node.shape(0);
  if (x.size() < 2) throw Error("the input has no channels");
  const auto groups = node.get_int("num_groups", 0);
  if (groups < 1 || x[1] % groups != 0) throw Error(fmt::format("{} groups of {} channels", groups, x[1]));
  const Shape expected = {node.opset() < 21 ? groups : x[1]};
  for (const std::size_t i : {1, 2}) {
    if (node.shape(i) != expected) {
      throw Error(fmt::format("input {} has shape {}, not {}", i, to_string(node.shape(i)), to_string(expected)));
    }
  }
  node.same_as(0);
}

void infer_lp_normalization(OnnxNode& node) {
  node.op.attributes["axis"] = normalise_axis(node.get_int("axis", -1), node.shape(0).size());
  if (const auto p = node.get_int("p", 2); p != 1 && p != 2) throw Error(fmt::format("p is {}", p));
  node.same_as(0);
}

void infer_cumsum(OnnxNode& node) {
  const auto axes = node.constant_integers(1);
  if (axes.size() != 1) throw Error("CumSum needs one axis");
  node.op.attributes["axis"] = normalise_axis(axes[0], node.shape(0).size());
  node.keep_inputs(1);
  node.same_as(0);
}

}  // namespace

void add_reduction_rules(OnnxRules& rules) {
  for (const auto* name : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                           "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
    rules[name] = {1, 2, infer_reduce};
  }
  rules["ArgMax"] = {1, 1, infer_arg_reduce};
  rules["ArgMin"] = {1, 1, infer_arg_reduce};
  rules["Softmax"] = {1, 1, infer_softmax};
  rules["LogSoftmax"] = {1, 1, infer_softmax};
  rules["Hardmax"] = {1, 1, infer_softmax};
  rules["LayerNormalization"] = {2, 3, infer_layer_normalization};
  rules["RMSNormalization"] = {2, 2, infer_layer_normalization};
  rules["GroupNormalization"] = {3, 3, infer_group_normalization};
  rules["LpNormalization"] = {1, 1, infer_lp_normalization};
  rules["CumSum"] = {2, 2, infer_cumsum};
}

}  // namespace accord
