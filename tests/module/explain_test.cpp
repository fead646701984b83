// Does the critical path cover the run, and does it name what the run was made of?
#include <doctest/doctest.h>

#include <algorithm>

#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

SimulateResult explained(const Architecture& machine, const Program& program) {
  SimulateOptions options;
  options.sensitivities = true;
  SimulateResult result = simulate(machine, program, {}, options);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
  REQUIRE(result.explanation);
  CHECK(result.explanation->complete);
  return result;
}

std::int64_t share(const SimulateResult& result, const std::string& component, const std::string& resource) {
  std::int64_t cycles = 0;
  for (const auto& entry : result.explanation->shares) {
    if (entry.component == component && entry.resource == resource) cycles += entry.cycles;
  }
  return cycles;
}

std::int64_t predicted(const SimulateResult& result, const std::string& component, const std::string& change) {
  const auto& rows = result.explanation->sensitivities;
  const auto found =
      std::ranges::find_if(rows, [&](const auto& row) { return row.component == component && row.change == change; });
  REQUIRE(found != rows.end());
  return found->total_cycles;
}

void check_covers(const SimulateResult& result) {
  std::int64_t at = 0, sum = 0;
  std::vector<std::int64_t> by_share(result.explanation->shares.size(), 0);
  for (const auto& segment : result.explanation->path) {
    CHECK(segment.from == at);
    CHECK(segment.to > segment.from);
    at = segment.to;
    by_share[segment.share] += segment.to - segment.from;
  }
  CHECK(at == result.total_cycles);
  for (std::size_t i = 0; i < by_share.size(); ++i) {
    CHECK(by_share[i] == result.explanation->shares[i].cycles);
    sum += by_share[i];
  }
  CHECK(sum == result.total_cycles);
}

}  // namespace

TEST_CASE("is one transfer set-up, latency and beats, and does halving them show") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.assembler.emit("load_acc", {{"src.base", 2048}, {"n0", 1024}});
    const SimulateResult result = explained(machine, product.assembler.program);
    check_covers(result);
    CHECK(share(result, "load", "set-up") == 20);
    CHECK(share(result, "dram", "latency") == 32);
    CHECK(share(result, "bus", "rate") + share(result, "dram", "ports") + share(result, "acc", "ports") == 64);
    CHECK(predicted(result, "load", "set-up zero") == 32 + 64);
    CHECK(predicted(result, "dram", "latency zero") == 20 + 64);
  }
}

TEST_CASE("does a row of products take its intervals") {
  for (const Sync::Kind sync : sync_kinds) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 1);
    product.load();
    for (int i = 0; i < 200; ++i) product.multiply(i == 0);
    product.store();
    const SimulateResult result = explained(machine, product.assembler.program);
    check_covers(result);
    CHECK(share(result, "mesh", "interval") + share(result, "spad", "ports") + share(result, "acc", "ports") >=
          200 * 16);
    CHECK(share(result, "-", "other") == 0);
  }
}

TEST_CASE("is the path that of what was waited for: a load that all products need") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  machine.memories[0].latency = 100'000;
  Product product(machine, 1);
  product.load();
  product.multiply();
  product.store();
  const SimulateResult result = explained(machine, product.assembler.program);
  check_covers(result);
  CHECK(share(result, "dram", "latency") >= 100'000);
  CHECK(predicted(result, "dram", "latency zero") < 2000);
}

TEST_CASE("does recording change nothing") {
  for (const Sync::Kind sync : {Sync::Kind::interlock, Sync::Kind::in_order}) {
    for (const int latency : {0, 3}) {
      Architecture machine = matrix_machine(sync);
      machine.controller.latency = latency;
      Product product(machine, 1);
      product.load();
      for (int i = 0; i < 20; ++i) product.multiply(i == 0);
      product.store();
      const SimulateResult plain = simulate(machine, product.assembler.program, {});
      const SimulateResult recorded = explained(machine, product.assembler.program);
      CHECK(plain.total_cycles == recorded.total_cycles);
      CHECK(plain.stalls == recorded.stalls);
      CHECK(!plain.explanation);
    }
  }
}

TEST_CASE("is a unit that waits for results of its own explained by what they took") {
  Architecture machine = matrix_machine(Sync::Kind::interlock);
  machine.units.back().capabilities[0].drain = Formula("500", {});
  // Sums of the product before are what the next one reads.
  Capability& matmul = machine.units.back().capabilities[0];
  const auto a = std::ranges::find(matmul.program.operands, "a", &Operand::name) - matmul.program.operands.begin();
  matmul.operands[static_cast<std::size_t>(a)].memory = 2;
  Product product(machine, 1);
  product.load_zeros();
  for (int i = 0; i < 10; ++i) product.multiply();
  SimulateOptions options;
  options.sensitivities = true;
  const SimulateResult result = simulate(machine, product.assembler.program, {}, options);
  REQUIRE(result.explanation);
  CHECK(share(result, "mesh", "drain") >= 9 * 500);
  CHECK(share(result, "-", "other") == 0);
}
