#include "tests/end_to_end/predictions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/square_conv.h"

namespace accord::test {
void check_predictions(const Architecture& machine, const std::vector<TopologyLayer>& layers,
                       const AllowedErrors& allowed) {
  const auto runs = layer_runs(machine, quantise(build_topology("predicted", layers, 17), machine.numerics, {}));
  double sum = 0;
  for (const auto& [layer, run] : runs) {
    CAPTURE(layer);
    CAPTURE(run.predicted);
    CAPTURE(run.simulated);
    CHECK(std::abs(run.error()) < allowed.worst);
    sum += std::abs(run.error());
  }
  REQUIRE(runs.size() == layers.size());
  CHECK(sum / static_cast<double>(layers.size()) < allowed.mean);
}

void check_predictions(const Architecture& machine, const AllowedErrors& allowed) {
  const std::vector<TopologyLayer> layers = {square_conv("wide", 32, 27, 128, 1), square_conv("narrow", 128, 27, 16, 1),
                                             square_conv("window", 16, 28, 64, 3), square_conv("deep", 256, 6, 128, 3)};
  check_predictions(machine, layers, allowed);
}

}  // namespace accord::test
