// Shapes and types of operators that work element by element.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_file.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

void infer_unary(OnnxNode& node) { node.same_as(0); }

/// Of operators that are younger than the ONNX library, which knows the others' types.
void infer_real(OnnxNode& node) {
  if (!is_float(node.input(0).type)) throw Error("the input is no tensor of real numbers");
  node.same_as(0);
}

void infer_identity(OnnxNode& node) {
  if (node.output_count > 1) throw Error("the mask of Dropout is not supported");
  if (node.has_input(2) && node.constant_integers(2) != std::vector<std::int64_t>{0})
    throw Error("training_mode is not supported");
  node.keep_inputs(1);
  node.same_as(0);
}

void infer_broadcast(OnnxNode& node) {
  auto shape = node.shape(0);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) shape = broadcast(shape, node.shape(i));
  node.result(node.input(0).type, shape);
}

void infer_mod(OnnxNode& node) {
  if (is_float(node.input(0).type) && node.get_int("fmod", 0) == 0) throw Error("real numbers need fmod = 1");
  infer_broadcast(node);
}

void infer_comparison(OnnxNode& node) { node.result(ElementType::u8, broadcast(node.shape(0), node.shape(1))); }

/// `to` is the type of the second input.
void infer_cast_like(OnnxNode& node) {
  const auto type = node.input(1).type;
  const int to = node.types->of(node.proto->input(1));
  if (is_of_4_bits(to)) throw Error(fmt::format("element type {} is not supported", onnx_type_name(to)));
  if (to == 0 && type == ElementType::u8) throw Error("a cast to what may be uint8 or bool");
  node.op.type = "Cast";
  if (to != 0) node.op.attributes["to"] = std::int64_t{to};
  node.keep_inputs(1);
  node.result(type, node.shape(0));
}

void infer_not(OnnxNode& node) { node.result(ElementType::u8, node.shape(0)); }

void infer_where(OnnxNode& node) {
  const auto shape = broadcast(broadcast(node.shape(0), node.shape(1)), node.shape(2));
  node.result(node.input(1).type, shape);
}

void infer_cast(OnnxNode& node) {
  const auto to = static_cast<int>(node.get_int("to", 0));
  node.result(element_type_of(to), node.shape(0));
}

double bound_from(const OnnxNode& node, std::size_t input, const std::string& key, double otherwise) {
  if (node.has_input(input)) {
    const auto values = node.constant_numbers(input);
    if (values.size() != 1) throw Error(key + " must be a scalar");
    return values[0];
  }
  return node.get(key, otherwise);
}

void infer_clip(OnnxNode& node) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const auto low = bound_from(node, 1, "min", -infinity);
  const auto high = bound_from(node, 2, "max", infinity);
  if (std::isnan(low) || std::isnan(high)) throw Error("a bound is no number");
  node.op.attributes["min"] = low;
  node.op.attributes["max"] = high;
  node.keep_inputs(1);
  node.same_as(0);
}

}  // namespace

void add_elementwise_rules(OnnxRules& rules) {
  for (const auto* name :
       {"Relu",     "LeakyRelu", "Elu",   "Selu", "Celu",  "Sigmoid", "HardSigmoid",     "HardSwish", "Tanh",
        "Softplus", "Softsign",  "Erf",   "Exp",  "Log",   "Sqrt",    "Reciprocal",      "Neg",       "Abs",
        "Floor",    "Ceil",      "Round", "Sign", "Sin",   "Cos",     "ThresholdedRelu", "Tan",       "Asin",
        "Acos",     "Atan",      "Sinh",  "Cosh", "Asinh", "Acosh",   "Atanh",           "Shrink"}) {
    rules[name] = {1, 1, infer_unary};
  }
  for (const auto* name : {"Gelu", "Mish"}) rules[name] = {1, 1, infer_real};
  for (const auto* name : {"Add", "Sub", "Mul", "Div", "Pow", "PRelu"}) rules[name] = {2, 2, infer_broadcast};
  for (const auto* name : {"Sum", "Mean", "Min", "Max"}) rules[name] = {1, 1000, infer_broadcast};
  for (const auto* name : {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor"}) {
    rules[name] = {2, 2, infer_comparison};
  }
  rules["Mod"] = {2, 2, infer_mod};
  rules["Not"] = {1, 1, infer_not};
  rules["IsInf"] = {1, 1, infer_not};
  rules["IsNaN"] = {1, 1, infer_not};
  rules["Where"] = {3, 3, infer_where};
  rules["Cast"] = {1, 1, infer_cast};
  rules["CastLike"] = {2, 2, infer_cast_like};
  rules["Clip"] = {1, 3, infer_clip};
  rules["Identity"] = {1, 1, infer_identity};
  rules["Dropout"] = {1, 3, infer_identity};
}

}  // namespace accord
