#include "compiler/frontends/onnx_bodies.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archdsl/source/error.h"

namespace accord {
namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 18, most_bytes = std::size_t{256} << 20;

}  // namespace

void BodyNames::define_all(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  for (const auto& node : nodes) {
    for (const auto& output : node.output()) {
      if (!output.empty()) define(output);
    }
  }
}

std::string BodyNames::operator()(const std::string& inner) const {
  const auto found = outer_.find(inner);
  return found == outer_.end() ? inner : found->second;
}

onnx::NodeProto BodyNames::rename(const onnx::NodeProto& node) const {
  onnx::NodeProto result = node;
  rename_names(result);
  if (!result.name().empty()) result.set_name(prefix_ + result.name());
  return result;
}

void BodyNames::rename_names(onnx::NodeProto& node) const {
  for (auto& input : *node.mutable_input()) input = (*this)(input);
  for (auto& output : *node.mutable_output()) output = (*this)(output);
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) rename_within(*attribute.mutable_g());
  }
}

void BodyNames::rename_within(onnx::GraphProto& graph) const {
  for (auto& node : *graph.mutable_node()) rename_names(node);
  for (auto& output : *graph.mutable_output()) output.set_name((*this)(output.name()));
}

void InliningBudget::take(const onnx::NodeProto& node) {
  bytes_ += node.ByteSizeLong();
  if (++nodes_ > most_nodes || bytes_ > most_bytes) {
    throw Error(
        fmt::format("with functions and inner graphs in their places there are more than {} nodes or {} MiB of them",
                    most_nodes, most_bytes >> 20));
  }
}

const onnx::AttributeProto* find_attribute(const Attributes& attributes, std::string_view name) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const onnx::AttributeProto& attribute) { return attribute.name() == name; });
  return found == attributes.end() ? nullptr : &*found;
}

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

onnx::NodeProto make_node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto node;
  node.set_op_type(op);
  for (const auto& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

onnx::NodeProto constant_node(const std::string& output, onnx::TensorProto value) {
  onnx::NodeProto node = make_node("Constant", {}, output);
  *add_attribute(node, "value", onnx::AttributeProto::TENSOR).mutable_t() = std::move(value);
  return node;
}

std::vector<onnx::NodeProto> constants_of(const onnx::GraphProto& body, BodyNames& names) {
  std::vector<onnx::NodeProto> nodes;
  for (const auto& initialiser : body.initializer()) {
    names.define(initialiser.name());
    nodes.push_back(constant_node(names(initialiser.name()), initialiser));
  }
  return nodes;
}

}  // namespace accord
