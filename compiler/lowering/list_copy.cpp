#include "compiler/lowering/list_copy.h"

namespace accord {

void ListCopy::open(const LowLoop& loop, std::int64_t turns, std::int64_t interval) {
  open_.push_back({&loop, result_.loops.size()});
  result_.loops.push_back({result_.ops.size(), 0, turns, {}, interval});
}

void ListCopy::close() {
  LowLoop& loop = result_.loops[open_.back().loop];
  loop.length = result_.ops.size() - loop.first;
  open_.pop_back();
}

void ListCopy::operation(std::size_t op, const LowLoop* apart, std::int64_t turn) {
  LowOp copy = source_.ops[op];
  const std::uint32_t from = copy.first;
  copy.first = static_cast<std::uint32_t>(result_.values.size());
  const std::int64_t* grows = apart == nullptr ? nullptr : deltas(*apart, op);
  for (std::uint32_t v = 0; v < copy.count; ++v) {
    MaybeValue value = source_.values[from + v];
    if (value && grows != nullptr) *value += turn * grows[v];
    result_.values.push_back(value);
  }
  for (const Open& open : open_) {
    auto& steps = result_.loops[open.loop].deltas;
    const std::int64_t* own = deltas(*open.source, op);
    steps.insert(steps.end(), own, own + copy.count);
  }
  result_.ops.push_back(copy);
}

void ListCopy::range(std::size_t first, std::size_t length, LoopSpan loops, const LowLoop* apart, std::int64_t turn) {
  for (std::size_t at = first; at < first + length;) {
    if (loops.empty() || loops.front().first != at) {
      operation(at++, apart, turn);
      continue;
    }
    const LoopSpan inner = with_inner(loops);
    const LowLoop& loop = inner.front();
    open(loop, loop.turns, loop.interval);
    range(loop.first, loop.length, inner.subspan(1), apart, turn);
    close();
    at += loop.length;
    loops = loops.subspan(inner.size());
  }
}

}  // namespace accord
