// Do sums lie side by side in words that hold several rows of them?
#include <doctest/doctest.h>

#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("are registers of longer words no slower, however few") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml");
  const Network network = product(31, 96, 96, 96);
  const auto taken = [&](const std::string& word) {
    const std::string registers = "capacity: 8 KiB, word: " + word;
    return static_cast<double>(
        run_checked(loaded(replaced(text, "capacity: 32 KiB, word: 64 B", registers)), network, 31)
            .report.total_cycles);
  };
  const double rows = taken("64 B");
  CHECK(taken("256 B") < 1.05 * rows);
  CHECK(taken("512 B") < 1.05 * rows);
}
