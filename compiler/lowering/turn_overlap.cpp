#include "compiler/lowering/turn_overlap.h"

#include <algorithm>
#include <optional>

#include "compiler/lowering/address_ranges.h"

namespace accord {
namespace {

constexpr std::int64_t tried = 6;  ///< turns that are scheduled one after another

class TurnOverlap {
 public:
  TurnOverlap(const OpList& list, LoopSpan loops, const Architecture& architecture)
      : list_(list), loop_(loops.front()), loops_(loops.subspan(1)), architecture_(architecture) {
    find_items();
  }

  TurnOrder order() {
    if (!may_meet()) {
      if (auto found = overlapped()) return *found;
    }
    return one_turn();
  }

  void write(const TurnOrder& order, ListCopy& copy) const {
    lay_out_turns(loop_, order, copy, [&](std::size_t x, std::int64_t turn) { copy_item(copy, x, turn); });
  }

 private:
  /// An operation of the body or a loop in it.
  struct BodyItem {
    std::size_t first = 0;
    LoopSpan loops;
  };
  struct Moving {
    AddressRange range;  ///< over all turns of the loops inside
    std::int64_t delta = 0;
  };

  void find_items();
  void copy_item(ListCopy& copy, std::size_t x, std::int64_t turn) const;
  OpList unrolled(std::int64_t turns) const;
  bool may_meet() const;
  std::optional<TurnOrder> overlapped() const;
  TurnOrder one_turn() const;
  std::optional<TurnOrder> window(const ItemSchedule& schedule, const std::vector<std::size_t>& place,
                                  std::size_t anchor, std::size_t turn) const;
  bool keeps_order(const ItemGraph& graph, const TurnOrder& order) const;
  std::size_t anchor() const;

