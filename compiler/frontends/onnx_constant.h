#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/frontends/onnx_node.h"

namespace accord {

/// The tensor of a Constant node.
Tensor constant_value(const OnnxNode& node);

/// The one element that ConstantOfShape repeats (fp32 0 by default).
Tensor fill_value(const OnnxNode& node);

/// Computes a node whose inputs are all constant (or whose result depends on shapes only), after its rule has run.
/// One entry per result; nullopt for operators that are not folded.
std::optional<std::vector<ConstantData>> fold(const OnnxNode& node);

}  // namespace accord
