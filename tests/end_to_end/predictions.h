#pragma once

#include "archdsl/graph/architecture.h"

namespace accord::test {

/// How far predictions may be from what the simulator measures, as parts of it.
struct AllowedErrors {
  double mean = 0, worst = 0;
};

/// Of four convolutions, each alone: that load, that store, and that do both beside little work.
void check_predictions(const Architecture& machine, const AllowedErrors& allowed);

}  // namespace accord::test
