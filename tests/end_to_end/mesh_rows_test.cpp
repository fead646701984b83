// Do parts of a layer stand where links to memory are many?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("is work of fewer parts than a mesh has cores spread over its rows, each with a link of its own") {
  const auto cycles = [](const std::string& side) {
    std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/small_mesh.yaml");
    text = replaced(text, "io: {kind: link, between: [dram, 'pe[0][0]'], width: 16 B",
                    "'io[${n}]': {kind: link, between: [dram, 'pe[${i}][0]'], width: '${w}'");
    text = replaced(text, "n: {value: 3", "n: {value: " + side);
    const Network network = network_of(17, [](NetworkBuilder& b) {
      return b.relu(b.conv(b.input({1, 64, 6, 6}), 32, 1, 1, 0));
    });
    return run_checked(loaded(text), network, 17).report.total_cycles;
  };
  const auto nine = cycles("3"), sixteen = cycles("4");
  CAPTURE(nine);
  CAPTURE(sixteen);
  CHECK(sixteen <= nine);
}
