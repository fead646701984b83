#include "compiler/frontends/onnx_types.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_bodies.h"
#include "compiler/frontends/onnx_file.h"
#include "compiler/frontends/onnx_schema.h"

namespace accord {

namespace {

constexpr std::string_view tensor_prefix = "tensor(";

bool is_tensor(const std::string& type) { return type.starts_with(tensor_prefix); }

/// "tensor(float)" -> "float"
std::string element_of(const std::string& type) {
  return is_tensor(type) ? type.substr(tensor_prefix.size(), type.size() - tensor_prefix.size() - 1) : type;
}

std::string listed(const onnx::DataTypeSet& allowed) {
  std::vector<std::string> names;
  for (const onnx::DataType type : allowed) {
    if (is_tensor(*type)) names.push_back(element_of(*type));
  }
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " or "));
}

/// The parameter that the input or output with this number is one of; nullptr where there are not so many.
const onnx::OpSchema::FormalParameter* parameter(const std::vector<onnx::OpSchema::FormalParameter>& all, int number) {
  const auto at = static_cast<std::size_t>(number);
  if (at < all.size()) return &all[at];
  return !all.empty() && all.back().GetOption() == onnx::OpSchema::Variadic ? &all.back() : nullptr;
}

/// What an attribute says of the result's type; 0: nothing.
int attribute_type(const onnx::NodeProto& node) {
  for (const char* name : {"to", "dtype"}) {
    if (const auto* attribute = find_attribute(node.attribute(), name)) return static_cast<int>(attribute->i());
  }
  const auto* value = find_attribute(node.attribute(), "value");
  return value != nullptr && value->has_t() ? value->t().data_type() : 0;
}

/// ONNX lets few operators have inputs of 4 bits (operator set 21).
void expect_takes(const onnx::NodeProto& node, int input, int onnx_type) {
  static const std::set<std::string_view> takers = {
      "Cast",  "CastLike", "DequantizeLinear", "Flatten",   "Identity", "Pad", "QuantizeLinear", "Reshape",
      "Shape", "Size",     "Squeeze",          "Transpose", "Unsqueeze"};
  if (!is_of_4_bits(onnx_type) || takers.contains(node.op_type())) return;
  throw Error(fmt::format("input {} ('{}') is of 4 bits, which it does not take", input, node.input(input)));
}

}  // namespace

std::string OnnxTypes::Type::text() const { return known != nullptr ? element_of(*known) : onnx_type_name(later); }

void OnnxTypes::declare(const std::string& tensor, int onnx_type) {
  if (onnx_type == onnx::TensorProto::UNDEFINED) return;
  if (!onnx::TensorProto::DataType_IsValid(onnx_type)) {
    types_[tensor] = {nullptr, onnx_type};
    return;
  }
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(onnx_type);
  types_[tensor] = {onnx::Utils::DataTypeUtils::ToType(type), 0};
}

int OnnxTypes::of(const std::string& tensor) const {
  const auto found = types_.find(tensor);
  if (found == types_.end()) return 0;
  const auto& [known, later] = found->second;
  if (known == nullptr) return later;
  const onnx::TypeProto& type = onnx::Utils::DataTypeUtils::ToTypeProto(known);
  return type.has_tensor_type() ? type.tensor_type().elem_type() : 0;
}

/// Of the node's inputs. `judges`: the schema is the operator set's own.
OnnxTypes::Shared OnnxTypes::shared_by_inputs(const onnx::NodeProto& node, const onnx::OpSchema& schema,
                                              bool judges) const {
  Shared shared;
  for (int i = 0; i < node.input_size(); ++i) {
    const auto* wanted = parameter(schema.inputs(), i);
    const auto found = types_.find(node.input(i));
    if (wanted == nullptr || node.input(i).empty() || found == types_.end()) continue;
    const Type& type = found->second;
    if (type.known == nullptr) {
      expect_takes(node, i, type.later);
    } else if (!wanted->GetTypes().contains(type.known)) {
      if (!judges) continue;
      throw Error(
          fmt::format("input {} ('{}') is {}, not {}", i, node.input(i), type.text(), listed(wanted->GetTypes())));
    }
    if (!wanted->GetIsHomogeneous()) continue;
    const auto [first, is_first] = shared.try_emplace(wanted->GetTypeStr(), i, type);
    const auto& [other, its] = first->second;
    const bool is_later = type.known == nullptr || its.known == nullptr;
    if (is_first || its == type || (!judges && !is_later)) continue;
    throw Error(
        fmt::format("inputs {} and {} are {} and {}; they must be of one type", other, i, its.text(), type.text()));
  }
  return shared;
}

void OnnxTypes::check(const onnx::NodeProto& node, int opset) {
  const onnx::OpSchema* const schema = nearest_schema_of(node, opset);
  if (schema == nullptr) return;
  const Shared shared = shared_by_inputs(node, *schema, schema_of(node, opset) != nullptr);
  for (int o = 0; o < node.output_size(); ++o) {
    const auto* made = parameter(schema->outputs(), o);
    if (made == nullptr) continue;
    if (const auto like = shared.find(made->GetTypeStr()); like != shared.end()) {
      types_[node.output(o)] = like->second.second;
    } else if (made->GetTypes().size() == 1) {
      types_[node.output(o)] = {*made->GetTypes().begin(), 0};
    } else {
      declare(node.output(o), attribute_type(node));
    }
  }
}

}  // namespace accord
