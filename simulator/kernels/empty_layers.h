#pragma once

#include <vector>

#include "archdsl/isa/program.h"

namespace accord::sim {

/// A layer without instruction or host stage: what others wrote is its result, too.
struct EmptyLayer {
  int layer;
  std::vector<int> leaders;  ///< ascending; it ends with the last of them, at the begin where there are none
};

/// `has_work`: per layer; symbols lie within their memories (`check_symbol`). A layer follows the one before it that
/// has work, and those that wrote what it shows last.
std::vector<EmptyLayer> find_empty_layers(const Program& program, const std::vector<bool>& has_work);

}  // namespace accord::sim
