// Do DRAM parts keep the times of their data sheets, and reach the rates that follow from them?
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "archdsl/graph/rates.h"
#include "archdsl/source/error.h"
#include "dram_parts.h"
#include "machines.h"
#include "simulator/modules/dram_channel.h"
#include "simulator/simulate.h"

using namespace accord;
using namespace accord::test;
using sim::DramChannel;

namespace {

const std::vector<std::string> parts = {"ddr4_2400", "ddr4_3200", "lpddr4_3200", "lpddr5_6400", "hbm2_2000"};

/// The n-th burst of the channel that lies at this place, by trying; the part has few rows of interest.
std::int64_t burst_at(const DramChannel& channel, std::int64_t group, std::int64_t bank, std::int64_t row) {
  for (std::int64_t burst = 0;; ++burst) {
    const auto place = channel.place_of(burst);
    if (place.group == group && place.bank == bank && place.row == row) return burst;
  }
}

std::int64_t row_cycle(const Dram& part) { return std::max(part.ras, part.rcd + part.rtp) + part.rp; }

/// A load of 64 bytes from this off-chip memory, explained.
SimulateResult one_load(Memory memory) {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  memory.capacity = machine.memories[0].capacity;
  machine.memories[0] = std::move(memory);
  Assembler assembler(machine);
  assembler.image("dram", 0, std::vector<std::int8_t>(64, 1));
  assembler.emit("load_acc", {{"n0", 64}});
  SimulateOptions options;
  options.sensitivities = true;
  return simulate(machine, assembler.program, {}, options);
}

}  // namespace

TEST_CASE("does a stream of reads reach the peak, less what refreshes take") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Memory memory = memory_of(name);
    const Dram& part = *memory.dram;
    DramChannel channel(part);
    const std::int64_t bursts = 20 * part.refi / part.burst_cycles;
    std::int64_t last = 0;
    for (std::int64_t burst = 0; burst < bursts; ++burst)
      last = std::max(last, channel.access(false, burst, std::max<std::int64_t>(0, last - 4 * row_cycle(part))));
    const double share = static_cast<double>(bursts * part.burst_cycles) / static_cast<double>(last);
    const double sheet =
        1 - static_cast<double>(part.rp + part.rfc + part.rtp + part.rcd) / static_cast<double>(part.refi);
    CHECK(share <= 1 - static_cast<double>(part.rfc) / static_cast<double>(part.refi) + 1e-3);
    CHECK(share == doctest::Approx(sheet).epsilon(0.01));
    CHECK(sustained_rate(memory) / peak_rate(memory) == doctest::Approx(sheet));
  }
}

TEST_CASE("is a bank that changes rows at every burst served once in a row cycle") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Dram part = without_refresh(*memory_of(name).dram);
    DramChannel channel(part);
    std::vector<std::int64_t> at;
    for (std::int64_t row = 0; row < 12; ++row) at.push_back(channel.access(false, burst_at(channel, 0, 0, row), 0));
    CHECK(at.front() == part.rcd);
    for (std::size_t i = 1; i < at.size(); ++i) CHECK(at[i] - at[i - 1] == row_cycle(part));
    CHECK(channel.misses() == 12);
  }
}

TEST_CASE("does an open row answer at once, a closed one after tRCD, another one after tRP and tRCD") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Dram part = without_refresh(*memory_of(name).dram);
    DramChannel channel(part);
    const std::int64_t row0 = burst_at(channel, 0, 0, 0), row1 = burst_at(channel, 0, 0, 1);
    CHECK(channel.access(false, row0, 1000) == 1000 + part.rcd);
    CHECK(channel.access(false, row0, 5000) == 5000);
    CHECK(channel.access(true, row1, 9000) == 9000 + part.rp + part.rcd);
    CHECK(channel.access(false, row0, 9001) >= 9000 + part.rp + part.rcd + part.recovery(true) + part.rp + part.rcd);
  }
}

