#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontends/onnx.h"
#include "compiler/frontends/onnx_file.h"

namespace accord {

/// One of ONNX's own node tests: a model, inputs and the outputs that it must give.
struct NodeTest {
  std::string name;
  std::filesystem::path model;
  std::set<std::string> operator_types;
  Values inputs;
  std::vector<Value>
      outputs;  ///< in the order of the graph's outputs; no type (and no data) where the model names none
};

/// Where Debian's package libonnx-testdata puts them.
std::filesystem::path node_tests_folder();

/// Reads a test. Throws Error where it is of a kind that a tensor network cannot have (sequences, strings, ...).
NodeTest read_node_test(const std::filesystem::path& folder);

/// Imports the model, taking as constants those inputs that must be (shapes, axes, bounds), as few as possible.
Network import_node_test(const NodeTest& test);

/// Empty if these outputs of the network are the recorded ones, else what differs.
std::string difference(const NodeTest& test, const Network& network, const Values& outputs);

}  // namespace accord
