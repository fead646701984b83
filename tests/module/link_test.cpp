// Do links keep their width, clock, arbitration and FIFO? Every figure is derived from docs/simulator.md in the comment
// beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "simulator/simulate.h"
#include "walking_machine.h"

using namespace accord;
using namespace accord::test;

namespace {

struct Transfer {
  const char* mnemonic;
  std::int64_t source, target, rows;  ///< rows of 16 bytes, contiguous on both sides
};

SimulateResult run(const Architecture& machine, const std::vector<Transfer>& transfers) {
  Assembler assembler(machine);
  assembler.image("dram", 0, std::vector<std::int8_t>(dram_bytes, 1));
  assembler.image("spad", 0, std::vector<std::int8_t>(spad_bytes, 2));
  for (const Transfer& t : transfers) {
    assembler.emit(t.mnemonic, {{"src.base", t.source},
                                {"dst.base", t.target},
                                {"n0", 16},
                                {"n1", t.rows},
                                {"n2", 1},
                                {"n3", 1},
                                {"src.stride1", 16},
                                {"dst.stride1", 16}});
  }
  const SimulateResult result = simulate(machine, assembler.program, {});
  SimulateOptions cycle;
  cycle.fidelity = Fidelity::cycle;
  CHECK(simulate(machine, assembler.program, {}, cycle).total_cycles == result.total_cycles);
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  return result;
}

Architecture machine() { return walking_machine(Sync::Kind::interlock); }

/// 256 bytes, that is four requests, from dram to spad.
std::int64_t load(const Architecture& m) { return run(m, {{"pad_in", 0, 0, 16}}).total_cycles; }

/// 1 KiB in and 1 KiB out at once, at addresses that do not meet.
std::int64_t both_ways(const Architecture& m) {
  return run(m, {{"pad_in", 0, 0, 64}, {"pad_out", 2048, 4096, 64}}).total_cycles;
}

}  // namespace

TEST_CASE("does a link's clock stretch its beats") {
  // Set-up 20, latency 32, 256 bytes at 16 per cycle.
  CHECK(load(machine()) == 20 + 32 + 16);
  Architecture half = machine();
  half.links[0].period = {2, 1};
  CHECK(load(half) == 20 + 32 + 32);
  // A request of 64 bytes at 48/5 bytes per cycle takes 6.67, so 7 cycles.
  Architecture bandwidth = machine();
  bandwidth.links[0].width = 1;
  bandwidth.links[0].period = {5, 48};
  CHECK(load(bandwidth) == 20 + 32 + 4 * 7);
}

TEST_CASE("does data that crosses clock domains wait for the synchroniser") {
  Architecture m = machine();
  m.units[0].routes[0].crossing = 3;
  CHECK(load(m) == 20 + 32 + 16 + 3);
}

TEST_CASE("does a memory's clock stretch its latency and its ports") {
  Architecture m = machine();
  m.memories[0].period = {2, 1};
  // Latency 64; each request's four words take eight cycles of the port.
  CHECK(load(m) == 20 + 64 + 4 * 8);
}

TEST_CASE("do links in a row add their latencies and share the narrowest width") {
  Architecture m = machine();
  m.links.push_back(m.links[0]);
  m.links[1].name = "second";
  m.links[1].latency = 5;
  m.units[0].routes[0].links = {0, 1};
  m.units[0].routes[0].backward = {false, false};
  CHECK(load(m) == 20 + 32 + 16 + 5);
  m.links[1].width = 8;
  CHECK(load(m) == 20 + 32 + 32 + 5);
  CHECK(run(m, {{"pad_in", 0, 0, 16}}).link_bytes.at("second") == 256);
}

TEST_CASE("does a crossbar let requests pass that share no memory's direction") {
  Architecture bus = machine();
  bus.links[0].duplex = false;
  Architecture crossbar = bus;
  crossbar.links[0].crossbar = true;
  // Alone: 20 + 32 + 64 in, 20 + 4 + 64 out. Over one bus they pass 128 beats, the first at 24.
  CHECK(both_ways(crossbar) == 20 + 32 + 64);
  CHECK(both_ways(bus) >= 24 + 128);
  // From one memory they compete in a crossbar as on a bus.
  const std::vector<Transfer> one_source = {{"pad_in", 0, 0, 16}, {"load_list", 4096, 0, 16}};
  CHECK(run(crossbar, one_source).total_cycles == run(bus, one_source).total_cycles);
}

