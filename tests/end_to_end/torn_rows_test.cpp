// What becomes of a mapping whose tensor's rows another layer's margins tear apart?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("does a depthwise convolution stay on the machine whose reader wants channels in fours") {
  // Alone it counts columns and its 17 channels as one row; its reader takes 20 of them.
  const Architecture machine =
      loaded(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/output_stationary.yaml"));
  const Network network = network_of(13, [](NetworkBuilder& b) {
    return b.conv(b.conv(b.input({1, 17, 19, 21}), 17, 3, 1, 1, 17), 23, 1);
  });
  const RunReport report = run_checked(machine, network, 13).report;
  int convolutions = 0;
  for (const LayerReport& layer : report.layers) {
    if (layer.op.find("Conv") == std::string::npos) continue;
    CAPTURE(layer.name);
    CHECK(layer.placed_on != "host");
    ++convolutions;
  }
  CHECK(convolutions == 2);
}
