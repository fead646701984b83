#pragma once

#include <optional>
#include <vector>

#include "compiler/fusion/chain.h"
#include "compiler/fusion/problem.h"

namespace accord {

/// What a chain is thought to cost before it is looked into.
struct ChainEstimate {
  std::vector<double> cycles;  ///< per layer, all strips
  double off_chip_bytes = 0;
};

/// By the layers' traffic, their repeated work and their room; nothing where tensors have no keeper or no room.
std::optional<ChainEstimate> estimate_chain(const FusionProblem& problem, const Chain& chain);

}  // namespace accord
