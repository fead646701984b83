// Shapes of operators that take or put elements where indices say.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

void expect_indices(const OnnxNode& node, std::size_t i) {
  if (is_float(node.input(i).type)) throw Error("the indices must be integers");
}

void expect_input_shape(const OnnxNode& node, std::size_t i, const Shape& expected) {
  if (node.shape(i) == expected) return;
  throw Error(fmt::format("input {} has shape {}, not {}", i, to_string(node.shape(i)), to_string(expected)));
}

/// Indices along `axis` of x, which beside it reach no further than x does.
void expect_indices_along(const OnnxNode& node, std::size_t axis) {
  expect_indices(node, 1);
  const Shape &x = node.shape(0), &indices = node.shape(1);
  bool fits = indices.size() == x.size();
  for (std::size_t d = 0; fits && d < x.size(); ++d) fits = d == axis || indices[d] <= x[d];
  if (!fits) throw Error(fmt::format("indices {} do not fit {}", to_string(indices), to_string(x)));
  expect_within(node, x[axis]);
}

void infer_gather_elements(OnnxNode& node) {
  const auto axis = normalise_axis(node.get_int("axis", 0), node.shape(0).size());
  expect_indices_along(node, static_cast<std::size_t>(axis));
  node.op.attributes["axis"] = axis;
  node.result(node.input(0).type, node.shape(1));
}

/// How many dimensions of x, after `batch_dims`, one tuple of the indices names; the last dimension says it.
std::size_t tuple_length(const OnnxNode& node, std::size_t batch_dims) {
  expect_indices(node, 1);
  const Shape &x = node.shape(0), &indices = node.shape(1);
  const bool batches = x.size() > batch_dims && indices.size() > batch_dims &&
                       std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(batch_dims), indices.begin());
  if (!batches || indices.back() < 1 || indices.back() > std::ssize(x) - static_cast<std::ptrdiff_t>(batch_dims)) {
    throw Error(fmt::format("indices {} do not fit {}", to_string(indices), to_string(x)));
  }
  return static_cast<std::size_t>(indices.back());
}

/// The places that the indices name, each with the part of x that a tuple leaves.
Shape named_parts(const OnnxNode& node, std::size_t first_left) {
  const Shape &x = node.shape(0), &indices = node.shape(1);
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(first_left), x.end());
  return shape;
}

void infer_gather_nd(OnnxNode& node) {
  const auto batch_dims = node.get_int("batch_dims", 0);
  if (batch_dims < 0) throw Error(fmt::format("batch_dims is {}", batch_dims));
  const auto batches = static_cast<std::size_t>(batch_dims);
  const auto length = tuple_length(node, batches);
  node.op.attributes["batch_dims"] = batch_dims;
  node.result(node.input(0).type, named_parts(node, batches + length));
}

void expect_known_reduction(const OnnxNode& node) {
  const auto reduction = node.get("reduction", std::string("none"));
  for (const auto* known : {"none", "add", "max", "min"}) {
    if (reduction == known) return;
  }
  throw Error("reduction '" + reduction + "' is not supported");
}

/// Scatter is the name of opsets 9 and 10.
void infer_scatter_elements(OnnxNode& node) {
  const auto axis = normalise_axis(node.get_int("axis", 0), node.shape(0).size());
  expect_indices_along(node, static_cast<std::size_t>(axis));
  expect_input_shape(node, 2, node.shape(1));
  expect_known_reduction(node);
  node.op.type = "ScatterElements";
  node.op.attributes["axis"] = axis;
  node.same_as(0);
}

void infer_scatter_nd(OnnxNode& node) {
  expect_input_shape(node, 2, named_parts(node, tuple_length(node, 0)));
  expect_known_reduction(node);
  node.same_as(0);
}

/// The depth becomes an attribute; indices and the two values stay.
void infer_one_hot(OnnxNode& node) {
  const auto depth = node.constant_numbers(1);
  if (depth.size() != 1 || !(depth[0] >= 1 && depth[0] <= static_cast<double>(max_elements))) {
    throw Error("the depth must be one positive number");
  }
  expect_input_shape(node, 2, {2});
  auto shape = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(depth[0]));
  node.op.attributes = {{"axis", axis}, {"depth", static_cast<std::int64_t>(depth[0])}};
  node.result(node.input(2).type, shape);
  node.op.inputs.erase(node.op.inputs.begin() + 1);
  node.inputs.erase(node.inputs.begin() + 1);
}

void infer_top_k(OnnxNode& node) {
  auto shape = node.shape(0);
  const auto axis = normalise_axis(node.get_int("axis", -1), shape.size());
  const auto given = node.has_input(1) ? node.constant_integers(1) : std::vector{node.get_int("k", 0)};
  auto& extent = shape[static_cast<std::size_t>(axis)];
  if (given.size() != 1 || given[0] < 1 || given[0] > extent) {
    throw Error(fmt::format("k is {} of {}", given.empty() ? 0 : given[0], extent));
  }
  extent = given[0];
  node.op.attributes = {{"axis", axis}, {"largest", node.get_int("largest", 1)}};
  node.keep_inputs(1);
  node.result(node.input(0).type, shape);
  node.result(ElementType::i64, shape);
}

}  // namespace

void add_selection_rules(OnnxRules& rules) {
  rules["GatherElements"] = {2, 2, infer_gather_elements};
  rules["GatherND"] = {2, 2, infer_gather_nd};
  rules["ScatterElements"] = {3, 3, infer_scatter_elements};
  rules["Scatter"] = {3, 3, infer_scatter_elements};
  rules["ScatterND"] = {3, 3, infer_scatter_nd};
  rules["OneHot"] = {3, 3, infer_one_hot};
  rules["TopK"] = {1, 2, infer_top_k};
}

}  // namespace accord
