#include <doctest/doctest.h>

#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("does an interlocked product reach memory with the right values") {
  const Architecture machine = matrix_machine(Sync::Kind::interlock);
  Product product(machine, 1);
  product.load();
  product.multiply();
  product.store();
  const SimulateResult result = simulate(machine, product.assembler.program, {});
  CHECK(result.hazards.empty());
  CHECK(result.broken_invariants == std::vector<std::string>{});
  CHECK(product.matches(result.outputs.at("y")));
  CHECK(result.total_cycles > 100);
}
