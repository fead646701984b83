#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

/// One of ONNX's own backend tests (Debian's libonnx-testdata): a model of mostly one node, inputs and outputs.
struct NodeCase {
  std::string name;
  Network network;
  Values inputs;
  std::vector<Value> outputs;
};

/// Folders of the suite; empty where it is not installed.
std::vector<std::filesystem::path> node_case_folders();

/// Imports the case; integer inputs (shapes, axes) are known beforehand if `fix_integers`. Throws Error where import
/// does.
NodeCase load_node_case(const std::filesystem::path& folder, bool fix_integers);

}  // namespace accord
