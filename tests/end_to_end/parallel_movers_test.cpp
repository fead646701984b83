// Where several movers that are alike join two memories, do they share the work?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("do two load and store units bring a vector unit's operands side by side") {
  // One of them alone would need 87 thousand cycles: it is the busier one then.
  const auto report = run_checked(described("two_movers"), product(5, 128, 256, 192), 5).report;
  CHECK(static_cast<double>(report.total_cycles) < 1.25 * static_cast<double>(report.bound_cycles));
}
