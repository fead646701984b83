#include "tests/end_to_end/predictions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/square_conv.h"

namespace accord::test {
namespace {

Network four_convolutions(const Architecture& machine) {
  const Network network = build_topology("predicted",
                                         {square_conv("wide", 32, 27, 128, 1), square_conv("narrow", 128, 27, 16, 1),
                                          square_conv("window", 16, 28, 64, 3), square_conv("deep", 256, 6, 128, 3)},
                                         17);
  return quantise(network, machine.numerics, {});
}

}  // namespace

void check_predictions(const Architecture& machine, const AllowedErrors& allowed) {
  const auto runs = layer_runs(machine, four_convolutions(machine));
  double sum = 0;
  for (const auto& [layer, run] : runs) {
    CAPTURE(layer);
    CAPTURE(run.predicted);
    CAPTURE(run.simulated);
    CHECK(std::abs(run.error()) < allowed.worst);
    sum += std::abs(run.error());
  }
  REQUIRE(runs.size() == 4);
  CHECK(sum / 4 < allowed.mean);
}

}  // namespace accord::test
