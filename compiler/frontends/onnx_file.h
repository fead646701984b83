#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "archdsl/source/mapped_file.h"
#include "compiler/frontends/limits.h"
#include "compiler/network/network.h"

namespace accord {

/// An ONNX file and the folder of its external data.
struct OnnxFile {
  std::filesystem::path path;
  std::shared_ptr<const MappedFile> bytes;
  onnx::ModelProto model;                       ///< without the raw data that stay in the file
  std::vector<std::span<const std::byte>> raw;  ///< these, of each initialiser; empty: the message has its data
  int opset = 0;                                ///< of the default domain
  /// SHA-1 of external data files, by path, of those that were checked.
  std::shared_ptr<std::map<std::string, std::string>> digests = std::make_shared<std::map<std::string, std::string>>();
};

/// Parses the file. Throws Error if it is no ONNX model or its opset is outside 7 to 23.
OnnxFile read_onnx_file(const std::filesystem::path& path);

/// The element type that holds an ONNX type (see docs/operators.md); throws Error for strings and complex numbers.
ElementType element_type_of(int onnx_type);

/// ONNX's name for an element type, in small letters; its number where nothing is known of it.
std::string onnx_type_name(int onnx_type);

/// Whether an ONNX type is INT4 or UINT4, which constants alone may have.
bool is_of_4_bits(int onnx_type);

/// The same as `element_type_of`, of a constant: those of 4 bits have 8 in a network.
ElementType constant_type_of(int onnx_type);

/// Decodes a tensor attribute, or an initialiser whose raw data, unless empty, stayed in the file. Nullopt if its
/// external file does not exist. Throws Error where data and shape do not agree.
std::optional<Tensor> read_tensor(const OnnxFile& file, const onnx::TensorProto& proto,
                                  std::span<const std::byte> raw = {});

/// Where the model's external data lie; those that are found where the model cannot be read.
std::vector<std::filesystem::path> external_files(const std::filesystem::path& path);

}  // namespace accord
