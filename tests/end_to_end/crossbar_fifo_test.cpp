// Do targets of a crossbar keep to their own FIFOs?
#include <doctest/doctest.h>

#include <string>

#include <fmt/format.h>

#include "archdsl/check/load.h"
#include "archdsl/isa/program.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/file_text.h"

using namespace accord;

namespace {

/// Cycles at both fidelities, which agree.
std::int64_t cycles_of(const Architecture& machine, const std::string& text) {
  const Program program = assemble(machine, text, "mv.s");
  SimulateOptions beat_by_beat;
  beat_by_beat.fidelity = Fidelity::cycle;
  const std::int64_t cycles = simulate(machine, program, {}, {}).total_cycles;
  CHECK(cycles == doctest::Approx(simulate(machine, program, {}, beat_by_beat).total_cycles).epsilon(0.01));
  return cycles;
}

}  // namespace

TEST_CASE("does a crossbar serve slow targets side by side, however short their FIFOs") {
  const std::string covenant = std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/slow_targets.yaml";
  for (const int fifo : {16, 32, 64, 256}) {
    for (const int targets : {1, 2, 4}) {
      CAPTURE(fifo);
      CAPTURE(targets);
      LoadResult loaded = load_architecture(covenant, {{"fifo", fmt::format("{} B", fifo)}});
      REQUIRE(loaded.architecture);
      const Architecture& machine = *loaded.architecture;
      std::string text = ".image l2 0 zeros 65536\n";
      for (int c = 0; c < targets; ++c) text += fmt::format("mv c={}, src={}, dst=0, n=1024\n", c, 16384 * c);
      CHECK(cycles_of(machine, text) == doctest::Approx(1024 / 2).epsilon(0.05));
    }
  }
}

TEST_CASE("does a full FIFO stop its own direction, whichever end of the link is named first") {
  const std::string covenant = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/link_sides.yaml");
  const std::string text = R"(
.image dram 0 zeros 4096
.image buf 0 zeros 4096
  ld dst=0, n=1024, src=0
  st src=1024, dst=4096, n=1024
  fence
)";
  const std::int64_t cycles = cycles_of(test::loaded(covenant), text);
  CHECK(cycles_of(test::loaded(test::replaced(covenant, "[dram, buf]", "[buf, dram]")), text) == cycles);
}

TEST_CASE("does a crossbar pass what is there before what was asked for first and is still to come") {
  const std::string covenant = test::replaced(
      file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/link_sides.yaml"), "latency: 10", "latency: 100");
  const std::string text = R"(
.image dram 0 zeros 4096
.image near 0 zeros 4096
  far dst=0, n=64, src=0
  close dst=1024, n=512, src=0
  fence
)";
  CHECK(cycles_of(test::loaded(covenant), text) < 110);  // the first alone: 100 and its 4 beats
}
