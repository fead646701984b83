#include <doctest/doctest.h>

#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

SimulateResult run(const Architecture& machine, const Product& product, Fidelity fidelity = Fidelity::transaction) {
  SimulateOptions options;
  options.fidelity = fidelity;
  return simulate(machine, product.assembler.program, {}, options);
}

void check_clean(const SimulateResult& result) {
  for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
  for (const std::string& broken : result.broken_invariants) FAIL_CHECK(broken);
}

/// A product without a fence or a semaphore.
void check_unsynchronised(Sync::Kind sync, unsigned seed) {
  const Architecture machine = matrix_machine(sync);
  Product product(machine, seed);
  product.load();
  product.multiply();
  product.store();
  const SimulateResult result = run(machine, product);
  check_clean(result);
  CHECK(product.matches(result.outputs.at("y")));
}

}  // namespace

TEST_CASE("does an interlocked product reach memory with the right values") {
  check_unsynchronised(Sync::Kind::interlock, 1);
}

TEST_CASE("do held weights stay while the memory behind them changes") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 2);
  product.load();
  product.multiply(1);
  product.load_tile(0, 4096);  // overwrites b
  product.multiply(0);
  product.store();
  const SimulateResult result = run(machine, product);
  check_clean(result);
  CHECK(product.matches(result.outputs.at("y"), 2));
}

TEST_CASE("do semaphores order a product") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 3);
  product.load();
  product.assembler.emit("signal_load", {{"semaphore", 0}});
  product.assembler.emit("wait_mesh", {{"semaphore", 0}});
  product.multiply();
  product.assembler.emit("signal_mesh", {{"semaphore", 1}});
  product.assembler.emit("wait_store", {{"semaphore", 1}});
  product.store();
  const SimulateResult result = run(machine, product);
  check_clean(result);
  CHECK(product.matches(result.outputs.at("y")));
  CHECK(result.stalls.at("mesh").count("waiting: semaphore 0") == 1);
}

TEST_CASE("does a machine in order need no sync") { check_unsynchronised(Sync::Kind::in_order, 4); }

TEST_CASE("do function and transaction give the same values on every sync kind") {
  for (const Sync::Kind sync : {Sync::Kind::in_order, Sync::Kind::interlock}) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 5);
    product.load();
    product.assembler.emit("loop", {{"count", 7}, {"length", 1}});
    product.multiply();
    product.store();
    const SimulateResult timed = run(machine, product), values = run(machine, product, Fidelity::function);
    check_clean(timed);
    CHECK(product.matches(timed.outputs.at("y"), 7));
    CHECK(values.outputs.at("y").data == timed.outputs.at("y").data);
    CHECK(values.total_cycles == 0);
    CHECK(values.instructions == timed.instructions);
    CHECK(timed.instructions == 3 + 1 + 7 + 1);
  }
}

TEST_CASE("are two runs the same") {
  for (const Sync::Kind sync : {Sync::Kind::in_order, Sync::Kind::interlock}) {
    const Architecture machine = matrix_machine(sync);
    Product product(machine, 6);
    product.load();
    for (int i = 0; i < 20; ++i) product.multiply(i % 2);
    product.store();
    const SimulateResult first = run(machine, product), second = run(machine, product);
    CHECK(first.total_cycles == second.total_cycles);
    CHECK(first.stalls == second.stalls);
    CHECK(first.energy_pj == second.energy_pj);
    CHECK(first.outputs.at("y").data == second.outputs.at("y").data);
  }
}

TEST_CASE("does a mover's capability convert on the way") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 7);
  product.load();
  product.multiply();
  product.assembler.emit("copy", {{"n", 256}, {"y.base", 8192}});
  Symbol& y = product.assembler.program.symbols.front();
  y.type = ElementType::i8;
  y.strides = {16, 1};
  const SimulateResult result = run(machine, product);
  check_clean(result);
  const auto wanted = product.expected();
  const auto* got = reinterpret_cast<const std::int8_t*>(result.outputs.at("y").data.data());
  for (std::size_t i = 0; i < 256; ++i) CHECK(got[i] == std::clamp(wanted[i], -128, 127));
}
