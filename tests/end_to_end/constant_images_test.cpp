// Do weights narrower than the array pass their bus alone, without what pads the array's rows?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t seed = 71;

}  // namespace

TEST_CASE("do ten columns of weights cross the bus of an array of 256 as ten") {
  const std::int64_t sum = 2048, results = 10;
  const auto report = run_checked(machine("tpu_v1"), product(seed, 1, sum, results), seed).report;
  const std::int64_t parameters = 4 + 4 + 4;  // of a result: bias, multiplier, shift
  CHECK(report.link_bytes.at("ddr_bus") == sum * results + parameters * results);
}

TEST_CASE("are weights right whose last rows and columns fill no array") {
  for (const char* name : {"tpu_v1", "dnnweaver64", "vta", "nvdla_large", "eyeriss"}) {
    for (const std::int64_t rows : {1, 5}) {
      CAPTURE(std::string(name));
      CAPTURE(rows);
      run_checked(machine(name), product(seed, rows, 300, 37), seed);
      run_checked(machine(name), product(seed, rows, 37, 270), seed);
    }
  }
}

TEST_CASE("are weights right that pass three memories whose words are longer than their rows") {
  const Architecture architecture = described("three_memories");
  for (const std::int64_t sum : {5, 15, 33}) {
    for (const std::int64_t results : {8, 24, 27}) {
      CAPTURE(sum);
      CAPTURE(results);
      run_checked(architecture, product(seed, 1, sum, results), seed);
    }
  }
}

TEST_CASE("do equal values fill tiles of longer words than those on their way") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml");
  for (const char* memory :
       {"sm: {kind: memory, capacity: 128 KiB, banks: 8, word: ", "rf: {kind: memory, capacity: 32 KiB, word: "}) {
    CAPTURE(std::string(memory));
    run_checked(loaded(replaced(text, std::string(memory) + "64 B", std::string(memory) + "128 B")),
                product(seed, 1, 15, 24), seed);
  }
}

TEST_CASE("are weights right that pass words which do not divide the registers' rows") {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/three_memories.yaml");
  text = replaced(text, "capacity: 32 KiB, word: 64 B", "capacity: 32 KiB, word: 16 B");
  text = replaced(text, "b: {in: rf, steps: [free, 2 B]}", "b: {in: rf, steps: [16 B, 2 B]}");
  text = replaced(text, "b.base: b, b.stride0: b0,", "b.base: b,");
  text = replaced(text, "b: 20, b0: 16,", "b: 20,");
  for (const char* word : {"24", "40", "80"}) {
    for (const std::int64_t results : {3, 15, 27}) {
      CAPTURE(std::string(word));
      CAPTURE(results);
      run_checked(loaded(replaced(text, "capacity: 512 KiB, word: 64 B",
                                  "capacity: 480 KiB, word: " + std::string(word) + " B")),
                  product(seed, 1, 33, results), seed);
    }
  }
}
