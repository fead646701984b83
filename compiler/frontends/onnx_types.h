#pragma once

#include <string>
#include <unordered_map>

#include <onnx/defs/data_type_utils.h>
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
  std::unordered_map<std::string, onnx::DataType> types_;
  std::unordered_map<std::string, int> later_;  ///< those that the ONNX library does not know yet
};

}  // namespace accord
