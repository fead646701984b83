#include "compiler/frontends/onnx_constant.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/onnx_arithmetic.h"
#include "compiler/frontends/onnx_bodies.h"
#include "compiler/frontends/strided_view.h"
#include "compiler/reference/execute.h"

namespace accord {

namespace {

using Bytes = std::vector<std::byte>;

Tensor tensor_of(const OnnxNode& node, const onnx::AttributeProto& attribute) {
  auto tensor = read_tensor(*node.file, attribute.t());
  if (!tensor) throw Error("the external data of a constant is missing");
  return *std::move(tensor);
}

std::size_t element_size(const Tensor& tensor) { return static_cast<std::size_t>(bytes(tensor.type)); }

}  // namespace

Tensor constant_value(const OnnxNode& node) {
  if (const auto* value = find_attribute(node.proto->attribute(), "value")) return tensor_of(node, *value);
  if (const auto* value = find_attribute(node.proto->attribute(), "value_float"))
    return make_constant("", {}, std::vector{value->f()});
  if (const auto* value = find_attribute(node.proto->attribute(), "value_int")) {
    return make_constant("", {}, std::vector<std::int64_t>{value->i()});
  }
  if (const auto* value = find_attribute(node.proto->attribute(), "value_floats")) {
    return make_constant("", {value->floats_size()},
                         std::vector<float>(value->floats().begin(), value->floats().end()));
  }
  if (const auto* value = find_attribute(node.proto->attribute(), "value_ints")) {
    return make_constant("", {value->ints_size()},
                         std::vector<std::int64_t>(value->ints().begin(), value->ints().end()));
  }
  throw Error("the kind of constant is not supported");
}

Tensor fill_value(const OnnxNode& node) {
  const auto* value = find_attribute(node.proto->attribute(), "value");
  if (!value) return make_constant("", {1}, std::vector{0.0F});
  auto tensor = tensor_of(node, *value);
  if (element_count(tensor.shape) != 1) throw Error("value must hold one element");
  return tensor;
}

namespace {

ConstantData gather_view(const Tensor& x, const Shape& shape, const StridedView& view) {
  const auto size = element_size(x);
  Bytes data(count_of(shape) * size);
  walk(shape, view, [&](std::size_t i, std::int64_t offset) {
    std::memcpy(data.data() + i * size, x.data->data() + static_cast<std::size_t>(offset) * size, size);
  });
  return owned(std::move(data));
}

ConstantData fold_transpose(const OnnxNode& node) {
  const auto strides = dense_strides(node.shape(0));
  StridedView view;
  for (const auto axis : node.get("perm", std::vector<std::int64_t>{})) {
    view.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return gather_view(node.input(0), node.results[0].shape, view);
}

ConstantData fold_slice(const OnnxNode& node) {
  StridedView view{0, dense_strides(node.shape(0))};
  const auto axes = node.get("axes", std::vector<std::int64_t>{});
  const auto starts = node.get("starts", std::vector<std::int64_t>{});
  const auto steps = node.get("steps", std::vector<std::int64_t>{});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto& stride = view.strides[static_cast<std::size_t>(axes[i])];
    view.base += starts[i] * stride;
    stride *= steps[i];
  }
  return gather_view(node.input(0), node.results[0].shape, view);
}

ConstantData fold_gather(const OnnxNode& node) {
  const auto& x = node.input(0);
  const auto axis = static_cast<std::size_t>(node.get_int("axis", 0));
  const auto extent = x.shape[axis];
  const auto outer = count_of(Shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  const auto inner = count_of(Shape(x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end()));
  const auto block = inner * element_size(x);
  Bytes data;
  data.reserve(count_of(node.results[0].shape) * element_size(x));
  const auto indices = node.constant_integers(1);
  for (std::size_t o = 0; o < outer; ++o) {
    for (const auto index : indices) {
      const auto at = static_cast<std::size_t>(normalise_axis(index, static_cast<std::size_t>(extent)));
      const auto* from = x.data->data() + (o * static_cast<std::size_t>(extent) + at) * block;
      data.insert(data.end(), from, from + block);
    }
  }
  return owned(std::move(data));
}

ConstantData fold_concat(const OnnxNode& node) {
  const auto axis = static_cast<std::ptrdiff_t>(node.get_int("axis", 0));
  const auto& shape = node.results[0].shape;
  const auto outer = count_of(Shape(shape.begin(), shape.begin() + axis));
  Bytes data;
  if (outer == 0) return owned(std::move(data));
  data.reserve(count_of(shape) * element_size(node.input(0)));
  for (std::size_t o = 0; o < outer; ++o) {
    for (const auto* part : node.inputs) {
      if (part->type != node.input(0).type) throw Error("inputs of different types");
      const auto block = part->data->size() / outer;
      const auto* from = part->data->data() + o * block;
      data.insert(data.end(), from, from + block);
    }
  }
  return owned(std::move(data));
}

std::vector<ConstantData> fold_split(const OnnxNode& node) {
  StridedView view{0, dense_strides(node.shape(0))};
  const auto stride = view.strides[static_cast<std::size_t>(node.get_int("axis", 0))];
  std::vector<ConstantData> parts;
  for (const auto size : node.get("split", std::vector<std::int64_t>{})) {
    parts.push_back(gather_view(node.input(0), node.results[parts.size()].shape, view));
    view.base += size * stride;
  }
  return parts;
}

ConstantData fold_fill(const OnnxNode& node) {
  const auto value = fill_value(node);
  const auto size = element_size(value);
  Bytes data(count_of(node.results[0].shape) * size);
  for (std::size_t at = 0; at < data.size(); at += size) std::memcpy(data.data() + at, value.data->data(), size);
  return owned(std::move(data));
}

ConstantData integers(const std::vector<std::int64_t>& values) {
  return make_constant("", {std::ssize(values)}, values).data;
}

ConstantData fold_shape(const OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto start = static_cast<std::ptrdiff_t>(node.get_int("start", 0));
  const auto end = static_cast<std::ptrdiff_t>(node.get_int("end", std::ssize(x)));
  return integers({x.begin() + start, x.begin() + end});
}

/// Ones on a diagonal.
ConstantData fold_eye(const OnnxNode& node) {
  const auto& [type, shape] = node.results[0];
  const auto size = static_cast<std::size_t>(bytes(type));
  Bytes data(count_of(shape) * size);
  const auto diagonal = std::clamp<std::int64_t>(node.get_int("k", 0), -shape[0], shape[1]);
  for (std::int64_t row = std::max<std::int64_t>(0, -diagonal); row < shape[0] && row + diagonal < shape[1]; ++row) {
    store_element(data.data() + static_cast<std::size_t>(row * shape[1] + row + diagonal) * size, type, 1);
  }
  return owned(std::move(data));
}

/// The indices of what is not 0, dimension by dimension.
ConstantData fold_non_zero(const OnnxNode& node) {
  const auto numbers = node.constant_numbers(0);
  const auto strides = dense_strides(node.shape(0));
  std::vector<std::int64_t> indices;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != 0) indices.push_back(static_cast<std::int64_t>(i) / strides[d] % node.shape(0)[d]);
    }
  }
  return integers(indices);
}