TEST_CASE("do bursts of one bank group keep tCCD_L, those of groups in turn tCCD_S") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    for (const bool in_turn : {true, false}) {
      const Dram part = without_refresh(*memory_of(name, in_turn ? "" : ", interleave: row").dram);
      DramChannel channel(part);
      const std::int64_t count = part.row / part.burst_bytes();
      std::int64_t last = 0;
      for (std::int64_t burst = 0; burst < count; ++burst) last = channel.access(false, burst, 0);
      const std::int64_t apart = in_turn && part.groups > 1 ? part.ccd_s : part.ccd_l;
      const std::int64_t first = part.rcd;
      CHECK(last >= first + (count - 1) * apart);
      CHECK(last <= first + (count - 1) * apart + part.groups * part.rrd_l);
    }
  }
}

TEST_CASE("do activates keep to four in tFAW") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Dram part = without_refresh(*memory_of(name).dram);
    DramChannel channel(part);
    std::int64_t last = 0;
    const std::int64_t rows = 40, banks = part.groups * part.banks;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t b = 0; b < banks; ++b)
        last = std::max(last, channel.access(false, burst_at(channel, b % part.groups, b / part.groups, row), 0));
    }
    const double each = static_cast<double>(last) / static_cast<double>(rows * banks);
    const double sheet = std::max({static_cast<double>(part.faw) / 4, static_cast<double>(part.rrd_s),
                                   static_cast<double>(row_cycle(part)) / static_cast<double>(banks)});
    CHECK(each >= sheet * 0.99);
    CHECK(each <= sheet * 1.05);
    CHECK(channel.misses() == rows * banks);
  }
}

TEST_CASE("do reads and writes in turn keep tRTW and tWTR") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Dram part = without_refresh(*memory_of(name, ", window: 1").dram);
    DramChannel channel(part);
    const std::int64_t burst = burst_at(channel, 0, 0, 0);
    std::int64_t before = channel.access(false, burst, 0);
    for (int i = 0; i < 10; ++i) {
      const std::int64_t write = channel.access(true, burst, before);
      const std::int64_t read = channel.access(false, burst, write);
      CHECK(write - before == std::max(part.rtw, part.ccd_l));
      CHECK(read - write == part.cwl + part.burst_cycles + part.wtr_l);
      before = read;
    }
  }
}

TEST_CASE("does a burst whose row is open go before one that waits for its row") {
  const Dram part = without_refresh(*memory_of("ddr4_3200").dram);
  DramChannel channel(part);
  const std::int64_t open = burst_at(channel, 1, 0, 0);
  channel.access(false, open, 0);
  channel.access(false, burst_at(channel, 0, 0, 0), 0);
  const std::int64_t miss = channel.access(false, burst_at(channel, 0, 0, 1), 1000);
  CHECK(miss == 1000 + part.rp + part.rcd);
  CHECK(channel.access(false, open, 1000) == 1000);
  CHECK(channel.access(false, open, 1001) == 1000 + part.ccd_l);
}

TEST_CASE("is nothing begun that a refresh would cut") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    const Dram part = *memory_of(name).dram;
    std::mt19937_64 random(1);
    DramChannel channel(part);
    std::int64_t now = 0;
    for (int i = 0; i < 4000; ++i) {
      now += static_cast<std::int64_t>(random() % 200);
      const bool write = random() % 3 == 0;
      const std::int64_t at = channel.access(write, static_cast<std::int64_t>(random() % 100'000), now);
      CHECK(at >= now);
      const std::int64_t since = at % part.refi;
      if (at >= part.refi) CHECK(since >= part.rp + part.rfc + part.rcd);  // all rows were closed
      CHECK(since + part.recovery(write) <= part.refi);
    }
  }
}

