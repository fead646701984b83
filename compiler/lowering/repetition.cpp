#include "compiler/lowering/repetition.h"

#include <algorithm>

#include "compiler/lowering/item_graph.h"

namespace accord {
namespace {

/// Same instruction for the same buffers, up to what may grow.
bool alike(const OpList& list, const LowOp& a, const LowOp& b) {
  if (a.mnemonic != b.mnemonic || a.unit != b.unit || a.statement != b.statement || a.count != b.count) return false;
  const auto same = [](const BufferAccess& x, const BufferAccess& y) {
    return x.buffer == y.buffer && x.write == y.write;
  };
  if (!std::equal(a.buffers().begin(), a.buffers().end(), b.buffers().begin(), b.buffers().end(), same)) return false;
  for (std::uint32_t v = 0; v < a.count; ++v) {
    if (list.values[a.first + v].has_value() != list.values[b.first + v].has_value()) return false;
  }
  return true;
}

class Comparison {
 public:
  Comparison(const OpList& list, ListMark first, ListMark second, const AddressRanges& ranges)
      : list_(list), first_(first), second_(second), ranges_(ranges) {}

  std::optional<Repetition> run() {
    found_.first = second_.ops;
    if (second_.ops == list_.ops.size() || !match() || !loops_agree() || !can_go_before()) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool match();
  bool loops_agree() const;
  bool can_go_before() const;

  const OpList& list_;
  ListMark first_, second_;
  const AddressRanges& ranges_;
  Repetition found_;
  std::vector<std::size_t> matched_;  ///< per operation of the second ones: its like among the first
};

/// From the end, for what comes first besides are mostly loads.
bool Comparison::match() {
  std::size_t a = second_.ops;
  matched_.resize(list_.ops.size() - second_.ops);
  for (std::size_t b = list_.ops.size(); b-- > second_.ops;) {
    for (;;) {
      if (a == first_.ops) return false;
      --a;
      if (alike(list_, list_.ops[a], list_.ops[b])) break;
      found_.before.push_back(a);
    }
    matched_[b - second_.ops] = a;
  }
  while (a-- > first_.ops) found_.before.push_back(a);
  std::reverse(found_.before.begin(), found_.before.end());
  found_.deltas.resize(list_.values.size() - second_.values);
  for (std::size_t b = second_.ops; b < list_.ops.size(); ++b) {
    const LowOp& now = list_.ops[b];
    const LowOp& then = list_.ops[matched_[b - second_.ops]];
    for (std::uint32_t v = 0; v < now.count; ++v) {
      const MaybeValue& value = list_.values[now.first + v];
      if (value) found_.deltas[now.first + v - second_.values] = *value - *list_.values[then.first + v];
    }
  }
  return true;
}

/// Loops hold the same operations in both, and nothing besides.
bool Comparison::loops_agree() const {
  const std::size_t count = second_.loops - first_.loops;
  if (list_.loops.size() - second_.loops != count) return false;
  for (std::size_t l = 0; l < count; ++l) {
    const LowLoop& a = list_.loops[first_.loops + l];
    const LowLoop& b = list_.loops[second_.loops + l];
    if (a.length != b.length || a.turns != b.turns || a.deltas != b.deltas) return false;
    if (matched_[b.first - second_.ops] != a.first) return false;
    if (matched_[b.first + b.length - 1 - second_.ops] != a.first + a.length - 1) return false;
  }
  return true;
}

bool Comparison::can_go_before() const {
  std::vector<AddressRange> moved, now;
  const LoopSpan loops = LoopSpan(list_.loops).subspan(first_.loops, second_.loops - first_.loops);
  for (const std::size_t late : found_.before) {
    ranges_.of(list_, list_.ops[late], moved);
    for (const std::size_t early : matched_) {
      if (early >= late) break;
      ranges_.of(list_, list_.ops[early], now);
      widen(list_, early, loops, now);
      for (const auto& a : moved) {
        for (const auto& b : now) {
          if (a.memory == b.memory && (a.writes || b.writes) && a.low < b.high && b.low < a.high) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

std::optional<Repetition> repeat(const OpList& list, ListMark first, ListMark second, const AddressRanges& ranges) {
  return Comparison(list, first, second, ranges).run();
}

void apply(OpList& list, ListMark first, ListMark second, const Repetition& repetition, std::int64_t turns) {
  std::vector<LowOp> ops;
  std::vector<MaybeValue> values;
  const auto take = [&](LowOp op, const std::int64_t* back) {
    const std::uint32_t from = op.first;
    op.first = static_cast<std::uint32_t>(first.values + values.size());
    for (std::uint32_t v = 0; v < op.count; ++v) {
      MaybeValue value = list.values[from + v];
      if (value && back != nullptr) *value -= back[v];
      values.push_back(value);
    }
    ops.push_back(op);
  };
  for (const std::size_t op : repetition.before) take(list.ops[op], nullptr);
  // The second turn, one step back, is the first without the rest.
  for (std::size_t op = second.ops; op < list.ops.size(); ++op) {
    take(list.ops[op], repetition.deltas.data() + (list.ops[op].first - second.values));
  }
  std::vector<LowLoop> loops = {
      {first.ops + repetition.before.size(), list.ops.size() - second.ops, turns, repetition.deltas}};
  for (std::size_t l = second.loops; l < list.loops.size(); ++l) {
    loops.push_back(std::move(list.loops[l]));
    loops.back().first = loops.back().first - second.ops + loops.front().first;
  }
  list.ops.resize(first.ops);
  list.values.resize(first.values);
  list.loops.resize(first.loops);
  list.ops.insert(list.ops.end(), ops.begin(), ops.end());
  list.values.insert(list.values.end(), values.begin(), values.end());
  list.loops.insert(list.loops.end(), std::make_move_iterator(loops.begin()), std::make_move_iterator(loops.end()));
}

}  // namespace accord