/// What a constant with scales per block stands for, as ONNX computes it: no capability has a scale for a block.
ConstantData fold_blocks(const OnnxNode& node) {
  const Tensor& x = node.input(0);
  const std::vector<double> scales = node.constant_numbers(1);
  const std::vector<double> zeros = node.has_input(2) ? node.constant_numbers(2) : std::vector<double>(scales.size());
  const auto axis = static_cast<std::size_t>(normalise_axis(node.get_int("axis", 1), node.shape(0).size()));
  const auto stride = dense_strides(node.shape(0))[axis], extent = node.shape(0)[axis];
  const auto blocks = node.shape(1)[axis], block = node.get_int("block_size", 0);
  std::vector<float> values(count_of(x.shape));
  const std::byte* integer = x.data->data();
  for (std::int64_t i = 0; i < std::ssize(values); ++i, integer += element_size(x)) {
    const std::int64_t outer = i / stride / extent, at = i / stride % extent;
    const auto b = static_cast<std::size_t>((outer * blocks + at / block) * stride + i % stride);
    const double steps = load_element(integer, x.type) - zeros[b];
    values[static_cast<std::size_t>(i)] = static_cast<float>(steps) * static_cast<float>(scales[b]);
  }
  return make_constant("", node.shape(0), values).data;
}

using Fold = ConstantData (*)(const OnnxNode&);