TEST_CASE("does a mover stream at the rate that a part sustains") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    for (const int channels : {1, 2}) {
      Architecture machine = matrix_machine(Sync::Kind::interlock);
      const std::int64_t capacity = machine.memories[0].capacity;
      Memory memory = memory_of(name, ", channels: " + std::to_string(channels));
      memory.capacity = capacity;
      machine.memories[0] = memory;
      machine.memories[1].word = 1024;
      machine.links[0].width = 1024;
      machine.units[0].request = 1024;
      machine.units[0].in_flight = 64;
      Assembler assembler(machine);
      assembler.image("dram", 0, std::vector<std::int8_t>(static_cast<std::size_t>(capacity), 1));
      const int loads = static_cast<int>(capacity / (64 * 16 * 16));
      for (int i = 0; i < loads; ++i) {
        assembler.emit("load", {{"src.base", i * 64 * 16 * 16},
                                {"n0", 64},
                                {"n1", 16},
                                {"n2", 16},
                                {"src.stride1", 64},
                                {"src.stride2", 1024},
                                {"dst.stride1", 64}});
      }
      const SimulateResult result = simulate(machine, assembler.program, {});
      CHECK(result.hazards.empty());
      const double rate = static_cast<double>(capacity) / static_cast<double>(result.total_cycles);
      CHECK(rate <= peak_rate(memory));
      CHECK(rate >= 0.93 * sustained_rate(memory));
    }
  }
}

TEST_CASE("does the critical path name what a request waits for in DRAM") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    Memory memory = memory_of(name);
    memory.dram = without_refresh(*memory.dram);
    const SimulateResult result = one_load(memory);
    REQUIRE(result.explanation);
    std::int64_t rows = 0;
    for (const auto& share : result.explanation->shares) {
      CHECK(share.resource != "other");
      if (share.component == "dram" && share.resource == "rows and other bursts") rows += share.cycles;
    }
    const Period& clock = memory.dram->period;
    const std::int64_t part = clock.cycles(memory.dram->rcd) + clock.cycles(memory.dram->cl);
    CHECK(std::abs(rows - part) <= 1);  // two clocks meet
  }
}

TEST_CASE("is it predicted what a DRAM without the latency that the covenant gives it would save") {
  for (const std::string& name : parts) {
    CAPTURE(name);
    Memory memory = memory_of(name);
    memory.latency = 40;
    const SimulateResult result = one_load(memory);
    memory.latency = 0;
    const std::int64_t without = one_load(memory).total_cycles;
    REQUIRE(result.explanation);
    const auto found = std::ranges::find_if(result.explanation->sensitivities, [](const auto& row) {
      return row.component == "dram" && row.change == "latency zero";
    });
    REQUIRE(found != result.explanation->sensitivities.end());
    CHECK(found->total_cycles < result.total_cycles);
    CHECK(std::abs(found->total_cycles - without) <= 1);  // two clocks meet
  }
}

TEST_CASE("is a part refused where words would go by themselves") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  const std::int64_t capacity = machine.memories[0].capacity;
  machine.memories[0] = memory_of("ddr4_3200");
  machine.memories[0].capacity = capacity;
  Assembler assembler(machine);
  SimulateOptions options;
  options.fidelity = Fidelity::cycle;
  CHECK_THROWS_WITH_AS(simulate(machine, assembler.program, {}, options), doctest::Contains("DRAM part"), Error);
}

TEST_CASE("does a run end when all is written, however much a queue keeps") {
  for (const int queue : {1, 2, 16, 32, 64, 1024}) {
    CAPTURE(queue);
    Architecture machine = matrix_machine(Sync::Kind::interlock);
    Memory memory = memory_of("ddr4_3200", ", write_queue: " + std::to_string(queue));
    memory.capacity = machine.memories[0].capacity;
    memory.dram = without_refresh(*memory.dram);
    machine.memories[0] = memory;
    Assembler assembler(machine);
    assembler.image("acc", 0, std::vector<std::int8_t>(4096, 1));
    constexpr std::int64_t bursts = 40;
    for (std::int64_t b = 0; b < bursts; ++b)
      assembler.emit("store", {{"src.base", 64 * b}, {"dst.base", 64 * b}, {"n0", 64}, {"n1", 1}});
    const SimulateResult result = simulate(machine, assembler.program, {});
    CHECK(result.hazards.empty());
    CHECK(result.broken_invariants.empty());
    const std::int64_t bus = memory.dram->period.cycles(bursts * memory.dram->burst_cycles);
    const std::int64_t working = result.stalls.at("dram").at("working");
    CHECK(result.total_cycles >= bus);
    CHECK(working >= bursts * (memory.dram->period.cycles(memory.dram->burst_cycles) - 1));  // both ends are rounded
    CHECK(working <= 2 * bus);
  }
}
