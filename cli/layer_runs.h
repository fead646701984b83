#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/explore.h"

namespace accord {

/// What a layer's chosen mapping takes when it is compiled and simulated alone.
struct LayerRun {
  std::int64_t predicted = 0;
  std::int64_t simulated = 0;
  std::string failure;  ///< why it could not be encoded; empty: it ran
  double error() const { return static_cast<double>(predicted) / static_cast<double>(simulated) - 1; }
};

/// Compiles and simulates the best mapping of a layer of `compilation`, without values; nothing where the layer has
/// none.
std::optional<LayerRun> run_layer(const Compilation& compilation, const LayerChoices& layer);

}  // namespace accord
