#include "compiler/lowering/item_graph.h"

#include <algorithm>
#include <numeric>

#include "archdsl/tensor/rounding.h"

namespace accord {

LoopSpan with_inner(LoopSpan loops) {
  std::size_t count = 1;
  while (count < loops.size() && loops[count].first < loops[0].first + loops[0].length) ++count;
  return loops.first(count);
}

std::int64_t loop_cycles(const OpList& list, LoopSpan loops, const Architecture& architecture) {
  const LowLoop& loop = loops.front();
  if (loop.interval > 0) return loop.turns * loop.interval;
  std::vector<std::int64_t> busy(architecture.units.size(), 0);
  std::int64_t slots = 0, inside = 0;
  loops = loops.subspan(1);
  for (std::size_t i = loop.first; i < loop.first + loop.length;) {
    if (!loops.empty() && loops.front().first == i) {
      const LoopSpan inner = with_inner(loops);
      inside += loop_cycles(list, inner, architecture);
      i += inner.front().length;
      loops = loops.subspan(inner.size());
      continue;
    }
    busy[list.ops[i].unit] += list.ops[i].busy;
    ++slots;
    ++i;
  }
  const auto width = static_cast<std::int64_t>(std::max(architecture.controller.issue_width, 1));
  const std::int64_t issue = ceil_div(slots, width) * std::max(architecture.controller.issue_interval, 1);
  return loop.turns * (inside + std::max(issue, *std::max_element(busy.begin(), busy.end())));
}

void widen(const OpList& list, std::size_t op, LoopSpan loops, std::vector<AddressRange>& ranges) {
  for (const LowLoop& loop : loops) {
    if (op < loop.first || op >= loop.first + loop.length) continue;
    const std::int64_t* deltas = loop.deltas.data() + (list.ops[op].first - list.ops[loop.first].first);
    for (auto& range : ranges) {
      const std::int64_t way = range.move(deltas) * (loop.turns - 1);
      (way < 0 ? range.low : range.high) += way;
    }
  }
}

ItemGraph::ItemGraph(const OpList& list, const Architecture& architecture)
    : list_(list), architecture_(architecture), ranges_(architecture), history_(architecture) {
  make_items();
  fence_.assign(architecture.units.size(), -1);
  for (const Unit& unit : architecture.units) holds_.push_back(holds_operands(unit));
  since_.resize(architecture.units.size());
  edge_of_.assign(items.size(), 0);
  for (std::uint32_t i = 0; i < items.size(); ++i) add(i);
  sort_edges();
}

void ItemGraph::make_items() {
  LoopSpan loops = list_.loops;
  for (std::size_t i = 0; i < list_.ops.size();) {
    Item item;
    item.first = static_cast<std::uint32_t>(i);
    if (!loops.empty() && loops.front().first == i) {
      item.loops = with_inner(loops);
      loops = loops.subspan(item.loops.size());
      item.length = static_cast<std::uint32_t>(item.loops.front().length);
      item.busy = loop_cycles(list_, item.loops, architecture_);
      std::int64_t after = 0;
      for (std::size_t op = i; op < i + item.length; ++op) after = std::max<std::int64_t>(after, list_.ops[op].latency);
      item.latency = item.busy + after;
    } else {
      item.busy = list_.ops[i].busy;
      item.latency = list_.ops[i].latency;
    }
    items.push_back(item);
    i += item.length;
  }
}

/// `item` begins when the results of `before` are there, or when its unit is free again; of both the later counts.
void ItemGraph::follow(std::int64_t before, std::uint32_t item, bool waits) {
  const std::int64_t delay = waits ? items[before].latency : items[before].busy;
  std::size_t& known = edge_of_[static_cast<std::size_t>(before)];
  if (known > found_before_) {
    Edge& edge = found_[known - 1].second;
    edge.delay = std::max(edge.delay, delay);
    edge.waits |= waits;
    return;
  }
  found_.push_back({static_cast<std::uint32_t>(before), {item, delay, waits}});
  known = found_.size();
}

void ItemGraph::add_operation(std::uint32_t item, std::size_t op, LoopSpan loops) {
  const int unit = list_.ops[op].unit;
  ranges_.of(list_, list_.ops[op], now_);
  widen(list_, op, loops, now_);
  history_.before(unit, now_, [&](std::int64_t id, bool waits) {
    if (id != item) follow(id, item, waits);
  });
  history_.record(item, unit, now_);
  if (fence_[unit] >= 0 && fence_[unit] != item) follow(fence_[unit], item, false);
}

void ItemGraph::add(std::uint32_t index) {
  const Item& item = items[index];
  found_before_ = found_.size();
  if (item.loops.empty()) {
    add_operation(index, item.first, {});
    auto& since = since_[list_.ops[item.first].unit];
    if (holds_[list_.ops[item.first].unit] && !since.empty()) follow(since.back(), index, false);
    since.push_back(index);
    return;
  }
  for (std::uint32_t i = item.first; i < item.first + item.length; ++i) add_operation(index, i, item.loops);
  // A loop has its units to itself.
  for (std::uint32_t i = item.first; i < item.first + item.length; ++i) {
    const int unit = list_.ops[i].unit;
    if (fence_[unit] == index) continue;
    fence_[unit] = index;
    for (const auto before : since_[unit]) follow(before, index, false);
    since_[unit].clear();
  }
}

void ItemGraph::sort_edges() {
  first_edge.assign(items.size() + 1, 0);
  pending.assign(items.size(), 0);
  for (const auto& [from, edge] : found_) {
    ++first_edge[from + 1];
    ++pending[edge.to];
  }
  std::partial_sum(first_edge.begin(), first_edge.end(), first_edge.begin());
  edges.resize(found_.size());
  auto next = first_edge;
  for (const auto& [from, edge] : found_) edges[next[from]++] = edge;
}

}  // namespace accord
