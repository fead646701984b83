// Do weights stay on chip where they have room, whatever words they lie in?
#include <doctest/doctest.h>

#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

Network convolution(std::int64_t channels, std::int64_t filters, std::int64_t rows) {
  return network_of(41, [&](NetworkBuilder& b) { return b.conv(b.input({1, channels, rows, rows}), filters, 3, 1, 1); });
}

double cycles(const std::string& text, const Network& network) {
  return static_cast<double>(run_checked(loaded(text), network, 41).report.total_cycles);
}

std::string slow_weights() {
  return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/slow_weights.yaml");
}

}  // namespace

TEST_CASE("is a layer hardly slower with weights in words of more filters than it has") {
  const std::string text = slow_weights(), narrow = replaced(text, "word: 1024 B", "word: 256 B");
  for (const std::int64_t channels : {16, 24, 32}) {
    CAPTURE(channels);
    const Network network = convolution(channels, 16, 16);
    CHECK(cycles(text, network) < 1.1 * cycles(narrow, network));
  }
}

TEST_CASE("are weights brought once where a part of the filters has room with whole sums") {
  const Network network = convolution(48, 48, 8);
  const double bytes = 48 * 48 * 9, flash = 4, core_cycles = 4;  // per word of the link, a cycle of its clock
  CHECK(cycles(slow_weights(), network) < 2 * bytes / flash * core_cycles);
}
