#pragma once

#include <cstdint>
#include <filesystem>

#include "compiler/frontends/onnx.h"
#include "compiler/network/network.h"

namespace accord {

/// Reads a model by its file name's ending: .onnx, .csv (SCALE-Sim topology) or .yaml/.yml (list of layers); by its
/// first bytes otherwise. Form 1 of docs/operators.md. Inputs that serve only as weights are seeded. Throws Error for
/// what cannot be read.
Network load_model(const std::filesystem::path& path, const OnnxOptions& options = {});

}  // namespace accord
