#include "compiler/lowering/repetition.h"

namespace accord {

std::optional<std::vector<std::int64_t>> steps_between(const OpList& list, ListMark first, ListMark second) {
  const std::size_t length = second.ops - first.ops;
  const std::size_t width = second.values - first.values;
  if (length == 0 || list.ops.size() - second.ops != length || list.values.size() - second.values != width) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < length; ++i) {
    if (list.ops[first.ops + i].mnemonic != list.ops[second.ops + i].mnemonic) return std::nullopt;
  }
  const std::size_t loops = second.loops - first.loops;
  if (list.loops.size() - second.loops != loops) return std::nullopt;
  for (std::size_t i = 0; i < loops; ++i) {
    const LowLoop& a = list.loops[first.loops + i];
    const LowLoop& b = list.loops[second.loops + i];
    const bool alike = a.first - first.ops == b.first - second.ops && a.length == b.length && a.turns == b.turns;
    if (!alike || a.deltas != b.deltas) return std::nullopt;
  }
  std::vector<std::int64_t> steps(width, 0);
  for (std::size_t i = 0; i < width; ++i) {
    const auto& a = list.values[first.values + i];
    const auto& b = list.values[second.values + i];
    if (a.has_value() != b.has_value()) return std::nullopt;
    if (a) steps[i] = *b - *a;
  }
  return steps;
}

}  // namespace accord
