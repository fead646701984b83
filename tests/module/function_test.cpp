// Does fidelity function execute in an order that the program's dependences allow, and see what needs no time?
#include <doctest/doctest.h>

#include <algorithm>

#include "archdsl/source/error.h"
#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

SimulateResult compute(const Architecture& machine, const Program& program) {
  SimulateOptions options;
  options.fidelity = Fidelity::function;
  return simulate(machine, program, {}, options);
}

bool reports(const SimulateResult& result, const std::string& kind) {
  return std::ranges::find(result.hazards, kind, &Hazard::kind) != result.hazards.end();
}

}  // namespace

TEST_CASE("does a consumer that stands before its producer wait for it") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  product.assembler.emit("wait_store", {{"semaphore", 1}});
  product.store();
  product.assembler.emit("wait_mesh", {{"semaphore", 0}});
  product.multiply();
  product.assembler.emit("signal_mesh", {{"semaphore", 1}});
  product.load();
  product.assembler.emit("signal_load", {{"semaphore", 0}});
  const SimulateResult result = compute(machine, product.assembler.program);
  CHECK(result.hazards.empty());
  CHECK(product.matches(result.outputs.at("y")));
  CHECK(!result.timed);
  CHECK(result.total_cycles == 0);
  CHECK(result.stalls.empty());
}

TEST_CASE("are hazards found that need no time") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product stuck(machine, 1), unmatched(machine, 1), beyond(machine, 1);
  stuck.assembler.emit("wait_store", {{"semaphore", 3}});
  CHECK(reports(compute(machine, stuck.assembler.program), "deadlock"));
  unmatched.assembler.emit("signal_load", {{"semaphore", 3}});
  CHECK(reports(compute(machine, unmatched.assembler.program), "unmatched_signal"));
  beyond.assembler.emit("load_acc", {{"src.base", 2048}, {"dst.base", std::int64_t{1} << 40}, {"n0", 1024}});
  CHECK(reports(compute(machine, beyond.assembler.program), "out_of_range"));
}

TEST_CASE("are hazards left out that need time") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Product product(machine, 1);
  for (int i = 0; i < 3; ++i) product.assembler.emit("signal_load", {{"semaphore", 2}});
  for (int i = 0; i < 3; ++i) product.assembler.emit("wait_mesh", {{"semaphore", 2}});
  REQUIRE(reports(simulate(machine, product.assembler.program, {}), "semaphore_overflow"));
  CHECK(compute(machine, product.assembler.program).hazards.empty());
}

// Where time stands still, what waits for it to pass grows: looking at all operations before takes minutes here, not a
// blink.
TEST_CASE("does a long run keep nothing of what is done" * doctest::timeout(60)) {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  const int times = 400'000;
  product.load();
  for (int i = 0; i < times; ++i) product.multiply(i == 0);
  product.load_zeros();
  product.multiply();
  product.store();
  const SimulateResult result = compute(machine, product.assembler.program);
  CHECK(result.hazards.empty());
  CHECK(product.matches(result.outputs.at("y")));
}

TEST_CASE("is a trace without time refused") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  SimulateOptions options;
  options.fidelity = Fidelity::function;
  options.trace = "never_written.json";
  CHECK_THROWS_AS(simulate(machine, product.assembler.program, {}, options), Error);
}

TEST_CASE("is host work refused whose indices go farther than numbers do") {
  const Architecture machine = matrix_machine(Sync::Kind::semaphores);
  Program program = Product(machine, 1).assembler.program;
  program.layers.push_back({});
  Stage stage;
  stage.layer = 0;
  stage.host = true;
  stage.work.operands.push_back({});
  stage.work.operands.back().name = "t";
  stage.work.operands.back().type = ElementType::i32;
  stage.work.operands.back().shape = {1};
  stage.work.iterators = {{"i", (1 << 24) + 1}};
  stage.work.statements = {"t[1099511627776*i] = 1"};  // 2^64 at the end
  program.stages = {stage};
  CHECK_THROWS_AS(compute(machine, program), Error);
}
