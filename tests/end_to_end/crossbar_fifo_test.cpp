// Do targets of a crossbar keep to their own FIFOs?
#include <doctest/doctest.h>

#include <string>

#include <fmt/format.h>

#include "archdsl/check/load.h"
#include "archdsl/isa/program.h"
#include "simulator/simulate.h"

using namespace accord;

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
      const Program program = assemble(machine, text, "mv.s");
      SimulateOptions beat_by_beat;
      beat_by_beat.fidelity = Fidelity::cycle;
      const std::int64_t cycles = simulate(machine, program, {}, {}).total_cycles;
      CHECK(cycles == doctest::Approx(1024 / 2).epsilon(0.05));
      CHECK(cycles == doctest::Approx(simulate(machine, program, {}, beat_by_beat).total_cycles).epsilon(0.01));
    }
  }
}
