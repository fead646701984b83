#pragma once

#include <filesystem>
#include <vector>

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

}  // namespace accord
