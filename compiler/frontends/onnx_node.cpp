#include "compiler/frontends/onnx_node.h"

#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/network/constants.h"

namespace accord {

const Tensor& OnnxNode::input(std::size_t i) const {
  if (!has_input(i)) throw Error(fmt::format("input {} is missing", i));
  return *inputs[i];
}

std::vector<std::int64_t> OnnxNode::constant_integers(std::size_t i) const {
  const auto& tensor = input(i);
  if (!tensor.is_constant()) throw Error(fmt::format("input {} ('{}') must be constant", i, tensor.name));
  if (is_float(tensor.type)) throw Error(fmt::format("input {} ('{}') must hold integers", i, tensor.name));
  return integers_of(tensor);
}

std::vector<double> OnnxNode::constant_numbers(std::size_t i) const {
  const auto& tensor = input(i);
  if (!tensor.is_constant()) throw Error(fmt::format("input {} ('{}') must be constant", i, tensor.name));
  return numbers_of(tensor);
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers_from(std::size_t input_index,
                                                                 const std::string& key) const {
  if (has_input(input_index)) return constant_integers(input_index);
  if (has(key)) return get(key, std::vector<std::int64_t>{});
  return std::nullopt;
}

void OnnxNode::keep_inputs(std::size_t count) {
  if (count >= inputs.size()) return;
  inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(count), inputs.end());
  op.inputs.resize(count);
}

void OnnxNode::result(ElementType type, Shape shape) {
  check_shape(shape);
  results.push_back({type, std::move(shape)});
}

const OnnxRules& onnx_rules() {
  static const OnnxRules rules = [] {
    OnnxRules all;
    add_window_rules(all);
    add_elementwise_rules(all);
    add_layout_rules(all);
    add_resize_rules(all);
    add_contraction_rules(all);
    add_attention_rules(all);
    add_reduction_rules(all);
    add_selection_rules(all);
    add_quantised_rules(all);
    return all;
  }();
  return rules;
}

std::int64_t normalise_axis(std::int64_t axis, std::size_t rank, bool past_end) {
  const auto limit = static_cast<std::int64_t>(rank) + (past_end ? 1 : 0);
  const auto positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (positive < 0 || positive >= limit) throw Error(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return positive;
}

std::vector<std::int64_t> normalise_axes(std::vector<std::int64_t> axes, std::size_t rank) {
  for (auto& axis : axes) axis = normalise_axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) throw Error("an axis occurs twice");
  return axes;
}

void expect_within(const OnnxNode& node, std::int64_t extent) {
  if (!node.input(1).is_constant()) return;
  for (const std::int64_t index : node.constant_integers(1)) {
    if (index < -extent || index >= extent) {
      throw Error(fmt::format("index {} is not among the {} elements", index, extent));
    }
  }
}

Shape broadcast(const Shape& a, const Shape& b) {
  const auto rank = std::max(a.size(), b.size());
  Shape shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto of = [&](const Shape& s) { return i + s.size() < rank ? 1 : s[i + s.size() - rank]; };
    const auto x = of(a);
    const auto y = of(b);
    if (x != y && x != 1 && y != 1) {
      throw Error(fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)));
    }
    shape[i] = x == 1 ? y : x;
  }
  return shape;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace accord
