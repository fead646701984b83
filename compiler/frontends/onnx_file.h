#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <onnx/onnx_pb.h>

#include "compiler/frontends/limits.h"
#include "compiler/network/network.h"

namespace accord {

/// An ONNX file in memory and the folder of its external data.
struct OnnxFile {
  std::filesystem::path path;
  onnx::ModelProto model;
  int opset = 0;  ///< of the default domain
};

/// Parses the file. Throws Error if it is no ONNX model or its opset is outside 7 to 23.
OnnxFile read_onnx_file(const std::filesystem::path& path);

/// The element type that holds an ONNX type (see docs/operators.md); throws Error for strings and complex numbers.
ElementType element_type_of(int onnx_type);

/// Decodes an initialiser or a tensor attribute. Nullopt if its external file does not exist.
/// Throws Error where data and shape do not agree.
std::optional<Tensor> read_tensor(const OnnxFile& file, const onnx::TensorProto& proto);

}  // namespace accord
