#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "compiler/frontends/onnx.h"

namespace accord {

/// How long the dynamic dimensions of a model's inputs are: as the user says by name, or as the values are that the
/// user has for an input, or 1.
class DynamicSizes {
 public:
  explicit DynamicSizes(const OnnxOptions& options);

  /// Of the values that the user has for the input, the `number`th.
  std::optional<Shape> given(const std::string& input, std::size_t number) const;
  /// Takes sizes of dimensions with names from such values. False where there are none that fit the input.
  bool learn(const onnx::ValueInfoProto& input, std::size_t number);
  /// Warnings say what had to be assumed. Throws Error where the shape is absent, illegal or too large.
  Shape shape_of(const onnx::ValueInfoProto& input, std::size_t number, std::vector<std::string>& warnings);
  /// What had to be assumed, and how to say otherwise: behind the text of an error that may follow from it. Empty:
  /// nothing had to be.
  std::string assumed() const;
  /// Throws Error for a size that the user gave for a name that no input has.
  void check(const onnx::GraphProto& graph) const;

 private:
  std::int64_t size_of(const onnx::ValueInfoProto& input, int d, std::size_t number,
                       std::vector<std::string>& warnings);

  const OnnxOptions& options_;
  std::map<std::string, std::int64_t> sizes_;
  std::set<std::string> unused_;
  std::vector<std::string> assumed_;
};

}  // namespace accord
