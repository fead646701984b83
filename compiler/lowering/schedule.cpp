#include "compiler/lowering/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "archdsl/source/error.h"

namespace accord {
namespace {

/// Last operation of each unit that wrote and read each buffer.
class BufferHistory {
 public:
  BufferHistory(int buffers, int units) : units_(units), last_(static_cast<std::size_t>(buffers * units * 2), -1) {}

  /// Calls fn(operation) for every one on another unit that `op` must see done.
  template <typename Fn>
  void dependences(const LowOp& op, Fn&& fn) const {
    for (const auto& access : op.buffers()) {
      for (int u = 0; u < units_; ++u) {
        if (u == op.unit) continue;
        if (const auto p = at(access.buffer, u, true); p >= 0) fn(p);
        if (!access.write) continue;
        if (const auto p = at(access.buffer, u, false); p >= 0) fn(p);
      }
    }
  }

  void record(const LowOp& op, std::int64_t index) {
    for (const auto& access : op.buffers()) last_[slot(access.buffer, op.unit, access.write)] = index;
  }

 private:
  std::size_t slot(int buffer, int unit, bool write) const {
    return static_cast<std::size_t>((buffer * units_ + unit) * 2 + (write ? 1 : 0));
  }
  std::int64_t at(int buffer, int unit, bool write) const { return last_[slot(buffer, unit, write)]; }
  int units_;
  std::vector<std::int64_t> last_;
};

/// Dependences of every operation in list order, flattened.
struct Dependences {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> on;
};

Dependences collect(const OpList& list, int units) {
  Dependences result;
  BufferHistory history(list.buffers, units);
  for (std::size_t i = 0; i < list.ops.size(); ++i) {
    result.first.push_back(static_cast<std::uint32_t>(result.on.size()));
    history.dependences(list.ops[i], [&](std::int64_t p) { result.on.push_back(static_cast<std::uint32_t>(p)); });
    history.record(list.ops[i], static_cast<std::int64_t>(i));
  }
  result.first.push_back(static_cast<std::uint32_t>(result.on.size()));
  return result;
}

class ListScheduler {
 public:
  ListScheduler(const OpList& list, int units)
      : list_(list), dependences_(collect(list, units)), queues_(units), heads_(units, 0), free_(units, 0) {
    for (std::size_t i = 0; i < list.ops.size(); ++i)
      queues_[list.ops[i].unit].push_back(static_cast<std::uint32_t>(i));
    done_.assign(list.ops.size(), -1);
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> order;
    order.reserve(list_.ops.size());
    while (order.size() < list_.ops.size()) {
      const std::uint32_t op = pick();
      order.push_back(op);
    }
    return order;
  }

 private:
  std::uint32_t pick() {
    int best = -1;
    std::int64_t best_start = 0;
    for (std::size_t u = 0; u < queues_.size(); ++u) {
      if (heads_[u] == queues_[u].size()) continue;
      const std::int64_t start = earliest(queues_[u][heads_[u]], static_cast<int>(u));
      if (start < 0) continue;
      const bool earlier = best < 0 || start < best_start ||
                           (start == best_start && queues_[u][heads_[u]] < queues_[best][heads_[best]]);
      if (earlier) {
        best = static_cast<int>(u);
        best_start = start;
      }
    }
    const std::uint32_t op = queues_[best][heads_[best]++];
    free_[best] = best_start + list_.ops[op].busy;
    done_[op] = best_start + list_.ops[op].latency;
    return op;
  }

  /// -1 while something it depends on has no time yet.
  std::int64_t earliest(std::uint32_t op, int unit) const {
    std::int64_t start = free_[unit];
    for (std::uint32_t d = dependences_.first[op]; d < dependences_.first[op + 1]; ++d) {
      const std::int64_t done = done_[dependences_.on[d]];
      if (done < 0) return -1;
      start = std::max(start, done);
    }
    return start;
  }

  const OpList& list_;
  Dependences dependences_;
  std::vector<std::vector<std::uint32_t>> queues_;
  std::vector<std::size_t> heads_;
  std::vector<std::int64_t> free_;
  std::vector<std::int64_t> done_;
};

/// What each unit knows to be done of each other one (position in that unit's own order).
using Clock = std::vector<std::int64_t>;

struct Edge {
  std::uint32_t from = 0;  ///< operation after which to signal
  std::uint32_t to = 0;    ///< operation before which to wait
};

/// The dependences that no earlier wait implies, in order of `to`.
std::vector<Edge> needed_edges(const OpList& list, const std::vector<std::uint32_t>& order, int units) {
  BufferHistory history(list.buffers, units);
  std::vector<Clock> clocks(units, Clock(units, -1));
  std::vector<Clock> at(list.ops.size());
  std::vector<std::int64_t> position(list.ops.size(), 0);
  std::vector<std::int64_t> next(units, 0);
  std::vector<Edge> edges;
  for (const std::uint32_t op : order) {
    const int unit = list.ops[op].unit;
    std::map<int, std::uint32_t> latest;
    history.dependences(list.ops[op], [&](std::int64_t p) {
      const auto index = static_cast<std::uint32_t>(p);
      const int other = list.ops[index].unit;
      if (position[index] <= clocks[unit][other]) return;
      const auto it = latest.find(other);
      if (it == latest.end() || position[index] > position[it->second]) latest[other] = index;
    });
    for (const auto& [other, index] : latest) {
      if (position[index] <= clocks[unit][other]) continue;
      edges.push_back({index, op});
      for (int u = 0; u < units; ++u) clocks[unit][u] = std::max(clocks[unit][u], at[index][u]);
      clocks[unit][other] = std::max(clocks[unit][other], position[index]);
    }
    position[op] = next[unit]++;
    at[op] = clocks[unit];
    history.record(list.ops[op], op);
  }
  return edges;
}

}  // namespace

std::vector<std::uint32_t> schedule(const OpList& list, int units) {
  if (list.loops.empty()) return ListScheduler(list, units).run();
  std::vector<std::uint32_t> order(list.ops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  return order;
}

std::vector<OrderedOp> synchronise(const OpList& list, const std::vector<std::uint32_t>& order, int units,
                                   int semaphores) {
  const auto edges = needed_edges(list, order, units);
  std::map<std::pair<int, int>, int> numbers;
  auto number = [&](int from, int to) {
    const auto [it, fresh] = numbers.try_emplace({from, to}, static_cast<int>(numbers.size()));
    if (fresh && it->second >= semaphores) {
      throw Error(fmt::format("the machine has {} semaphores; this layer orders more pairs of units", semaphores));
    }
    return it->second;
  };
  std::multimap<std::uint32_t, OrderedOp> before, after;
  for (const auto& edge : edges) {
    const int from = list.ops[edge.from].unit;
    const int to = list.ops[edge.to].unit;
    const int semaphore = number(from, to);
    after.insert({edge.from, {OrderedOp::Kind::signal, from, semaphore, 0}});
    before.insert({edge.to, {OrderedOp::Kind::wait, to, semaphore, 0}});
  }
  std::vector<OrderedOp> result;
  result.reserve(order.size() + 2 * edges.size());
  for (const std::uint32_t op : order) {
    const auto waits = before.equal_range(op);
    for (auto it = waits.first; it != waits.second; ++it) result.push_back(it->second);
    result.push_back({OrderedOp::Kind::operation, list.ops[op].unit, -1, op});
    const auto signals = after.equal_range(op);
    for (auto it = signals.first; it != signals.second; ++it) result.push_back(it->second);
  }
  return result;
}

}  // namespace accord
