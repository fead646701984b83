#include "compiler/frontends/onnx_contributed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_bodies.h"

namespace accord {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// An operator on quantised tensors: each comes with its scale and its zero point behind it, and then those of the
/// result.
struct QuantisedForm {
  const char* op;  ///< of ONNX, on what these stand for
  int operands;
  std::vector<std::string> kept;  ///< attributes
};

const std::map<std::string, QuantisedForm>& forms() {
  static const std::map<std::string, QuantisedForm> known = {
      {"QLinearAdd", {"Add", 2, {}}},
      {"QLinearMul", {"Mul", 2, {}}},
      {"QLinearSigmoid", {"Sigmoid", 1, {}}},
      {"QLinearLeakyRelu", {"LeakyRelu", 1, {"alpha"}}},
      {"QLinearSoftmax", {"Softmax", 1, {"axis"}}},
      {"QLinearGlobalAveragePool", {"GlobalAveragePool", 1, {}}},
      {"QLinearAveragePool",
       {"AveragePool", 1, {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}}},
  };
  return known;
}

/// One of these nodes written as others.
class Expansion {
 public:
  /// `single`: constants of one element.
  Expansion(const onnx::NodeProto& node, const std::set<std::string>& single, Nodes& result)
      : node_(node), single_(single), result_(result) {}

  void run(const QuantisedForm& form) {
    std::vector<std::string> operands;
    for (int i = 0; i < form.operands; ++i) operands.push_back(dequantised(3 * i));
    onnx::NodeProto& op = add(form.op, operands, "real");
    for (const std::string& name : form.kept) keep(op, name);
    quantise(op.output(0), 3 * form.operands);
  }

  /// The result's scale and zero point come first.
  void concat() {
    std::vector<std::string> operands;
    for (int i = 2; i < node_.input_size(); i += 3) operands.push_back(dequantised(i));
    onnx::NodeProto& op = add("Concat", operands, "real");
    keep(op, "axis");
    quantise(op.output(0), 0);
  }

  /// a, b, c: c in units of alpha times both scales' product, which no one says. The result is real without a scale.
  void gemm() {
    const auto* transposed = find_attribute(node_.attribute(), "transB");
    const bool transposes = transposed != nullptr && transposed->i() != 0;
    std::vector<std::string> operands = {dequantised(0), dequantised(3, transposes ? 0 : 1)};
    if (!input(6).empty()) {
      const std::string scale = add("Mul", {input(1), input(4)}, "scale").output(0);
      onnx::NodeProto& cast = add("Cast", {input(6)}, "sums");
      add_attribute(cast, "to", onnx::AttributeProto::INT).set_i(onnx::TensorProto::FLOAT);
      operands.push_back(add("Mul", {cast.output(0), in_alphas(scale)}, "bias").output(0));
    }
    const bool quantises = !input(7).empty();
    onnx::NodeProto& op = add("Gemm", operands, "real");
    for (const char* name : {"alpha", "transA", "transB"}) keep(op, name);
    if (quantises) return quantise(op.output(0), 7);
    op.set_output(0, node_.output(0));
  }

 private:
  /// A scale times a Gemm's alpha, which multiplies only its product.
  std::string in_alphas(const std::string& scale) {
    const auto* alpha = find_attribute(node_.attribute(), "alpha");
    if (alpha == nullptr || alpha->f() == 1) return scale;
    onnx::TensorProto value;
    value.set_data_type(onnx::TensorProto::FLOAT);
    value.add_float_data(alpha->f());
    const std::string name = fmt::format("{}:alpha", node_.output(0));
    *result_.Add() = constant_node(name, std::move(value));
    return add("Mul", {scale, name}, "scaled").output(0);
  }

  std::string input(int i) const { return i < node_.input_size() ? node_.input(i) : std::string(); }

  onnx::NodeProto& add(const std::string& op, const std::vector<std::string>& inputs, const std::string& what) {
    onnx::NodeProto& node = *result_.Add() = make_node(op, inputs, fmt::format("{}:{}", node_.output(0), what));
    node.set_name(fmt::format("{}:{}", node_.name().empty() ? node_.output(0) : node_.name(), what));
    return node;
  }

  void keep(onnx::NodeProto& op, const std::string& name) const {
    if (const auto* attribute = find_attribute(node_.attribute(), name)) *op.add_attribute() = *attribute;
  }

  std::vector<std::string> with_parameters(const std::string& tensor, int first) const {
    if (tensor.empty() || input(first).empty()) throw Error(fmt::format("{}: an input is missing", node_.op_type()));
    std::vector<std::string> inputs = {tensor, input(first)};
    if (!input(first + 1).empty()) inputs.push_back(input(first + 1));
    return inputs;
  }

  /// `axis`: of several scales; one has none, nor has it in operator sets below 13.
  std::string dequantised(int first, int axis = -1) {
    onnx::NodeProto& op =
        add("DequantizeLinear", with_parameters(input(first), first + 1), fmt::format("real{}", first));
    if (axis >= 0 && !single_.contains(input(first + 1)))
      add_attribute(op, "axis", onnx::AttributeProto::INT).set_i(axis);
    return op.output(0);
  }

  void quantise(const std::string& real, int first) {
    add("QuantizeLinear", with_parameters(real, first), "quantised").set_output(0, node_.output(0));
  }

  const onnx::NodeProto& node_;
  const std::set<std::string>& single_;
  Nodes& result_;
};

std::set<std::string> single_constants(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (std::ranges::all_of(tensor.dims(), [](std::int64_t extent) { return extent == 1; }))
      names.insert(tensor.name());
  }
  return names;
}

void expand(Nodes& nodes, const std::set<std::string>& single) {
  Nodes result;
  for (auto& node : nodes) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) expand(*attribute.mutable_g()->mutable_node(), single);
    }
    const auto form = forms().find(node.op_type());
    const bool other = node.op_type() == "QLinearConcat" || node.op_type() == "QGemm";
    if (node.domain() != "com.microsoft" || node.output_size() != 1 || (form == forms().end() && !other)) {
      *result.Add() = std::move(node);
      continue;
    }
    const auto* last = find_attribute(node.attribute(), "channels_last");
    if (last != nullptr && last->i() != 0) {
      throw Error(fmt::format("{}: channels_last is not supported", node.op_type()));
    }
    Expansion expansion(node, single, result);
    if (form != forms().end()) {
      expansion.run(form->second);
    } else if (node.op_type() == "QGemm") {
      expansion.gemm();
    } else {
      expansion.concat();
    }
  }
  nodes.Swap(&result);
}

}  // namespace

void expand_contributed(onnx::ModelProto& model) {
  expand(*model.mutable_graph()->mutable_node(), single_constants(model.graph()));
}

}  // namespace accord
