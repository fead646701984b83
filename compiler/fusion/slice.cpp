#include "compiler/fusion/slice.h"

#include <algorithm>

#include "compiler/mapping/plan.h"

namespace accord {
namespace {

/// Makes accesses relative to the slice: positions of its tensors, values of its iterator.
class Slicer {
 public:
  Slicer(Work& work, int iterator, Positions range, const std::map<TensorId, Stretch>& stretches)
      : work_(work), iterator_(iterator), range_(range), stretches_(stretches) {}

  void run() {
    for (auto& statement : work_.program.statements) {
      visit(statement.target);
      for (auto& access : statement.accesses) visit(access);
    }
    if (iterator_ >= 0) work_.program.iterators[iterator_].extent = range_.size();
    for (auto& operand : work_.operands) {
      const auto found = stretches_.find(operand.tensor);
      if (found == stretches_.end()) continue;
      operand.tensor = found->second.tensor;
      operand.shape = found->second.shape;
      operand.outside = found->second.outside;
    }
  }

 private:
  void visit(Access& access) {
    WorkOperand& operand = work_.operands[access.operand];
    for (std::size_t m = 0; m < access.indices.size(); ++m) {
      auto& [terms, offset] = access.indices[m];
      const auto term = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == iterator_; });
      if (term == terms.end()) continue;
      if (operand.tensor == no_tensor) {
        operand.shape[m] = std::min(operand.shape[m], range_.size());  // temporaries are as large as the slice
      } else {
        offset += term->second * range_.first;
      }
      if (range_.size() == 1) terms.erase(term);
    }
    const auto found = stretches_.find(operand.tensor);
    if (found != stretches_.end()) access.indices[found->second.index].offset -= found->second.first;
  }

  Work& work_;
  int iterator_;
  Positions range_;
  const std::map<TensorId, Stretch>& stretches_;
};

}  // namespace

int result_iterator(const Work& work, int index) {
  const Access& result = work.program.statements.back().target;
  if (index >= static_cast<int>(result.indices.size())) return -1;
  const AffineIndex& at = result.indices[index];
  return at.offset == 0 && at.terms.size() == 1 && at.terms[0].second == 1 ? at.terms[0].first : -1;
}

Positions positions_read(const Work& work, TensorId tensor, int index, int iterator, Positions range) {
  Positions read;
  for (const auto& statement : work.program.statements) {
    for (const auto& access : statement.accesses) {
      const WorkOperand& operand = work.operands[access.operand];
      if (operand.tensor != tensor) continue;
      std::int64_t low = access.indices[index].offset;
      std::int64_t high = low;
      for (const auto& [it, coefficient] : access.indices[index].terms) {
        const Positions all{0, work.program.iterators[it].extent};
        const auto [first, last] = it == iterator ? range : all;
        low += coefficient * (coefficient > 0 ? first : last - 1);
        high += coefficient * (coefficient > 0 ? last - 1 : first);
      }
      const Positions here{std::max<std::int64_t>(low, 0), std::min(high + 1, operand.shape[index])};
      read = read.size() <= 0 ? here : Positions{std::min(read.first, here.first), std::max(read.last, here.last)};
    }
  }
  return read;
}

Work slice_of(const Work& work, int iterator, Positions range, const std::map<TensorId, Stretch>& stretches) {
  Work slice = work;
  Slicer(slice, iterator, range, stretches).run();
  return slice;
}

}  // namespace accord
