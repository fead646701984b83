#pragma once

#include <functional>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "compiler/network/network.h"

namespace accord {

bool is_control_flow(const onnx::NodeProto& node);

/// What of the graph around a node its inner graphs need.
struct GraphAround {
  int opset = 0;
  std::function<const Tensor&(const std::string& name)> tensor;           ///< defined so far
  std::function<void(const std::vector<onnx::NodeProto>& nodes)> import;  ///< in their order
  std::function<void(const std::string& name)> use;                       ///< a tensor that is still to be made
  std::function<void(const std::string& what)> warn;
};

/// Puts the graphs inside an If, Loop or Scan in the node's place: the branch that is taken, the body once per step.
/// Where an If's condition depends on the model's inputs, both branches, and a choice. `name` is the node's, unique.
/// Throws Error where the number of a Loop's steps depends on the model's inputs.
void inline_control_flow(const onnx::NodeProto& node, const std::string& name, const GraphAround& around);

}  // namespace accord
