#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include <onnx/onnx_pb.h>

#include "tests/scratch.h"

namespace accord {

/// The recorded models beside the source tree, where they are at hand.
inline std::vector<std::filesystem::path> shared_models() {
  std::vector<std::filesystem::path> models;
  const auto root = std::filesystem::path(ACCORD_SOURCE_DIR).parent_path() / "shared" / "models";
  if (!std::filesystem::exists(root)) return models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  return models;
}

/// By protobuf alone, with all data of its initialisers.
inline onnx::ModelProto parsed_whole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  onnx::ModelProto model;
  model.ParseFromIstream(&stream);
  return model;
}

}  // namespace accord
