// What does the host read and write for a layer?
#include "cli/host_bytes.h"

#include <doctest/doctest.h>

using namespace accord;

namespace {

Symbol symbol(const std::string& name, ElementType type, Shape shape, Symbol::Role role) {
  Symbol result;
  result.name = name;
  result.type = type;
  result.shape = std::move(shape);
  result.role = role;
  return result;
}

HostOperand operand(const std::string& name, const std::string& of) {
  HostOperand result;
  result.name = name;
  result.symbol = of;
  return result;
}

}  // namespace

TEST_CASE("does a host layer's figure count its tensors once and whole, and no constant") {
  Program program;
  program.layers.resize(3);
  program.symbols = {symbol("x", ElementType::i8, {2, 3, 5}, Symbol::Role::input),
                     symbol("y", ElementType::fp32, {2, 3}, Symbol::Role::intermediate),
                     symbol("table", ElementType::fp32, {1000, 3}, Symbol::Role::constant)};
  Stage machine;
  machine.layer = 0;
  Stage host;
  host.host = true;
  host.layer = 1;
  host.work.operands = {operand("a", "x"), operand("b", "x"), operand("c", "table"), operand("d", ""),
                        operand("e", "y")};
  program.stages = {machine, host};
  CHECK(host_bytes(program) == std::vector<std::int64_t>{0, 30 + 24, 0});
}
