#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/load_model.h"
#include "compiler/network/canonicalise.h"
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

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Imports and canonicalises; true if the file was accepted. Anything but Error is a fault of ours.
inline bool accepts(const std::filesystem::path& path) {
  try {
    auto network = load_model(path);
    canonicalise(network);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Imports the model so many times, each with one to `most` bytes changed.
inline void import_changed(const std::string& model, int times, std::uint64_t most) {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  const Scratch file("changed.onnx");
  for (int i = 0; i < times; ++i) {
    auto changed = model;
    for (auto changes = random() % most + 1; changes > 0; --changes) {
      changed[random() % changed.size()] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
    }
    write_file(file.path, changed);
    accepts(file.path);
  }
}

}  // namespace accord
