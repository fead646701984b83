// Shapes of the operators of quantised models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

void expect_scale(const OnnxNode& node, std::size_t i) {
  if (!node.input(i).is_constant()) return;
  for (const double scale : node.constant_numbers(i)) {
    if (scale > 0 && std::isfinite(scale)) continue;
    throw Error(
        fmt::format("the scale '{}' has a value of {}, where one above 0 is expected", node.input(i).name, scale));
  }
}

void expect_count(const OnnxNode& node, std::size_t i, std::initializer_list<std::int64_t> counts) {
  const std::int64_t given = element_count(node.shape(i));
  if (std::ranges::count(counts, given) > 0) return;
  throw Error(fmt::format("input {} has {} elements; {} expected", i, given, fmt::join(counts, " or ")));
}

/// Scales along the axis, one for as many elements as a block has.
void expect_blocks(const OnnxNode& node, std::int64_t block) {
  const bool constant = std::ranges::all_of(node.inputs, [](const Tensor* x) { return !x || x->is_constant(); });
  if (!constant || node.op.type != "DequantizeLinear")
    throw Error("only constants that are dequantised may have scales per block");
  const auto axis = normalise_axis(node.get_int("axis", 1), node.shape(0).size());
  Shape expected = node.shape(0);
  if (block < 0) throw Error(fmt::format("block_size is {}", block));
  std::int64_t& blocks = expected[static_cast<std::size_t>(axis)];
  blocks = ceil_div(blocks, std::min(block, std::max<std::int64_t>(blocks, 1)));
  if (node.shape(1) == expected && (!node.has_input(2) || node.shape(2) == expected)) return;
  throw Error(fmt::format("scales and zero points of blocks of {} are to be {}", block, to_string(expected)));
}

void normalise_quantisation_axis(OnnxNode& node) {
  expect_scale(node, 1);
  if (node.has_input(2)) expect_count(node, 2, {element_count(node.shape(1))});
  const std::int64_t block = node.get_int("block_size", 0);
  if (block != 0) return expect_blocks(node, block);
  const auto& scale = node.shape(1);
  if (element_count(scale) == 1) {
    node.op.attributes.erase("axis");
    return;
  }
  const auto axis = normalise_axis(node.get_int("axis", 1), node.shape(0).size());
  if (scale.size() != 1 || scale[0] != node.shape(0)[static_cast<std::size_t>(axis)]) {
    throw Error(fmt::format("scale {} does not fit input {}", to_string(scale), to_string(node.shape(0))));
  }
  node.op.attributes["axis"] = axis;
}

void infer_quantize(OnnxNode& node) {
  normalise_quantisation_axis(node);
  const auto asked = static_cast<int>(node.get_int("output_dtype", 0));
  const int zero_point = node.has_input(2) ? node.types->of(node.proto->input(2)) : 0;
  for (const int type : {asked, zero_point}) {
    if (type == onnx::TensorProto::UINT16) throw Error("quantisation to uint16 is not supported");
    if (is_of_4_bits(type))
      throw Error("quantisation to 4 bits is not supported; constants may have been quantised so");
  }
  const auto otherwise = asked == 0 ? ElementType::u8 : element_type_of(asked);
  node.result(node.has_input(2) ? node.input(2).type : otherwise, node.shape(0));
}

void infer_dequantize(OnnxNode& node) {
  normalise_quantisation_axis(node);
  node.result(ElementType::fp32, node.shape(0));
}

/// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias?: the window is that of Conv.
void infer_qlinear_conv(OnnxNode& node) {
  for (const std::size_t i : {1, 4, 6}) expect_scale(node, i);
  for (const std::size_t i : {1, 2, 6, 7}) expect_count(node, i, {1});
  for (const std::size_t i : {4, 5}) expect_count(node, i, {1, node.shape(3).empty() ? 1 : node.shape(3)[0]});
  OnnxNode conv = node;
  conv.op.type = "Conv";
  conv.inputs = {node.inputs[0], node.inputs[3]};
  if (node.has_input(8)) conv.inputs.push_back(node.inputs[8]);
  conv.op.inputs.resize(conv.inputs.size());
  onnx_rules().find("Conv")->second.infer(conv);
  node.op.attributes = conv.op.attributes;
  node.result(node.input(7).type, conv.results[0].shape);
}