TEST_CASE("does arbitration decide who waits, and not how much passes") {
  std::vector<std::int64_t> totals, first_waits;
  for (const Arbitration arbitration : {Arbitration::first_come, Arbitration::round_robin, Arbitration::priority}) {
    Architecture m = machine();
    m.links[0].duplex = false;
    m.links[0].width = 4;  // 16 cycles a request: requests queue up
    m.links[0].arbitration = arbitration;
    const SimulateResult result = run(m, {{"load_list", 4096, 0, 16}, {"pad_in", 0, 0, 16}});
    totals.push_back(result.total_cycles);
    std::int64_t waits = 0;
    for (const auto& [leaf, cycles] : result.stalls.at("in"))
      waits += leaf.find("link") != std::string::npos ? cycles : 0;
    first_waits.push_back(waits);
    CHECK(result.link_bytes.at("bus") == 512);
  }
  // Latency 32 behind set-up 20, then 128 beats of 4 bytes.
  for (const std::int64_t total : totals) CHECK(total == 20 + 32 + 128);
  // `in` stands first in the machine: with priority nothing of the other's goes before its own once both wait.
  CHECK(first_waits[2] <= first_waits[1]);
}

TEST_CASE("does a link without room in its FIFO wait for the target") {
  Architecture m = machine();
  m.memories[1].period = {4, 1};  // the target takes a word in four cycles: 16 cycles a request
  m.memories[1].latency = 1;
  const std::int64_t unlimited = load(m);
  m.links[0].fifo = 16;
  const std::int64_t held = load(m);
  // What arrives last is written last either way; the link itself is held: another mover's request waits for it.
  CHECK(held >= unlimited);
  const std::vector<Transfer> beside = {{"pad_in", 0, 0, 16}, {"load_list", 4096, 0, 4}};
  const auto link_waits = [&](const Architecture& a) {
    const SimulateResult result = run(a, beside);
    std::int64_t waits = 0;
    for (const auto& [leaf, cycles] : result.stalls.at("lister"))
      waits += leaf.find("link") != std::string::npos ? cycles : 0;
    return waits;
  };
  const std::int64_t with_fifo = link_waits(m);
  m.links[0].fifo = 0;
  const std::int64_t without = link_waits(m);
  CHECK(with_fifo > without);
  // What all waiting bytes find room in holds nothing up.
  m.links[0].fifo = 4096;
  CHECK(link_waits(m) == without);
}

TEST_CASE("does arbitration keep requests waiting while the link is idle") {
  Architecture m = machine();
  m.memories[0].latency = 200;
  for (Unit& unit : m.units) {
    unit.in_flight = 1;
    unit.setup = 0;
  }
  m.links[0].duplex = false;
  m.links[0].fifo = 64;
  // Each request waits for the one before, 200 cycles in which both movers' beats find the link idle.
  const std::vector<Transfer> apart = {{"pad_in", 0, 0, 16}, {"load_list", 4096, 0, 2}, {"load_list", 4352, 32, 12}};
  const std::int64_t alone = run(m, apart).total_cycles;
  for (const Arbitration arbitration : {Arbitration::round_robin, Arbitration::priority}) {
    m.links[0].arbitration = arbitration;
    CHECK(run(m, apart).total_cycles == alone);
  }
}

TEST_CASE("does a FIFO hold nothing up for data that come later") {
  Architecture m = machine();
  m.memories[0].latency = 200;
  m.links[0].duplex = false;
  // The load takes the link 200 cycles ahead; the store's beats pass meanwhile.
  const std::vector<Transfer> both = {{"load_list", 0, 0, 4}, {"pad_out", 2048, 4096, 16}};
  const std::int64_t unlimited = run(m, both).total_cycles;
  for (const std::int64_t fifo : {64, 80, 96, 112, 128, 144, 256}) {
    CAPTURE(fifo);
    m.links[0].fifo = fifo;
    CHECK(run(m, both).total_cycles == unlimited);
  }
}
