#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "compiler/lowering/address_history.h"
#include "compiler/lowering/schedule.h"

namespace accord {
namespace {

/// What is placed as one: an operation, or a loop with all its turns.
struct Item {
  std::uint32_t first = 0;  ///< operations [first, first + length) of the list
  std::uint32_t length = 1;
  const LowLoop* loop = nullptr;
  std::int64_t busy = 1;     ///< cycles until its units take the next one
  std::int64_t latency = 1;  ///< cycles until its results are there
};

struct Edge {
  std::uint32_t to = 0;
  std::int64_t delay = 0;
};

/// Items in list order, with what each must wait for.
class ItemGraph {
 public:
  ItemGraph(const OpList& list, const Architecture& architecture)
      : list_(list), architecture_(architecture), ranges_(architecture), history_(architecture) {
    make_items();
    fence_.assign(architecture.units.size(), -1);
    for (const Unit& unit : architecture.units) {
      const auto holds = [](const CapabilityOperand& operand) { return operand.held; };
      holds_.push_back(std::any_of(unit.capabilities.begin(), unit.capabilities.end(), [&](const Capability& c) {
        return std::any_of(c.operands.begin(), c.operands.end(), holds);
      }));
    }
    since_.resize(architecture.units.size());
    edge_of_.assign(items.size(), 0);
    for (std::uint32_t i = 0; i < items.size(); ++i) add(i);
    sort_edges();
  }

  std::vector<Item> items;
  std::vector<std::uint32_t> first_edge;  ///< per item, into `edges`
  std::vector<Edge> edges;
  std::vector<std::int32_t> pending;  ///< per item: edges that lead to it
  const LowOp& op(std::uint32_t item) const { return list_.ops[items[item].first]; }

 private:
  void make_items();
  void make_loop(const LowLoop& loop, Item& item) const;
  void add(std::uint32_t item);
  void add_operation(std::uint32_t item, const LowOp& op, const std::int64_t* deltas, std::int64_t turns);
  void follow(std::int64_t before, std::uint32_t item, std::int64_t delay);
  void sort_edges();