  const OpList& list_;
  const LowLoop& loop_;
  LoopSpan loops_;  ///< inside
  const Architecture& architecture_;
  std::vector<BodyItem> items_;
};

void TurnOverlap::find_items() {
  LoopSpan loops = loops_;
  for (std::size_t at = loop_.first; at < loop_.first + loop_.length;) {
    if (loops.empty() || loops.front().first != at) {
      items_.push_back({at++, {}});
      continue;
    }
    items_.push_back({at, with_inner(loops)});
    at += loops.front().length;
    loops = loops.subspan(items_.back().loops.size());
  }
}

void TurnOverlap::copy_item(ListCopy& copy, std::size_t x, std::int64_t turn) const {
  const BodyItem& item = items_[x];
  const std::size_t length = item.loops.empty() ? 1 : item.loops.front().length;
  copy.range(item.first, length, item.loops, &loop_, turn);
}

OpList TurnOverlap::unrolled(std::int64_t turns) const {
  ListCopy copy(list_);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (std::size_t x = 0; x < items_.size(); ++x) copy_item(copy, x, turn);
  }
  return copy.take();
}

/// Whether what is written may be met by another turn's access in some turn and not in others: only where the two move
/// differently.
bool TurnOverlap::may_meet() const {
  const AddressRanges ranges(architecture_);
  std::vector<Moving> moving;
  std::vector<AddressRange> now;
  for (std::size_t op = loop_.first; op < loop_.first + loop_.length; ++op) {
    const std::int64_t* deltas = loop_.deltas.data() + (list_.ops[op].first - list_.ops[loop_.first].first);
    ranges.of(list_, list_.ops[op], now);
    widen(list_, op, loops_, now);
    for (const auto& range : now) moving.push_back({range, range.move(deltas)});
  }
  const auto over_all_turns = [&](const Moving& m) {
    const std::int64_t way = m.delta * (loop_.turns - 1);
    return std::pair(m.range.low + std::min<std::int64_t>(way, 0), m.range.high + std::max<std::int64_t>(way, 0));
  };
  // Equal accesses, of which a body has many, are compared once.
  const auto key = [](const Moving& m) {
    return std::tuple(m.range.memory, m.range.writes, m.delta, m.range.low, m.range.high);
  };
  std::sort(moving.begin(), moving.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  moving.erase(
      std::unique(moving.begin(), moving.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
      moving.end());
  for (const auto& writer : moving) {
    if (!writer.range.writes) continue;
    const auto a = over_all_turns(writer);
    for (const auto& other : moving) {
      if (other.range.memory != writer.range.memory || other.delta == writer.delta) continue;
      const auto b = over_all_turns(other);
      if (a.first < b.second && b.first < a.second) return true;
    }
  }
  return false;
}

/// The item by which turns are told apart: the first loop, else the first operation of the busiest unit.
std::size_t TurnOverlap::anchor() const {
  std::vector<std::int64_t> busy(architecture_.units.size(), 0);
  for (std::size_t x = 0; x < items_.size(); ++x) {
    if (!items_[x].loops.empty()) return x;
    busy[list_.ops[items_[x].first].unit] += list_.ops[items_[x].first].busy;
  }
  const auto unit = std::max_element(busy.begin(), busy.end()) - busy.begin();
  std::size_t x = 0;
  while (list_.ops[items_[x].first].unit != unit) ++x;
  return x;
}

/// The order between the anchors of a turn and of the next, if it holds each item once.
std::optional<TurnOrder> TurnOverlap::window(const ItemSchedule& schedule, const std::vector<std::size_t>& place,
                                             std::size_t anchor, std::size_t turn) const {
  const std::size_t count = items_.size();
  const std::size_t from = place[turn * count + anchor], to = place[(turn + 1) * count + anchor];
  if (to - from != count) return std::nullopt;
  TurnOrder found;
  found.interval = std::max<std::int64_t>(schedule.order[to].start - schedule.order[from].start, 1);
  found.stage.assign(count, tried);
  std::int64_t least = 0;
  for (std::size_t p = from; p < to; ++p) {
    const std::size_t x = schedule.order[p].item % count;
    if (found.stage[x] != tried) return std::nullopt;
    found.stage[x] = static_cast<std::int64_t>(turn) - static_cast<std::int64_t>(schedule.order[p].item / count);
    least = std::min(least, found.stage[x]);
    found.order.push_back(x);
  }
  for (auto& stage : found.stage) stage -= least;
  return found;
}

/// Whether all that must follow each other in the scheduled turns does so in this order.
bool TurnOverlap::keeps_order(const ItemGraph& graph, const TurnOrder& order) const {
  const std::size_t count = items_.size();
  std::vector<std::size_t> position(count);
  for (std::size_t p = 0; p < count; ++p) position[order.order[p]] = p;
  const auto place = [&](std::size_t item) {
    return std::pair(static_cast<std::int64_t>(item / count) + order.stage[item % count], position[item % count]);
  };
  for (std::size_t from = 0; from < graph.items.size(); ++from) {
    for (std::uint32_t e = graph.first_edge[from]; e < graph.first_edge[from + 1]; ++e) {
      if (place(from) >= place(graph.edges[e].to)) return false;
    }
  }
  return true;
}

std::optional<TurnOrder> TurnOverlap::overlapped() const {
  const OpList turns = unrolled(tried);
  const ItemGraph graph(turns, architecture_);
  const ItemSchedule schedule = place_items(graph, architecture_);
  std::vector<std::size_t> place(schedule.order.size());
  for (std::size_t p = 0; p < schedule.order.size(); ++p) place[schedule.order[p].item] = p;
  std::optional<TurnOrder> best;
  for (std::size_t turn = 1; turn + 2 < tried; ++turn) {
    auto found = window(schedule, place, anchor(), turn);
    if (!found || (best && best->interval <= found->interval) || !keeps_order(graph, *found)) continue;
    best = std::move(found);
  }
  return best;
}

TurnOrder TurnOverlap::one_turn() const {
  const OpList turn = unrolled(1);
  const ItemGraph graph(turn, architecture_);
  const ItemSchedule schedule = place_items(graph, architecture_);
  TurnOrder order;
  order.interval = std::max<std::int64_t>(schedule.cycles, 1);
  order.stage.assign(items_.size(), 0);
  for (const auto& placed : schedule.order) order.order.push_back(placed.item);
  return order;
}

}  // namespace

void lay_out_turns(const LowLoop& loop, const TurnOrder& order, ListCopy& copy,
                   const std::function<void(std::size_t item, std::int64_t turn)>& item) {
  const std::int64_t stages = *std::max_element(order.stage.begin(), order.stage.end()) + 1;
  const auto add_block = [&](std::int64_t block) {
    for (const auto x : order.order) {
      const std::int64_t turn = block - order.stage[x];
      if (turn >= 0 && turn < loop.turns) item(x, turn);
    }
  };
  const std::int64_t kernel = loop.turns - stages + 1;
  const std::int64_t blocks = loop.turns + stages - 1;
  if (kernel < 2) {
    for (std::int64_t block = 0; block < blocks; ++block) add_block(block);
    return;
  }
  for (std::int64_t block = 0; block < stages - 1; ++block) add_block(block);
  copy.open(loop, kernel, order.interval);
  add_block(stages - 1);
  copy.close();
  for (std::int64_t block = loop.turns; block < blocks; ++block) add_block(block);
}

void overlap_turns(const OpList& list, LoopSpan loops, const Architecture& architecture, ListCopy& copy) {
  TurnOverlap overlap(list, loops, architecture);
  overlap.write(overlap.order(), copy);
}

}  // namespace accord
