// What do hardware loops cost?
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t cycles_of(const Architecture& architecture, const Network& network) {
  return run_checked(architecture, network, 9).report.total_cycles;
}

/// Of a covenant beside this file.
std::string text_of(const std::string& name) {
  return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/" + name + ".yaml");
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

// Beyond what may stand in a row, where a tile that fills a register file would wait for its last reader.
TEST_CASE("does a loop long for straight code load one tile while the other is used") {
  const std::string with = text_of("vector_files");
  const std::string without =
      replaced(replaced(with, ", loop_depth: 3", ""), "    loop: {means: loop", "    # {means: loop");
  const Network network = product(9, 256, 512, 256);
  CHECK(static_cast<double>(cycles_of(loaded(with), network)) <
        1.2 * static_cast<double>(cycles_of(loaded(without), network)));
}

TEST_CASE("are loops without registers for what grows from turn to turn none") {
  const std::string without = text_of("two_kilobytes");
  const std::string with =
      replaced(replaced(without, "seq: {kind: controller}", "seq: {kind: controller, loop_depth: 2}"), "  mnemonics:\n",
               "  mnemonics:\n    loop: {means: loop, opcode: 9, fields: {count: 16, length: 16}}\n");
  const Network network = product(9, 60, 100, 70);
  CHECK(cycles_of(loaded(with), network) == cycles_of(loaded(without), network));
}
