// Does fidelity cycle count single steps, and refuse what has too many of them? (That it keeps the closed forms of
// single transfers and products is held in timing_test, link_test, walk_timing_test and page_test.)
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "archdsl/source/error.h"
#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t steps(const Architecture& machine, const Program& program) {
  SimulateOptions options;
  options.fidelity = Fidelity::cycle;
  const SimulateResult result = simulate(machine, program, {}, options);
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  return result.total_cycles;
}

}  // namespace

TEST_CASE("does a slower mover present a request per cycle of its own") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  machine.units[0].request = 16;
  const auto load = [&] {
    Product product(machine, 1);
    product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 256}});
    return steps(machine, product.assembler.program);
  };
  // Set-up 20, latency 32, 16 requests of a beat each.
  CHECK(load() == 20 + 32 + 16);
  machine.units[0].period = {3, 1};
  CHECK(load() == 3 * 20 + 32 + 15 * 3 + 1);
  // 2/3 of a cycle each are 0, 0, 1, 2, 2, .. : the beats, one per cycle, are the slower ones.
  machine.units[0].period = {2, 3};
  CHECK(load() == 14 + 32 + 16);
}

TEST_CASE("is a program with too many steps refused, with their number") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load();
  product.assembler.emit("loop", {{"count", 4'000'000}, {"length", 1}});
  product.multiply();
  std::string message;
  try {
    steps(machine, product.assembler.program);
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("too large for fidelity cycle: about ") == 0);
}

TEST_CASE("does a word wider than the link's FIFO reach a target that is free") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  const auto load = [&] {
    Product product(machine, 1);
    product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 256}});
    return steps(machine, product.assembler.program);
  };
  REQUIRE_FALSE(machine.links.empty());
  const std::int64_t unlimited = load();
  machine.links[0].fifo = machine.links[0].width;
  CHECK(load() == unlimited);
}

TEST_CASE("does a unit quicker than the reference clock take no more cycles step by step") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  for (Memory& memory : machine.memories) memory.read_ports = memory.write_ports = 64;
  const auto mesh = std::ranges::find(machine.units, "mesh", &Unit::name);
  REQUIRE(mesh != machine.units.end());
  for (const Period& period : {Period{1, 3}, Period{2, 3}, Period{5, 7}, Period{1, 1}}) {
    CAPTURE(period.denominator);
    mesh->period = period;
    Product product(machine, 1);
    product.load();
    for (int i = 0; i < 20; ++i) product.multiply(i == 0);
    product.store();
    CHECK(steps(machine, product.assembler.program) == simulate(machine, product.assembler.program, {}).total_cycles);
  }
}
