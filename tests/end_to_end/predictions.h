#pragma once

#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/frontends/topology.h"

namespace accord::test {

/// How far predictions may be from what the simulator measures, as parts of it.
struct AllowedErrors {
  double mean = 0, worst = 0;
};

/// Of layers, each alone.
void check_predictions(const Architecture& machine, const std::vector<TopologyLayer>& layers,
                       const AllowedErrors& allowed);

/// Of four convolutions: that load, that store, and that do both beside little work.
void check_predictions(const Architecture& machine, const AllowedErrors& allowed);

}  // namespace accord::test