  const OpList& list_;
  const Architecture& architecture_;
  AddressRanges ranges_;
  AddressHistory history_;
  std::vector<AddressRange> now_;
  std::vector<std::int64_t> fence_;                ///< per unit: the last loop that used it
  std::vector<std::vector<std::uint32_t>> since_;  ///< per unit: operations after that
  std::vector<bool> holds_;                        ///< per unit: what it does depends on what it did before
  std::vector<std::pair<std::uint32_t, Edge>> found_;
  std::size_t found_before_ = 0;      ///< edges that lead to earlier items
  std::vector<std::size_t> edge_of_;  ///< per item: its last edge in `found_`, counted from 1
};

void ItemGraph::make_items() {
  auto loop = list_.loops.begin();
  for (std::size_t i = 0; i < list_.ops.size();) {
    Item item;
    item.first = static_cast<std::uint32_t>(i);
    if (loop != list_.loops.end() && loop->first == i) {
      item.loop = &*loop;
      item.length = static_cast<std::uint32_t>(loop->length);
      make_loop(*loop++, item);
    } else {
      item.busy = list_.ops[i].busy;
      item.latency = list_.ops[i].latency + architecture_.units[list_.ops[i].unit].setup;
    }
    items.push_back(item);
    i += item.length;
  }
}

/// A loop is as quick as its busiest unit or its issue slots.
void ItemGraph::make_loop(const LowLoop& loop, Item& item) const {
  std::vector<std::int64_t> busy(architecture_.units.size(), 0);
  std::int64_t after = 0;
  for (std::size_t i = loop.first; i < loop.first + loop.length; ++i) {
    const LowOp& op = list_.ops[i];
    busy[op.unit] += op.busy;
    after = std::max<std::int64_t>(after, op.latency);
  }
  const auto width = static_cast<std::size_t>(std::max(architecture_.controller.issue_width, 1));
  const auto issue = static_cast<std::int64_t>((loop.length + width - 1) / width);
  item.busy = loop.turns * std::max(issue, *std::max_element(busy.begin(), busy.end()));
  item.latency = item.busy + after;
}

/// `item` begins so many cycles after `before`; of several such the longest counts.
void ItemGraph::follow(std::int64_t before, std::uint32_t item, std::int64_t delay) {
  std::size_t& known = edge_of_[static_cast<std::size_t>(before)];
  if (known > found_before_) {
    found_[known - 1].second.delay = std::max(found_[known - 1].second.delay, delay);
    return;
  }
  found_.push_back({static_cast<std::uint32_t>(before), {item, delay}});
  known = found_.size();
}

void ItemGraph::add_operation(std::uint32_t item, const LowOp& op, const std::int64_t* deltas, std::int64_t turns) {
  ranges_.of(list_, op, now_);
  for (auto& range : now_) {
    const std::int64_t way = deltas == nullptr ? 0 : range.move(deltas) * (turns - 1);
    (way < 0 ? range.low : range.high) += way;
  }
  history_.before(op.unit, now_, [&](std::int64_t id, bool waits) {
    if (id != item) follow(id, item, waits ? items[id].latency : items[id].busy);
  });
  history_.record(item, op.unit, now_);
  if (fence_[op.unit] >= 0 && fence_[op.unit] != item) follow(fence_[op.unit], item, items[fence_[op.unit]].busy);
}

void ItemGraph::add(std::uint32_t index) {
  const Item& item = items[index];
  found_before_ = found_.size();
  if (item.loop == nullptr) {
    add_operation(index, list_.ops[item.first], nullptr, 1);
    auto& since = since_[list_.ops[item.first].unit];
    if (holds_[list_.ops[item.first].unit] && !since.empty()) follow(since.back(), index, items[since.back()].busy);
    since.push_back(index);
    return;
  }
  const std::uint32_t values = list_.ops[item.first].first;
  for (std::uint32_t i = item.first; i < item.first + item.length; ++i) {
    const LowOp& op = list_.ops[i];
    add_operation(index, op, item.loop->deltas.data() + (op.first - values), item.loop->turns);
  }
  // A loop has its units to itself.
  for (std::uint32_t i = item.first; i < item.first + item.length; ++i) {
    const int unit = list_.ops[i].unit;
    if (fence_[unit] == index) continue;
    fence_[unit] = index;
    for (const auto before : since_[unit]) follow(before, index, items[before].busy);
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

/// Items that may begin on one unit, each from a time on.
class Waiting {
 public:
  void add(std::uint32_t item, std::int64_t from) { later_.push({from, item}); }

  /// The oldest of those that may begin at `now`, else the one that may begin first; false: there is none.
  bool next(std::int64_t now, std::int64_t& start, std::uint32_t& item) {
    while (!later_.empty() && later_.top().first <= now) {
      ready_.push(later_.top().second);
      later_.pop();
    }
    if (!ready_.empty()) {
      start = now;
      item = ready_.top();
      return true;
    }
    if (later_.empty()) return false;
    std::tie(start, item) = later_.top();
    return true;
  }

  void take() {
    if (!ready_.empty()) {
      ready_.pop();
    } else {
      later_.pop();
    }
  }

 private:
  using Timed = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> later_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
};

class InOrderScheduler {
 public:
  InOrderScheduler(const OpList& list, const Architecture& architecture)
      : architecture_(architecture),
        graph_(list, architecture),
        from_(graph_.items.size(), 0),
        waiting_(architecture.units.size()),
        free_(architecture.units.size(), 0),
        streamed_(architecture.units.size(), 0),
        width_(std::max(architecture.controller.issue_width, 1)) {}

  Schedule run() {
    for (std::uint32_t i = 0; i < graph_.items.size(); ++i) {
      if (graph_.pending[i] == 0) waiting_[graph_.op(i).unit].add(i, 0);
    }
    for (std::size_t left = graph_.items.size(); left > 0; --left) pick();
    return std::move(schedule_);
  }

 private:
  void pick() {
    int best = -1;
    std::int64_t best_start = 0;
    std::uint32_t best_item = 0;
    for (std::size_t u = 0; u < waiting_.size(); ++u) {
      std::int64_t start = 0;
      std::uint32_t item = 0;
      if (!waiting_[u].next(std::max(free_[u], slot_ / width_), start, item)) continue;
      if (best >= 0 && std::pair(start, item) > std::pair(best_start, best_item)) continue;
      best = static_cast<int>(u);
      best_start = start;
      best_item = item;
    }
    assert(best >= 0);
    waiting_[best].take();
    begin(best, best_item, best_start);
  }

  void begin(int unit, std::uint32_t index, std::int64_t start) {
    const Item& item = graph_.items[index];
    slot_ = std::max(slot_, start * width_) + 1;
    std::int64_t begins = start;
    if (item.loop != nullptr) {
      slot_ = std::max(slot_, (start + item.busy) * width_);
    } else if (architecture_.units[unit].kind == UnitKind::mover) {
      // A mover sets the next operation up while this one's requests are under way.
      begins = std::max(start + architecture_.units[unit].setup, streamed_[unit]);
      streamed_[unit] = begins + item.busy;
      free_[unit] = begins;
    } else {
      free_[unit] = start + item.busy;
    }
    const std::int64_t late = begins - start;
    schedule_.cycles = std::max(schedule_.cycles, begins + item.latency);
    for (std::uint32_t i = item.first; i < item.first + item.length; ++i) schedule_.order.push_back(i);
    for (std::uint32_t e = graph_.first_edge[index]; e < graph_.first_edge[index + 1]; ++e) {
      const Edge& edge = graph_.edges[e];
      from_[edge.to] = std::max(from_[edge.to], start + late + edge.delay);
      if (--graph_.pending[edge.to] == 0) waiting_[graph_.op(edge.to).unit].add(edge.to, from_[edge.to]);
    }
  }

  const Architecture& architecture_;
  ItemGraph graph_;
  std::vector<std::int64_t> from_;
  std::vector<Waiting> waiting_;
  std::vector<std::int64_t> free_;      ///< per unit: takes another operation
  std::vector<std::int64_t> streamed_;  ///< per mover: its last request so far is on its way
  std::int64_t width_;
  std::int64_t slot_ = 0;  ///< issue slots used up
  Schedule schedule_;
};

}  // namespace

Schedule schedule_in_order(const OpList& list, const Architecture& architecture) {
  return InOrderScheduler(list, architecture).run();
}

}  // namespace accord
