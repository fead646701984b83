#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

namespace accord {

/// Element types of an ONNX graph's tensors, as ONNX tells them apart: a network holds its booleans as u8, and its
/// halves and doubles as fp32. Of tensors whose types nothing says, nothing is known.
class OnnxTypes {
 public:
  void declare(const std::string& tensor, int onnx_type);

  /// TensorProto.DataType; 0: nothing is known.
  int of(const std::string& tensor) const;

  /// Error where an input has a type that ONNX does not allow there, or another one than the inputs that must be like
  /// it. Learns the types of the results. Operators that the ONNX library does not know are not looked at.
  void check(const onnx::NodeProto& node, int opset);

 private:
  /// As the ONNX library knows it, or the number of one that it does not know yet.
  struct Type {
    onnx::DataType known = nullptr;
    int later = 0;
    bool operator==(const Type&) const = default;
    std::string text() const;
  };
  /// By the schema's name of a type that inputs and results share: the first input that has it, and its type.
  using Shared = std::map<std::string, std::pair<int, Type>>;
  Shared shared_by_inputs(const onnx::NodeProto& node, const onnx::OpSchema& schema, bool judges) const;

  std::unordered_map<std::string, Type> types_;
};

}  // namespace accord
