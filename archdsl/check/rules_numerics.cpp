#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

bool multiplies(const Expr& value) {
  return value.op == ExprOp::mul || std::ranges::any_of(value.args, [](const auto& arg) { return multiplies(*arg); });
}

/// The type in which the capability adds up products, if it does.
std::optional<ElementType> summed_in(const Capability& capability) {
  const TensorProgram& program = capability.program;
  for (const Statement& statement : program.statements) {
    if (statement.reduction != Reduction::add || !multiplies(*statement.value)) continue;
    return program.operands[static_cast<std::size_t>(statement.target.operand)].type;
  }
  return std::nullopt;
}

}  // namespace

void check_accumulator(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const ElementType wanted = architecture.numerics.accumulator;
  std::optional<ElementType> other;
  Place place;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    for (const Capability& capability : architecture.units[u].capabilities) {
      const auto type = summed_in(capability);
      if (type == wanted) return;
      if (!type || other) continue;
      other = type;
      place = elaboration.units[u].place;
    }
  }
  if (!other) return;
  elaboration.scope.reporter().report(
      "other-accumulator", elaboration.accumulator_place.value_or(place),
      fmt::format("`numerics` has products summed in {}, and every unit sums them in {} or another type", name(wanted),
                  name(*other)),
      fmt::format("with `accumulator: {}` layers with products need not go to the host", name(*other)));
}

}  // namespace accord
