#include "compiler/mapping/passages.h"

#include <algorithm>
#include <map>

#include "compiler/mapping/compulsory.h"

namespace accord {

PassageFinder::PassageFinder(const Machine& machine, const Network& network, const Work& work)
    : machine_(machine), network_(network), work_(work), distinct_(work.operands.size(), -1) {}

/// Once for each operand: assignments differ in much, not in these.
std::int64_t PassageFinder::bytes_of(int operand) const {
  std::int64_t& bytes = distinct_[operand];
  if (bytes < 0) bytes = distinct_bytes(network_, work_, operand);
  return bytes;
}

/// A constant comes with what pads it to the capabilities' dims: the unit reads that, too. Forms of the work have
/// iterators of their own.
std::int64_t PassageFinder::padded_bytes(const Mapping& assignment, const Use& use) const {
  const int operand = use.access.operand;
  if (!work_.operands[operand].constant || assignment.form != nullptr) return 0;
  std::int64_t count = bytes(network_.tensors[work_.operands[operand].tensor].type);
  for (std::size_t it = 0; it < assignment.extent.size(); ++it) {
    const auto counts = [&](const Access& access) {
      return access.operand == operand && depends(access, static_cast<int>(it));
    };
    const bool counted = std::ranges::any_of(work_.program.statements, [&](const Statement& statement) {
      return std::ranges::any_of(statement.accesses, counts);
    });
    if (counted) count *= assignment.extent[it];
  }
  return count;
}

Passages PassageFinder::of(const Mapping& assignment) const {
  Passages result{machine_.elements.images(assignment), {}};
  std::map<int, Passage> by_operand;
  for (std::size_t u = 0; u < assignment.uses.size(); ++u) {
    const Use& use = assignment.uses[u];
    const int operand = use.access.operand;
    if (use.filled || use.role == UseRole::accumulator || operand < 0) continue;
    if (work_.operands[operand].tensor == no_tensor || !off_chip(use.home)) continue;
    Passage& passage = by_operand[operand];
    const std::int64_t distinct = bytes_of(operand);
    const std::int64_t needed = std::max(distinct, padded_bytes(assignment, use));
    passage.bytes = passage.places.empty() ? needed : std::min(passage.bytes, needed);
    for (const auto& image : result.images) {
      passage.places.push_back({&image.uses[u], image.steps[use.step].match.unit});
    }
  }
  for (auto& [operand, passage] : by_operand) result.operands.push_back(std::move(passage));
  return result;
}

bool PassageFinder::comes_from(const std::vector<int>& memories, const Use& use) const {
  const WorkOperand& operand = work_.operands[use.access.operand];
  const ElementType type = network_.tensors[operand.tensor].type;
  return std::any_of(memories.begin(), memories.end(), [&](int memory) {
    if (memory == use.memory) return true;
    return operand.constant ? machine_.spread.reaches_in_any_type(memory, use.memory, use.type)
                            : machine_.spread.reaches(memory, type, use.memory, use.type);
  });
}

bool PassageFinder::reaches(const std::vector<int>& memories, const Use& use) const {
  const ElementType type = network_.tensors[work_.operands[use.access.operand].tensor].type;
  return std::any_of(memories.begin(), memories.end(),
                     [&](int memory) { return machine_.spread.reaches(use.memory, use.type, memory, type); });
}

}  // namespace accord
