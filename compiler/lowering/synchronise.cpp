#include "compiler/lowering/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "archdsl/source/error.h"
#include "compiler/lowering/buffer_history.h"

namespace accord {
namespace {

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
      if (other == unit) return;
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