const std::map<std::string, Fold>& movement_folds() {
  static const Fold same = [](const OnnxNode& node) { return node.input(0).data; };
  static const std::map<std::string, Fold> table = {
      {"Identity", same},
      {"Dropout", same},
      {"Reshape", same},
      {"Flatten", same},
      {"Squeeze", same},
      {"Unsqueeze", same},
      {"Transpose", fold_transpose},
      {"Slice", fold_slice},
      {"Gather", fold_gather},
      {"Concat", fold_concat},
      {"Expand",
       [](const OnnxNode& node) {
         const auto& shape = node.results[0].shape;
         return gather_view(node.input(0), shape, broadcast_view(node.shape(0), shape));
       }},
      {"ConstantOfShape", fold_fill},
      {"Constant", [](const OnnxNode& node) { return constant_value(node).data; }},
      {"Shape", fold_shape},
      {"EyeLike", fold_eye},
      {"NonZero", fold_non_zero},
      {"Size", [](const OnnxNode& node) { return integers({element_count(node.shape(0))}); }},
  };
  return table;
}

/// More elements than this are left to the network: constants this large are weights.
constexpr std::int64_t max_folded_elements = 1 << 24;
constexpr std::int64_t max_folded_products = 1 << 28;

bool is_large(const OnnxNode& node) {
  const auto exceeds = [](const Shape& shape) { return element_count(shape) > max_folded_elements; };
  return std::ranges::any_of(node.results, [&](const ResultType& result) { return exceeds(result.shape); }) ||
         std::ranges::any_of(node.inputs, [&](const Tensor* x) { return x != nullptr && exceeds(x->shape); });
}

/// Windows, recurrences and long sums take too long to be computed here; scales are read by later passes.
bool is_left_to_the_network(const OnnxNode& node) {
  static const std::set<std::string> left = {"LSTM",         "GRU", "RNN", "Einsum", "LRN", "DequantizeLinear",
                                             "QLinearMatMul"};
  const auto& type = node.op.type;
  if (left.contains(type) || node.has("kernel_shape") || node.computed_in || !can_execute(type)) return true;
  if (type != "MatMul" && type != "Gemm") return false;
  return element_count(node.results[0].shape) >
         max_folded_products / std::max<std::int64_t>(1, element_count(node.shape(0)));
}

/// The reference evaluates what has no rule here: a network of this one node.
std::optional<std::vector<ConstantData>> evaluate(const OnnxNode& node) {
  const auto is_empty = [](const Shape& shape) { return element_count(shape) == 0; };
  if (is_left_to_the_network(node)) return std::nullopt;
  if (std::ranges::any_of(node.inputs, [&](const Tensor* x) { return x != nullptr && is_empty(x->shape); })) {
    return std::nullopt;
  }
  Network network;
  Operator op = node.op;
  op.name = "constant";
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (node.inputs[i] != nullptr) op.inputs[i] = network.add(*node.inputs[i]);
  }
  for (std::size_t i = 0; i < node.output_count; ++i) {
    const auto& result = node.results[i];
    network.outputs.push_back(network.add({"", result.type, result.shape, nullptr, std::nullopt}));
  }
  op.outputs = network.outputs;
  network.operators = {op};
  auto values = execute(network, {}, {.keep = Keep::outputs, .threads = 1, .observer = {}});
  std::vector<ConstantData> folded;
  for (const auto id : network.outputs) folded.push_back(owned(std::move(values.at(network.tensor(id).name).data)));
  return folded;
}

bool depends_on_shape_only(const std::string& type) { return type == "Shape" || type == "Size" || type == "EyeLike"; }

}  // namespace

std::optional<std::vector<ConstantData>> fold(const OnnxNode& node) {
  const auto known = [](const Tensor* input) { return input != nullptr && input->is_constant(); };
  if (!depends_on_shape_only(node.op.type) && !std::all_of(node.inputs.begin(), node.inputs.end(), known)) {
    return std::nullopt;
  }
  if (node.op.type == "Split") return fold_split(node);
  if (const auto found = movement_folds().find(node.op.type); found != movement_folds().end()) {
    return std::vector{found->second(node)};
  }
  if (node.op.type == "DequantizeLinear" && node.get_int("block_size", 0) != 0) return std::vector{fold_blocks(node)};
  if (node.inputs.empty() || is_large(node)) return std::nullopt;
  if (auto data = fold_arithmetic(node)) return std::vector{*std::move(data)};
  return evaluate(node);
}

}  // namespace accord
