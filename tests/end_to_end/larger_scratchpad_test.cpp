// Is a layer as quick where the scratchpad, and with it each of its banks, is larger?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("is a convolution as quick with four times the scratchpad") {
  // Gaps between channels in fours take eight words a step from the one port of a larger bank: in all tiles that were
  // looked at with gaps, copies of windows seemed quicker than shared ones.
  const auto cycles = [](const std::string& kib) {
    const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/output_stationary.yaml");
    const Network network = network_of(17, [](NetworkBuilder& b) {
      return b.conv(b.input({2, 32, 14, 14}), 31, 3, 1, 1);
    });
    return run_checked(loaded(replaced(text, "value: 64", "value: " + kib)), network, 17).report.total_cycles;
  };
  CHECK(static_cast<double>(cycles("256")) < 1.15 * static_cast<double>(cycles("64")));
}

TEST_CASE("is a mesh as quick with twice the scratchpads") {
  // With more memory one core is quickest in another way, of which no division is.
  const auto cycles = [](const std::string& kib) {
    const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/small_mesh.yaml");
    const Network network = network_of(17, [](NetworkBuilder& b) {
      return b.relu(b.conv(b.input({1, 3, 15, 13}), 19, 3, 1, 1));
    });
    return run_checked(loaded(replaced(text, "value: 16,", "value: " + kib + ",")), network, 17).report.total_cycles;
  };
  CHECK(static_cast<double>(cycles("8")) < 1.05 * static_cast<double>(cycles("4")));
}

TEST_CASE("is a convolution as quick with so large a memory that its words are too many to be told apart") {
  // What lies in one of the parts that are told apart is kept in order: tiles that shared one took turns.
  const Network network = network_of(17, [](NetworkBuilder& b) {
    return b.conv(b.input({1, 32, 16, 23}), 16, 3, 1, 1);
  });
  const auto cycles = [&](const std::string& kib) {
    return run_checked(machine("hvx", {{"l2_kib", kib}}), network, 17).report.total_cycles;
  };
  CHECK(static_cast<double>(cycles("65536")) < 1.05 * static_cast<double>(cycles("1024")));
}
