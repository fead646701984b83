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
