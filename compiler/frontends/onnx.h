#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

struct OnnxOptions {
  std::uint64_t seed = 0;  ///< of weights that the file does not hold
  /// Graph inputs without a value that serve only as weights (a topology file whose weights were stripped) become
  /// constants with seeded values, unless `shape_given` knows them. Otherwise they stay inputs.
  bool seed_weight_inputs = false;
  /// Graph inputs that are known beforehand (shapes, axes) and so become constants.
  Values known_inputs;
  /// Sizes of dynamic dimensions by name. What lacks one is as long as in `shape_given`, by the input's name and
  /// number, or else 1.
  std::map<std::string, std::int64_t> dimensions{};
  std::function<std::optional<Shape>(const std::string& name, std::size_t number)> shape_given{};
};

/// Reads an ONNX model (opset 7 to 23) and brings it to form 1 of docs/operators.md: shapes inferred, constants folded.
/// External data is read from the model's folder; where the file is absent the weights are seeded and a warning says
/// so. Throws Error for a file that is broken, too large or uses an operator that is not supported.
Network import_onnx(const std::filesystem::path& path, const OnnxOptions& options = {});

}  // namespace accord
