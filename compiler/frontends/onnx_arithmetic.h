#pragma once

#include <optional>

#include "compiler/frontends/onnx_constant.h"

namespace accord {

/// Computes an element-wise operator or a reduction of integers over constants; nullopt for others and for large ones.
std::optional<ConstantData> fold_arithmetic(const OnnxNode& node);

}  // namespace accord
