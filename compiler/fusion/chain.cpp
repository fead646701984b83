#include "compiler/fusion/chain.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// The outermost index in memory of which the result has more than one position.
int outermost_index(const ChainLayer& layer) {
  const Shape& shape = layer.work->operands[layer.work->program.statements.back().target.operand].shape;
  for (const std::size_t i : layer.home->order) {
    if (i < shape.size() && shape[i] > 1) return static_cast<int>(i);
  }
  return 0;
}

std::int64_t positions(const Work& work, int index) {
  const Shape& shape = work.operands[work.program.statements.back().target.operand].shape;
  return index < static_cast<int>(shape.size()) ? shape[index] : 1;
}

/// What each layer must compute so that the last one has `range`; backwards from reader to producer.
bool find_ranges(const std::vector<ChainLayer>& layers, const Chain& chain, Positions range,
                 std::vector<Positions>& ranges) {
  ranges.assign(static_cast<std::size_t>(chain.last - chain.first + 1), {});
  ranges.back() = range;
  for (int producer = chain.last - 1; producer >= chain.first; --producer) {
    Positions needed;
    for (int reader = producer + 1; reader <= chain.last; ++reader) {
      const Work& work = *layers[reader].work;
      const Positions read = positions_read(work, layers[producer].result, chain.index,
                                            result_iterator(work, chain.index), ranges[reader - chain.first]);
      if (read.size() <= 0) continue;
      needed =
          needed.size() <= 0 ? read : Positions{std::min(needed.first, read.first), std::max(needed.last, read.last)};
    }
    if (needed.size() <= 0) return false;
    ranges[producer - chain.first] = needed;
  }
  return true;
}

}  // namespace

Positions Chain::fresh(int strip, int layer) const {
  Positions range = ranges[strip][layer - first];
  if (strip > 0) range.first = std::min(std::max(range.first, ranges[strip - 1][layer - first].last), range.last);
  return range;
}

std::int64_t outer_positions(const ChainLayer& layer) { return positions(*layer.work, outermost_index(layer)); }

std::optional<Chain> make_chain(const std::vector<ChainLayer>& layers, int first, int last, int strips) {
  if (layers[last].result == no_tensor) return std::nullopt;
  Chain chain{first, last, strips, outermost_index(layers[last]), {}};
  const std::int64_t whole = positions(*layers[last].work, chain.index);
  if (strips > whole) return std::nullopt;
  for (int l = first; l <= last; ++l) {
    if (layers[l].result == no_tensor) return std::nullopt;
    const Work& work = *layers[l].work;
    const Shape& shape = work.operands[work.program.statements.back().target.operand].shape;
    if (chain.index >= static_cast<int>(shape.size())) return std::nullopt;
    if (strips > 1 && (result_iterator(work, chain.index) < 0 || (l < last && layers[l].leaves))) return std::nullopt;
  }
  if (strips == 1) {
    chain.ranges.emplace_back();
    for (int l = first; l <= last; ++l) chain.ranges.back().push_back({0, positions(*layers[l].work, chain.index)});
    return chain;
  }
  const std::int64_t rows = ceil_div(whole, strips);
  for (std::int64_t at = 0; at < whole; at += rows) {
    chain.ranges.emplace_back();
    if (!find_ranges(layers, chain, {at, std::min(at + rows, whole)}, chain.ranges.back())) return std::nullopt;
  }
  return chain;
}

}  // namespace accord
