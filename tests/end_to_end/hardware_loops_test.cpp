// What do hardware loops cost?
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t cycles_of(const Architecture& architecture, const Network& network) {
  return run_checked(architecture, network, 9).report.total_cycles;
}

}  // namespace

TEST_CASE("is a machine with hardware loops as quick as the same without") {
  const std::string loop =
      "    loop: {means: loop, opcode: 27, fields: {count: 20, length: 12}, args: {count: count, length: length}}\n";
  const Architecture with = machine("avx512_vnni");
  const Architecture without = loaded(replaced(edited("avx512_vnni", loop, ""), ", loop_depth: 2", ""));
  for (const auto& [rows, sum, results] : {std::array<std::int64_t, 3>{169, 61, 77}, {128, 256, 192}, {40, 80, 90}}) {
    CAPTURE(rows);
    const Network network = product(9, rows, sum, results);
    // Turns that all do the same would bring the rows anew for each tile of weights, up to an eighth more.
    CHECK(static_cast<double>(cycles_of(with, network)) < 1.06 * static_cast<double>(cycles_of(without, network)));
  }
}
