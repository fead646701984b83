#pragma once

#include <optional>

#include "compiler/frontends/onnx_constant.h"

namespace accord {

/// Computes what shapes are made of: integers element by element (they wrap around), their reductions, Cast, Where and
/// Range over constants; nullopt for others.
std::optional<ConstantData> fold_arithmetic(const OnnxNode& node);

}  // namespace accord
