#include "compiler/mapping/beyond.h"

#include <algorithm>

namespace accord {

bool leaves_operand(const Work& work, const Access& access, int iterator) {
  const Shape& shape = work.operands[access.operand].shape;
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    const auto& terms = access.indices[i].terms;
    const bool ascends = std::all_of(terms.begin(), terms.end(), [](const auto& term) { return term.second > 0; });
    const auto term = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == iterator; });
    if (!ascends || term == terms.end()) continue;
    if (access.indices[i].offset + term->second * work.program.iterators[iterator].extent >= shape[i]) return true;
  }
  return false;
}

namespace {

/// Whether the value is 0 where accesses that count `it` are beyond their operands. A float times 0 may be no number.
bool vanishes_beyond(const Work& work, const Statement& sum, const Expr& value, int it) {
  const auto vanishes = [&](const ExprPtr& arg) { return vanishes_beyond(work, sum, *arg, it); };
  switch (value.op) {
    case ExprOp::access: {
      const Access& access = sum.accesses[value.access];
      return work.operands[access.operand].outside == 0 && leaves_operand(work, access, it);
    }
    case ExprOp::cast:
    case ExprOp::neg: return vanishes(value.args[0]);
    case ExprOp::mul:
      return is_float(value.type) ? std::ranges::all_of(value.args, vanishes)
                                  : std::ranges::any_of(value.args, vanishes);
    default: return false;
  }
}

}  // namespace

bool adds_nothing_beyond(const Work& work, int statement, int iterator) {
  const Statement& sum = work.program.statements[static_cast<std::size_t>(statement)];
  return vanishes_beyond(work, sum, *sum.value, iterator);
}

}  // namespace accord
