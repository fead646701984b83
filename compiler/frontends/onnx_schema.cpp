#include "compiler/frontends/onnx_schema.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include "archdsl/source/error.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

/// Of the default domain's operator sets; 0: there are none.
int newest_known() {
  const auto& versions = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto known = versions.find(onnx::ONNX_DOMAIN);
  return known == versions.end() ? 0 : known->second.second;
}

}  // namespace

const onnx::OpSchema* schema_of(const onnx::NodeProto& node, int opset) {
  return opset > newest_known() ? nullptr : nearest_schema_of(node, opset);
}

const onnx::OpSchema* nearest_schema_of(const onnx::NodeProto& node, int opset) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  const int version = std::min(opset, newest_known());
  const onnx::OpSchema* const schema = onnx::OpSchemaRegistry::Schema(node.op_type(), version, onnx::ONNX_DOMAIN);
  return schema == nullptr || schema->Deprecated() ? nullptr : schema;
}

namespace {

std::string name_of(onnx::AttributeProto::AttributeType type) { return onnx::AttributeProto::AttributeType_Name(type); }

[[noreturn]] void refuse(const std::string& attribute, const onnx::OpSchema& schema, int opset) {
  std::vector<std::string> names;
  for (const auto& [name, definition] : schema.attributes()) names.push_back(name);
  std::sort(names.begin(), names.end());
  const std::string hint = did_you_mean(attribute, names);
  throw Error(
      fmt::format("operator set {} has no attribute '{}' here{}{}", opset, attribute, hint.empty() ? "" : "; ", hint));
}

}  // namespace

void check_attributes(const onnx::NodeProto& node, int opset) {
  const onnx::OpSchema* const schema = schema_of(node, opset);
  if (schema == nullptr) return;
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(node.attribute(), [&](const auto& attribute) { return attribute.name() == name; });
  };
  for (const auto& [name, definition] : schema->attributes()) {
    if (definition.required && !has(name)) throw Error(fmt::format("attribute '{}' is missing", name));
  }
  std::set<std::string> seen;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    const auto known = schema->attributes().find(attribute.name());
    if (known == schema->attributes().end()) refuse(attribute.name(), *schema, opset);
    if (!seen.insert(attribute.name()).second) throw Error(fmt::format("attribute '{}' is given twice", known->first));
    if (attribute.type() == onnx::AttributeProto::FLOAT && std::isnan(attribute.f())) {
      throw Error(fmt::format("attribute '{}' is no number", known->first));
    }
    if (attribute.type() == known->second.type) continue;
    throw Error(fmt::format("attribute '{}' is {}, not {}", known->first, name_of(attribute.type()),
                            name_of(known->second.type)));
  }
}

}  // namespace accord
