// Does the compiler know what the rows of DRAM cost?
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/dram_timing.h"
#include "simulator/modules/dram_controller.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/predictions.h"

using namespace accord;
using namespace accord::test;

namespace {

/// A shipped machine with this part, `part: ..` and more, as off-chip memory.
Architecture with_dram(const std::string& name, const std::string& part, const std::string& more) {
  const std::string banks = name == "gemmini16x4" ? "banks: \"${channels}\", " : "";
  std::string text = edited(name, "capacity: 4 GiB, word: 16 B, " + banks + "latency: 32,",
                            "capacity: 2 GiB, latency: 8, dram: {part: dram_part" + more + "},");
  const LoadResult loaded = load_text(replaced(text, "tables: {", "tables: {dram_part: parts/" + part + ".yaml, "));
  REQUIRE(loaded.architecture);
  return *loaded.architecture;
}

/// Four cores, each with a buffer and an array of its own, on one channel without bank groups; with bank groups; on
/// several channels; and one core whose mover loads two tensors in turn.
std::vector<std::pair<std::string, Architecture>> covenants() {
  return {{"four cores, one bank group", with_dram("gemmini16x4", "lpddr4_3200", "")},
          {"four cores, rows side by side", with_dram("gemmini16x4", "lpddr4_3200", ", interleave: row")},
          {"four cores, bank groups", with_dram("gemmini16x4", "ddr4_3200", "")},
          {"four cores, channels", with_dram("gemmini16x4", "hbm2_2000", ", channels: 8")},
          {"one core", with_dram("gemmini16", "lpddr4_3200", "")}};
}

constexpr int in_flight = 16;  ///< requests for a burst

/// Many of what is written, beside which the queue's filling counts little.
int count_of(bool write) { return write ? 4096 : 512; }

/// Clocks until the last burst's end.
double simulated_clocks(const Memory& memory, std::int64_t bursts_apart, int count, bool write) {
  const Dram& part = *memory.dram;
  std::vector<sim::DramController> channels;
  for (int c = 0; c < memory.banks; ++c) channels.emplace_back(part);
  std::array<sim::DramChannel::Clock, in_flight> done{};
  for (int n = 0; n < count; ++n) {
    auto& oldest = done[static_cast<std::size_t>(n) % done.size()];
    const std::int64_t burst = n * bursts_apart;
    auto& channel = channels[static_cast<std::size_t>(burst % memory.banks)];
    const auto at = write ? channel.write(burst / memory.banks, oldest) : channel.read(burst / memory.banks, oldest);
    oldest = at + part.burst_cycles;
  }
  sim::DramChannel::Clock last = 0;
  for (sim::DramController& channel : channels) {
    channel.drain(0);
    channel.take_served([&](sim::DramChannel::Clock at) { last = std::max(last, at + part.burst_cycles); });
  }
  return static_cast<double>(last);
}

double clocks_of(const Dram& part, double cycles) {
  return cycles * static_cast<double>(part.period.denominator) / static_cast<double>(part.period.numerator);
}

}  // namespace

TEST_CASE("do bursts at any distance take a channel as long as predicted") {
  for (const std::string name : {"ddr4_3200", "lpddr4_3200", "lpddr5_6400", "hbm2_2000"}) {
    for (const std::string interleave : {"group", "row"}) {
      const Architecture machine = with_dram("gemmini16", name, ", tREFI: 0, interleave: " + interleave);
      const Memory& memory = machine.memories[0];
      const Dram& part = *memory.dram;
      const bool group = interleave == "group";
      const std::int64_t stretch = (group ? part.groups : 1) * part.row / memory.word;
      for (const std::int64_t apart : {std::int64_t{1}, stretch, 2 * stretch, part.groups * part.banks * stretch}) {
        for (const bool write : {false, true}) {
          CAPTURE(name);
          CAPTURE(interleave);
          CAPTURE(apart);
          CAPTURE(write);
          const int count = count_of(write);
          const DramWalk walk{memory.word, {{count, apart * memory.word}}, 1.0 * count, memory.word, write};
          const double clocks = clocks_of(part, dram_cycles(memory, walk));
          CHECK(clocks == doctest::Approx(simulated_clocks(memory, apart, count, write)).epsilon(0.2));
        }
      }
    }
  }
}

TEST_CASE("do runs that all lie on few channels take as much longer") {
  for (const std::string name : {"lpddr4_3200", "hbm2_2000"}) {
    const Architecture machine = with_dram("gemmini16", name, ", tREFI: 0, channels: 8");
    const Memory& memory = machine.memories[0];
    for (const std::int64_t apart : {1, 2, 3, 4, 8, 12}) {
      for (const bool write : {false, true}) {
        CAPTURE(name);
        CAPTURE(apart);
        CAPTURE(write);
        const int count = count_of(write);
        const DramWalk walk{memory.word, {{count, apart * memory.word}}, 1.0 * count, memory.word, write};
        const double clocks = clocks_of(*memory.dram, dram_cycles(memory, walk) * crowding(memory, walk, in_flight));
        CHECK(clocks == doctest::Approx(simulated_clocks(memory, apart, count, write)).epsilon(0.25));
      }
    }
  }
}

TEST_CASE("are layers on DRAM with rows predicted") {
  for (const auto& [name, machine] : covenants()) {
    CAPTURE(name);
    check_predictions(machine, {.mean = 0.2, .worst = 0.45});
  }
}
