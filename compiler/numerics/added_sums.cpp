#include "compiler/numerics/added_sums.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "archdsl/graph/rates.h"

namespace accord {
namespace {

/// The operand that is read, through a cast; -1: another expression.
int operand_of(const Statement& statement, const Expr& expr) {
  const Expr& read = expr.op == ExprOp::cast ? *expr.args[0] : expr;
  return read.op == ExprOp::access ? statement.accesses[static_cast<std::size_t>(read.access)].operand : -1;
}

/// The multiplier m of `c += acc(x) * m` over what is stored, -1 of `c += acc(x)`, which does for floats alone:
/// integers of two scales take a multiplier. Nothing where the capability computes something else.
std::optional<int> multiplier_of(const Capability& capability, const Numerics& numerics) {
  const auto is = [&](int operand, ElementType type) {
    return operand >= 0 && capability.program.operands[static_cast<std::size_t>(operand)].type == type;
  };
  const Statement& sum = capability.program.statements.back();
  const bool adds = capability.program.statements.size() == 1 && sum.reduction == Reduction::add;  // and sets nothing
  if (!adds || !is(sum.target.operand, numerics.accumulator)) return std::nullopt;
  if (!numerics.integer && is(operand_of(sum, *sum.value), numerics.storage)) return -1;
  if (sum.value->op != ExprOp::mul) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const int x = operand_of(sum, *sum.value->args[side]), m = operand_of(sum, *sum.value->args[1 - side]);
    if (is(x, numerics.storage) && is(m, numerics.accumulator)) return m;
  }
  return std::nullopt;
}

/// Whether the capability sums products of what is stored and of weights in the accumulator's type.
bool sums_products(const Capability& capability, const Numerics& numerics) {
  const Statement& sum = capability.program.statements.back();
  const auto type_of = [&](int operand) { return capability.program.operands[static_cast<std::size_t>(operand)].type; };
  if (sum.reduction != Reduction::add || type_of(sum.target.operand) != numerics.accumulator) return false;
  if (sum.value->op != ExprOp::mul) return false;
  return std::ranges::all_of(sum.value->args, [&](const ExprPtr& factor) {
    const int operand = operand_of(sum, *factor);
    return operand >= 0 && (type_of(operand) == numerics.storage || type_of(operand) == numerics.weight);
  });
}

/// Products per reference cycle where every dim counts what it can.
double products_per_cycle(const Unit& unit, const Capability& capability) {
  std::vector<std::int64_t> values;
  double products = 1;
  for (const CapabilityDim& dim : capability.dims) {
    values.push_back(dim.maximum);
    products *= static_cast<double>(dim.maximum);
  }
  const std::int64_t interval = unit.period.cycles(interval_of(capability, std::move(values)));
  return products / static_cast<double>(std::max<std::int64_t>(interval, 1));
}

int sums_memory(const Capability& capability) {
  return capability.operands[static_cast<std::size_t>(capability.program.statements.back().target.operand)].memory;
}

/// Where the quickest capabilities for products keep their sums; empty: no capability sums products.
std::set<int> product_memories(const Architecture& architecture) {
  std::set<int> memories;
  double quickest = 0;
  for (const Unit& unit : architecture.units) {
    for (const Capability& capability : unit.capabilities) {
      if (!sums_products(capability, architecture.numerics)) continue;
      const double speed = products_per_cycle(unit, capability);
      if (speed > quickest) memories.clear();
      quickest = std::max(quickest, speed);
      if (speed == quickest) memories.insert(sums_memory(capability));
    }
  }
  return memories;
}

}  // namespace

AddedSums added_sums(const Architecture& architecture) {
  auto result = AddedSums::none;
  const std::set<int> products = product_memories(architecture);
  for (const Unit& unit : architecture.units) {
    for (const Capability& capability : unit.capabilities) {
      const auto m = multiplier_of(capability, architecture.numerics);
      if (!m || (!products.empty() && !products.contains(sums_memory(capability)))) continue;
      const bool scalar = *m >= 0 && capability.operands[static_cast<std::size_t>(*m)].memory < 0;
      result = std::max(result, scalar ? AddedSums::scalar : AddedSums::per_channel);
    }
  }
  return result;
}

}  // namespace accord
