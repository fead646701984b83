// Layers that are too small for several cores: do chains, in which results stay on chip, still form?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t chain_seed = 31;

std::string small_cores(const std::string& cores) {
  return replaced(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/small_cores.yaml"), "value: 4",
                  "value: " + cores);
}

/// The same with one scratchpad for all cores.
std::string sharing_cores(const std::string& cores) {
  const std::string spad = "      spad: {kind: memory, capacity: 16 KiB";
  std::string text = small_cores(cores);
  const auto at = text.find(spad);
  REQUIRE(at != std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at + 1);
  text = replaced(text, line, "");
  return replaced(text, "components:\n  dram:", "components:\n" + line.substr(4) + "  dram:");
}

/// Products and sums of vectors, each of the one before it.
Network vectors(int layers) {
  return network_of(chain_seed, [&](NetworkBuilder& b) {
    const TensorId first = b.input({1, 32, 3, 16});
    TensorId now = first;
    for (int l = 0; l < layers; ++l) now = l % 2 == 0 ? b.multiply(now, first) : b.add(now, first);
    return now;
  });
}

RunReport report_of(const std::string& covenant) {
  return run_checked(loaded(covenant), vectors(8), chain_seed).report;
}

/// Of 1x1 convolutions on cores behind a shared memory, whose results all of them reach there.
RunReport convolutions_on(const std::string& cores) {
  const std::string covenant = replaced(file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/shared_l2.yaml"),
                                        "value: 8", "value: " + cores);
  const Network network = network_of(chain_seed, [](NetworkBuilder& b) {
    TensorId now = b.input({1, 32, 16, 16});
    for (int l = 0; l < 8; ++l) now = b.relu(b.conv(now, 32, 1));
    return now;
  });
  return run_checked(loaded(covenant), network, chain_seed).report;
}

}  // namespace

TEST_CASE("do results stay with one of several cores where dividing the layers gains less") {
  const auto one = report_of(small_cores("1")), four = report_of(small_cores("4"));
  CHECK(static_cast<double>(four.total_cycles) < 1.02 * static_cast<double>(one.total_cycles));
}

TEST_CASE("are layers divided and their results kept where the cores share a memory") {
  const auto one = report_of(sharing_cores("1")), four = report_of(sharing_cores("4"));
  CHECK(static_cast<double>(four.total_cycles) < 0.8 * static_cast<double>(one.total_cycles));
  CHECK(four.off_chip_bytes <= one.off_chip_bytes);
}

TEST_CASE("do layers that take several cores far less time than one keep their results in what these share") {
  const auto one = convolutions_on("1"), four = convolutions_on("4"), eight = convolutions_on("8");
  CHECK(static_cast<double>(four.total_cycles) < 0.5 * static_cast<double>(one.total_cycles));
  CHECK(eight.total_cycles < four.total_cycles);
  CHECK(four.off_chip_bytes <= one.off_chip_bytes);
  CHECK(eight.off_chip_bytes <= one.off_chip_bytes);
}
