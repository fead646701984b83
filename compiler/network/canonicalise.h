#pragma once

#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// One rewrite of the network; values of the network's outputs stay the same but for float rounding.
struct NetworkPass {
  const char* name;
  void (*run)(Network&);
};

/// The passes that lead from form 1 to form 2 of docs/operators.md, in order.
const std::vector<NetworkPass>& canonical_passes();

/// Why the passes leave an operator as it was imported; empty where they have nothing to say.
std::string canonical_obstacle(const Network& network, const Operator& op);

/// Runs `canonical_passes`. Applying it twice changes nothing more.
void canonicalise(Network& network);

}  // namespace accord
