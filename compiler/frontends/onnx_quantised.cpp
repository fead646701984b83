// Shapes of the operators of quantised models.
#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

void normalise_quantisation_axis(OnnxNode& node) {
  if (node.get_int("block_size", 0) != 0) throw Error("scales per block are not supported");
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
  const auto otherwise = asked == 0 ? ElementType::u8 : element_type_of(asked);
  node.result(node.has_input(2) ? node.input(2).type : otherwise, node.shape(0));
}

void infer_dequantize(OnnxNode& node) {
  normalise_quantisation_axis(node);
  node.result(ElementType::fp32, node.shape(0));
}

/// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias?: the window is that of Conv.
void infer_qlinear_conv(OnnxNode& node) {
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
  node.result(node.input(7).type, matmul_shape(node.shape(0), node.shape(3)));
}

}  // namespace

void add_quantised_rules(OnnxRules& rules) {
  rules["QuantizeLinear"] = {2, 3, infer_quantize};
  rules["DequantizeLinear"] = {2, 3, infer_dequantize};
  rules["QLinearConv"] = {8, 9, infer_qlinear_conv};
  rules["QLinearMatMul"] = {8, 8, infer_qlinear_matmul};
}

}  // namespace accord
