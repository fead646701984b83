#include "compiler/lowering/alike.h"

#include <algorithm>

namespace accord {
namespace {

bool same_value(const Expr& a, const Expr& b) {
  return a.op == b.op && a.type == b.type && a.value == b.value && a.access == b.access &&
         std::ranges::equal(a.args, b.args, [](const auto& x, const auto& y) { return same_value(*x, *y); });
}

bool same_statement(const Statement& a, const Statement& b) {
  return a.target == b.target && a.reduction == b.reduction && a.accesses == b.accesses &&
         same_value(*a.value, *b.value);
}

bool same_program(const TensorProgram& a, const TensorProgram& b) {
  return std::ranges::equal(a.iterators, b.iterators, {}, &Iterator::extent, &Iterator::extent) &&
         std::ranges::equal(a.operands, b.operands, {}, &Operand::type, &Operand::type) &&
         std::ranges::equal(a.operands, b.operands, {}, &Operand::rank, &Operand::rank) &&
         std::ranges::equal(a.statements, b.statements, same_statement);
}

/// Without where it begins off chip, by itself or in another's.
Home laid_out(Home home) {
  if (home.memory < 0) home.address = -1;
  home.alias = home.is_inside() ? 0 : -1;
  home.foreseen_inside = false;
  home.alias_offset = 0;
  return home;
}

bool same_operand(const Network& network, const Homes& homes, const WorkOperand& a, const WorkOperand& b) {
  if (a.shape != b.shape || a.outside != b.outside || a.constant != b.constant) return false;
  if (a.number.has_value() != b.number.has_value()) return false;
  if (a.tensor == no_tensor || b.tensor == no_tensor) return a.tensor == b.tensor;
  const Tensor &of_a = network.tensor(a.tensor), &of_b = network.tensor(b.tensor);
  return of_a.type == of_b.type && of_a.shape == of_b.shape && laid_out(homes[a.tensor]) == laid_out(homes[b.tensor]);
}

bool same_work(const Network& network, const Homes& homes, const Work& a, const Work& b) {
  return same_program(a.program, b.program) &&
         std::ranges::equal(a.operands, b.operands,
                            [&](const auto& x, const auto& y) { return same_operand(network, homes, x, y); });
}

bool same_forms(const Network& network, const Homes& homes, const WorkForm* a, const WorkForm* b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->statement == b->statement && a->blocks == b->blocks && a->twin == b->twin &&
         a->capability == b->capability && same_work(network, homes, a->work, b->work);
}

/// Without its form, what is predicted of it, and constants' values.
Mapping stripped(Mapping mapping) {
  mapping.form = nullptr;
  mapping.predicted_cycles = mapping.measured_cycles = 0;
  mapping.scheduled = false;
  for (Use& use : mapping.uses) use.fill = 0;
  for (StatementPlan& step : mapping.steps) {
    for (OperandMatch& operand : step.match.operands) operand.constant = 0;
  }
  return mapping;
}

}  // namespace

bool lower_alike(const Network& network, const Homes& homes, const MappedWork& a, const MappedWork& b) {
  return same_work(network, homes, a.work, b.work) &&
         same_forms(network, homes, a.mapping.form.get(), b.mapping.form.get()) &&
         stripped(a.mapping) == stripped(b.mapping);
}

}  // namespace accord
