#include "compiler/mapping/padding.h"

#include <algorithm>

#include "archdsl/tensor/interpret.h"
#include "compiler/mapping/plan.h"

namespace accord {
namespace {

/// Whether every index beyond the iterator's true extent lies outside the tensor, whatever the others are.
bool leaves(const Work& work, const std::vector<std::int64_t>& padded, const Access& access, int iterator) {
  const Shape& shape = work.operands[access.operand].shape;
  for (std::size_t i = 0; i < access.indices.size() && i < shape.size(); ++i) {
    std::int64_t low = access.indices[i].offset;
    bool moves = false;
    for (const auto& [it, coefficient] : access.indices[i].terms) {
      if (it == iterator) {
        moves = coefficient > 0;
        low += coefficient * work.program.iterators[it].extent;
      } else if (coefficient < 0) {
        low += coefficient * (padded[it] - 1);
      }
    }
    if (moves && low >= shape[i]) return true;
  }
  return false;
}

}  // namespace

/// Evaluates the statement at padded points with some values of what is read inside.
bool padding_is_neutral(const Work& work, const std::vector<std::int64_t>& padded, const Statement& statement,
                        int iterator) {
  for (const double inside : {1.0, -3.0, 100.0}) {
    std::vector<double> reads;
    for (const auto& access : statement.accesses) {
      const WorkOperand& operand = work.operands[access.operand];
      const double margin = operand.constant ? 0 : operand.outside;
      reads.push_back(depends(access, iterator) && leaves(work, padded, access, iterator) ? margin : inside);
    }
    const double value = evaluate(*statement.value, reads);
    const ElementType type = work.program.operands[statement.target.operand].type;
    const bool neutral = statement.reduction == Reduction::add   ? value == 0
                         : statement.reduction == Reduction::max ? value <= lowest(type)
                                                                 : value >= highest(type);
    if (!neutral) return false;
  }
  return true;
}

}  // namespace accord