void infer_qlinear_matmul(OnnxNode& node) {
  for (const std::size_t i : {1, 4, 6}) expect_scale(node, i);
  for (const std::size_t i : {1, 2, 6, 7}) expect_count(node, i, {1});  // a scale per row is no tensor's
  node.result(node.input(7).type, matmul_shape(node.shape(0), node.shape(3)));
}

void expect_bytes(const OnnxNode& node, std::size_t i) {
  const auto type = node.input(i).type;
  if (type == ElementType::u8 || type == ElementType::i8) return;
  throw Error(fmt::format("input {} is {}, not int8 or uint8", i, name(type)));
}

/// A zero point has the type of what it belongs to, and a shape that broadcasts to it.
void expect_zero_point(const OnnxNode& node, std::size_t i, std::size_t of, const Shape& shape) {
  if (!node.has_input(i)) return;
  if (node.input(i).type != node.input(of).type) throw Error(fmt::format("inputs {} and {} differ in type", of, i));
  if (element_count(node.shape(i)) != 1 && broadcast(node.shape(of), shape) != node.shape(of)) {
    throw Error(fmt::format("zero point {} does not fit {}", to_string(node.shape(i)), to_string(node.shape(of))));
  }
}

/// A zero point of rank 1 is one per row of a and one per column of b.
void infer_matmul_integer(OnnxNode& node) {
  for (const std::size_t i : {0, 1}) expect_bytes(node, i);
  if (node.shape(0).size() < 2 || node.shape(1).size() < 2) throw Error("vectors are not supported");
  auto rows = node.has_input(2) ? node.shape(2) : Shape{};
  if (rows.size() == 1) rows.push_back(1);
  expect_zero_point(node, 2, 0, rows);
  expect_zero_point(node, 3, 1, node.has_input(3) ? node.shape(3) : Shape{});
  node.result(ElementType::i32, matmul_shape(node.shape(0), node.shape(1)));
}

/// The zero point of the weights is one number, or one per output channel.
void infer_conv_integer(OnnxNode& node) {
  for (const std::size_t i : {0, 1}) expect_bytes(node, i);
  if (node.shape(0).size() > 4) throw Error("more than two spatial dimensions are not supported");
  expect_zero_point(node, 2, 0, Shape(2, 0));
  Shape channels(node.shape(1).size(), 1);
  if (node.has_input(3)) channels[0] = element_count(node.shape(3));
  expect_zero_point(node, 3, 1, channels);
  OnnxNode conv = node;
  conv.op.type = "Conv";
  conv.keep_inputs(2);
  onnx_rules().find("Conv")->second.infer(conv);
  node.op.attributes = conv.op.attributes;
  node.result(ElementType::i32, conv.results[0].shape);
}

void infer_dynamic_quantize(OnnxNode& node) {
  node.result(ElementType::u8, node.shape(0));
  node.result(ElementType::fp32, {});
  node.result(ElementType::u8, {});
}

}  // namespace

void add_quantised_rules(OnnxRules& rules) {
  rules["MatMulInteger"] = {2, 4, infer_matmul_integer};
  rules["ConvInteger"] = {2, 4, infer_conv_integer};
  rules["DynamicQuantizeLinear"] = {1, 1, infer_dynamic_quantize};
  rules["QuantizeLinear"] = {2, 3, infer_quantize};
  rules["DequantizeLinear"] = {2, 3, infer_dequantize};
  rules["QLinearConv"] = {8, 9, infer_qlinear_conv};
  rules["QLinearMatMul"] = {8, 8, infer_qlinear_matmul};
}

}  // namespace accord
