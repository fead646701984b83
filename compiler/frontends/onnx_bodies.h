#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <onnx/onnx_pb.h>

namespace accord {

/// Names within a function or a graph inside a node, as the graph around knows them: those bound are what they are
/// bound to, those that the body defines itself get a prefix, others are of the graph around already.
class BodyNames {
 public:
  explicit BodyNames(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Of what is defined from now on.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  void bind(const std::string& inner, const std::string& outer) { outer_[inner] = outer; }
  void define(const std::string& inner) { outer_.emplace(inner, prefix_ + inner); }
  void define_all(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes);

  std::string operator()(const std::string& inner) const;
  /// The node, and what graphs inside it take from around them, by these names.
  onnx::NodeProto rename(const onnx::NodeProto& node) const;

 private:
  void rename_within(onnx::GraphProto& graph) const;
  void rename_names(onnx::NodeProto& node) const;

  std::string prefix_;
  std::unordered_map<std::string, std::string> outer_;
};

/// What bodies may grow to in all places where they stand, a body in a body among them.
class InliningBudget {
 public:
  /// Throws Error where that is too much.
  void take(const onnx::NodeProto& node);

 private:
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

using Attributes = google::protobuf::RepeatedPtrField<onnx::AttributeProto>;

/// Null where there is none of that name.
const onnx::AttributeProto* find_attribute(const Attributes& attributes, std::string_view name);

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type);

onnx::NodeProto make_node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output);

/// A Constant.
onnx::NodeProto constant_node(const std::string& output, onnx::TensorProto value);

/// A body's initialisers as Constant nodes, which the body's names know from then on.
std::vector<onnx::NodeProto> constants_of(const onnx::GraphProto& body, BodyNames& names);

}  // namespace accord
