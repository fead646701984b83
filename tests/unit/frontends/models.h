#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/value.h"
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

/// Element i of an input.
inline double given(std::int64_t i) { return 2 * std::sin(0.7 * static_cast<double>(i) + 0.3); }

/// Numbers of either sign for inputs in fp32.
inline Values given_inputs(const Network& network) {
  Values inputs;
  for (const auto id : network.inputs) {
    const auto& tensor = network.tensor(id);
    Value value{tensor.type, tensor.shape, std::vector<std::byte>(count_of(tensor.shape) * 4)};
    for (std::int64_t i = 0; i < element_count(tensor.shape); ++i) {
      store_element(value.data.data() + 4 * i, ElementType::fp32, given(i));
    }
    inputs[tensor.name] = std::move(value);
  }
  return inputs;
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
