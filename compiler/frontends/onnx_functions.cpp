#include "compiler/frontends/onnx_functions.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_bodies.h"

namespace accord {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

constexpr std::size_t most_depth = 64, longest_prefix = 40;

// onnx.proto of later releases than the library's
constexpr int overload_of_node = 8, attributes_of_function = 11, overload_of_function = 13;

template <typename Visit>
void visit_unknown(const google::protobuf::Message& message, int number, Visit&& visit) {
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      visit(field.length_delimited());
    }
  }
}

std::string overload(const google::protobuf::Message& message, int number) {
  std::string text;
  visit_unknown(message, number, [&](const std::string& value) { text = value; });
  return text;
}

/// Domain, name, overload.
using Key = std::tuple<std::string, std::string, std::string>;

class FunctionInliner {
 public:
  explicit FunctionInliner(const onnx::ModelProto& model) {
    for (const auto& function : model.functions()) {
      functions_[{function.domain(), function.name(), overload(function, overload_of_function)}] = &function;
    }
  }

  void run(Nodes& nodes) {
    Nodes result;
    for (auto& node : nodes) add(std::move(node), result);
    nodes.Swap(&result);
  }

 private:
  void add(onnx::NodeProto node, Nodes& result) {
    const Key key{node.domain(), node.op_type(), overload(node, overload_of_node)};
    const auto function = functions_.find(key);
    if (function != functions_.end()) return call(node, *function->second, key, result);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) run(*attribute.mutable_g()->mutable_node());
    }
    budget_.take(node);
    *result.Add() = std::move(node);
  }

  void call(const onnx::NodeProto& node, const onnx::FunctionProto& function, const Key& key, Nodes& result) {
    if (!open_.insert(key).second) throw Error(fmt::format("function '{}' calls itself", function.name()));
    if (open_.size() > most_depth) throw Error(fmt::format("functions call each other {} deep", most_depth));
    budget_.take(node);
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
      throw Error(fmt::format("function '{}' has {} inputs and {} outputs, a call has {} and {}", function.name(),
                              function.input_size(), function.output_size(), node.input_size(), node.output_size()));
    }
    BodyNames names(fmt::format("{}:{}:", function.name().substr(0, longest_prefix), calls_++));
    for (int i = 0; i < function.input_size(); ++i) {
      names.bind(function.input(i), i < node.input_size() ? node.input(i) : "");
    }
    const auto copies = bind_outputs(node, function, names);
    const Attributes given = attributes(node, function);
    for (const auto& inner : function.node()) {
      auto renamed = names.rename(inner);
      refer(renamed, given);
      add(std::move(renamed), result);
    }
    for (const auto& copy : copies) *result.Add() = copy;
    open_.erase(key);
  }

  /// Results that no node of the function has for its own are copies.
  static std::vector<onnx::NodeProto> bind_outputs(const onnx::NodeProto& node, const onnx::FunctionProto& function,
                                                   BodyNames& names) {
    std::set<std::string> own;
    for (const auto& inner : function.node()) own.insert(inner.output().begin(), inner.output().end());
    std::vector<std::pair<std::string, std::string>> others;
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      if (own.erase(function.output(i)) == 1) {
        names.bind(function.output(i), node.output(i));
      } else {
        others.emplace_back(function.output(i), node.output(i));
      }
    }
    names.define_all(function.node());
    std::vector<onnx::NodeProto> copies;
    for (const auto& [inner, outer] : others) copies.push_back(make_node("Identity", {names(inner)}, outer));
    return copies;
  }

  /// The call's, and where it lacks one, the function's default.
  static Attributes attributes(const onnx::NodeProto& node, const onnx::FunctionProto& function) {
    Attributes result = node.attribute();
    visit_unknown(function, attributes_of_function, [&](const std::string& bytes) {
      onnx::AttributeProto fallback;
      if (!fallback.ParseFromString(bytes)) throw Error("an attribute of a function cannot be read");
      if (find_attribute(result, fallback.name()) == nullptr) *result.Add() = fallback;
    });
    return result;
  }

  /// References to attributes of the function become what these are; one that is not there leaves the node without.
  static void refer(onnx::NodeProto& node, const Attributes& given) {
    Attributes result;
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) {
        for (auto& inner : *attribute.mutable_g()->mutable_node()) refer(inner, given);
      }
      if (attribute.ref_attr_name().empty()) {
        *result.Add() = std::move(attribute);
        continue;
      }
      const auto* found = find_attribute(given, attribute.ref_attr_name());
      if (found == nullptr) continue;
      auto& taken = *result.Add() = *found;
      taken.set_name(attribute.name());
    }
    node.mutable_attribute()->Swap(&result);
  }

  std::map<Key, const onnx::FunctionProto*> functions_;
  std::set<Key> open_;  ///< being inlined
  InliningBudget budget_;
  std::size_t calls_ = 0;
};

}  // namespace

void inline_functions(onnx::ModelProto& model) {
  if (model.functions().empty()) return;
  FunctionInliner(model).run(*model.mutable_graph()->mutable_node());
}

}  // namespace accord
