#include "compiler/lowering/synchroniser.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/source/error.h"
#include "compiler/lowering/buffer_history.h"

namespace accord {

Synchroniser::Synchroniser(int units, int semaphores) : units_(units), semaphores_(semaphores) {
  const auto count = static_cast<std::size_t>(units);
  kept_.clocks.assign(count, Clock(count, -1));
  kept_.next.assign(count, 0);
  kept_.first.assign(count, 0);
  kept_.known.resize(count);
}

void Synchroniser::fence() {
  for (auto& clock : kept_.clocks) {
    for (int u = 0; u < units_; ++u) clock[u] = kept_.next[u] - 1;
  }
  kept_.first = kept_.next;
  for (auto& known : kept_.known) known.clear();
  kept_.numbers.clear();
}

int Synchroniser::number(int from, int to) {
  const auto [it, fresh] = state_.numbers.try_emplace({from, to}, static_cast<int>(state_.numbers.size()));
  if (fresh && it->second >= semaphores_) {
    throw Error(fmt::format("the machine has {} semaphores; this layer orders more pairs of units", semaphores_));
  }
  return it->second;
}

/// What the unit knew at one of its operations in the list before; nullptr where that is forgotten.
const Synchroniser::Clock* Synchroniser::known_at(int unit, std::int64_t position) const {
  const std::int64_t at = position - kept_.first[unit];
  const auto& known = kept_.known[unit];
  return at >= 0 && at < static_cast<std::int64_t>(known.size()) ? &known[at] : nullptr;
}

void Synchroniser::see(int unit, int other, std::int64_t position, const Clock* known) {
  Clock& clock = state_.clocks[unit];
  for (int u = 0; known != nullptr && u < units_; ++u) clock[u] = std::max(clock[u], (*known)[u]);
  clock[other] = std::max(clock[other], position);
}

Synchroniser::Added Synchroniser::add(const OpList& list, const std::vector<std::uint32_t>& order,
                                      const Earlier& earlier) {
  state_ = {kept_.clocks, kept_.next, kept_.next, std::vector<std::vector<Clock>>(static_cast<std::size_t>(units_)),
            kept_.numbers};
  Added added;
  added.positions.resize(list.ops.size());
  std::multimap<std::uint32_t, OrderedOp> before, after;
  std::vector<OrderedOp> first;  // signals of units that have done nothing in the list before
  BufferHistory history(list.buffers.size(), units_);
  for (const std::uint32_t op : order) {
    const int unit = list.ops[op].unit;
    std::map<int, Needed> needed;
    const auto need = [&](int other, std::int64_t position, std::int64_t index) {
      if (other == unit || position <= state_.clocks[unit][other]) return;
      Needed& last = needed[other];
      if (position > last.position) last = {position, index};
    };
    history.dependences(list.ops[op], [&](std::int64_t p) { need(list.ops[p].unit, added.positions[p], p); });
    earlier(list.ops[op], [&](int other, std::int64_t position) { need(other, position, -1); });
    for (const auto& [other, last] : needed) {
      if (last.position <= state_.clocks[unit][other]) continue;
      const int semaphore = number(other, unit);
      before.insert({op, {OrderedOp::Kind::wait, unit, semaphore, 0}});
      if (last.op >= 0) {
        after.insert({static_cast<std::uint32_t>(last.op), {OrderedOp::Kind::signal, other, semaphore, 0}});
        see(unit, other, last.position, &state_.known[other][last.position - state_.first[other]]);
      } else if (kept_.next[other] == kept_.first[other]) {
        first.push_back({OrderedOp::Kind::signal, other, semaphore, 0});
        see(unit, other, kept_.next[other] - 1, nullptr);
      } else {
        // An operation of a list further back is done when the unit begins the list before.
        const std::int64_t at = std::max(last.position, kept_.first[other]);
        added.late.push_back({other, at - kept_.first[other], semaphore});
        see(unit, other, at, known_at(other, at));
      }
    }
    added.positions[op] = state_.next[unit]++;
    state_.known[unit].push_back(state_.clocks[unit]);
    history.record(list.ops[op], op);
  }
  added.order = std::move(first);
  for (const std::uint32_t op : order) {
    const auto waits = before.equal_range(op);
    for (auto it = waits.first; it != waits.second; ++it) added.order.push_back(it->second);
    added.order.push_back({OrderedOp::Kind::operation, list.ops[op].unit, -1, op});
    const auto signals = after.equal_range(op);
    for (auto it = signals.first; it != signals.second; ++it) added.order.push_back(it->second);
  }
  return added;
}

}  // namespace accord
