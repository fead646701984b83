#include "compiler/mapping/carriers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "archdsl/tensor/parse.h"

namespace accord {
namespace {

/// Whether a route leads from one of the two to the other; -1 stands for any memory off chip.
bool leads(const Architecture& architecture, int from, int to) {
  const auto is = [&](int wanted, int memory) {
    return wanted < 0 ? architecture.memories[memory].off_chip : wanted == memory;
  };
  return std::ranges::any_of(architecture.units, [&](const Unit& unit) {
    return std::ranges::any_of(unit.routes, [&](const Route& route) {
      const bool reaches =
          is(to, route.target) || std::ranges::any_of(route.also, [&](int target) { return is(to, target); });
      return is(from, route.source) && reaches && !route.gather;
    });
  });
}

Unit carrier(const Memory& memory, int index, ElementType type) {
  StatementContext context;
  context.operand_types["y"] = type;
  const std::int64_t element = bytes(type), lanes = std::max<std::int64_t>(memory.word / element, 1);
  Capability carry;
  carry.name = "carry";
  carry.program = std::get<TensorProgram>(parse_statements({"y[i] = y[i]"}, context));
  carry.dims = {{"i", 1, lanes, 1}};
  carry.operands = {{index, false, {{Step::Kind::fixed, element}}}};
  Unit unit;
  unit.name = memory.name;
  unit.clock = memory.clock;
  unit.period = memory.period;
  unit.where = memory.where;
  unit.capabilities.push_back(std::move(carry));
  return unit;
}

}  // namespace

bool leaves_in_place(const Capability& capability) {
  if (capability.program.statements.size() != 1 || capability.dims.empty()) return false;
  const Statement& statement = capability.program.statements.front();
  return statement.reduction == Reduction::assign && statement.value->op == ExprOp::access &&
         statement.accesses[statement.value->access] == statement.target;
}

Architecture with_carriers(const Architecture& architecture) {
  Architecture result = architecture;
  for (int m = 0; m < std::ssize(architecture.memories); ++m) {
    const Memory& memory = architecture.memories[m];
    if (memory.off_chip || !leads(architecture, -1, m) || !leads(architecture, m, -1)) continue;
    result.units.push_back(carrier(memory, m, architecture.numerics.storage));
  }
  return result;
}

}  // namespace accord
