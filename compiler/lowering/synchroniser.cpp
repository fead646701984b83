#include "compiler/lowering/synchroniser.h"

#include <algorithm>

#include "compiler/lowering/buffer_history.h"

namespace accord {

Synchroniser::Synchroniser(int units, int semaphores, std::int64_t max)
    : units_(units), semaphores_(semaphores), max_(max) {
  const auto count = static_cast<std::size_t>(units);
  kept_.clocks.assign(count, Clock(count, -1));
  kept_.next.assign(count, 0);
  kept_.first.assign(count, 0);
  kept_.known.resize(count);
}

/// All units have done all there is; no signal is under way.
void Synchroniser::pass_all(State& state) const {
  for (auto& clock : state.clocks) {
    for (int u = 0; u < units_; ++u) clock[u] = state.next[u] - 1;
  }
  state.semaphores.clear();
  state.taken = 0;
}

void Synchroniser::fence() {
  pass_all(kept_);
  kept_.first = kept_.next;
  for (auto& known : kept_.known) known.clear();
}

/// A semaphore of the pair that is below its greatest count when `from`, which then knows `known`, signals for the next
/// operation of `to`; -1: there is none.
int Synchroniser::number(int from, int to, Known known) {
  auto& pair = state_.semaphores[{from, to}];
  for (Numbered& semaphore : pair) {
    std::erase_if(semaphore.waits, [&](std::int64_t wait) { return wait <= known[to]; });
    if (static_cast<std::int64_t>(semaphore.waits.size()) >= max_) continue;
    semaphore.waits.push_back(state_.next[to]);
    return semaphore.number;
  }
  if (state_.taken == semaphores_) return -1;
  pair.push_back({state_.taken++, {state_.next[to]}});
  return pair.back().number;
}

Synchroniser::Known Synchroniser::at(const State& state, int unit, std::int64_t position) const {
  const std::int64_t from = (position - state.first[unit]) * units_;
  return Known(state.known[unit]).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(units_));
}

void Synchroniser::see(int unit, int other, std::int64_t position, Known known) {
  Clock& clock = state_.clocks[unit];
  for (int u = 0; u < units_; ++u) clock[u] = std::max(clock[u], known[u]);
  clock[other] = std::max(clock[other], position);
}

Synchroniser::Added Synchroniser::add(const OpList& list, const std::vector<std::uint32_t>& order,
                                      const Earlier& earlier) {
  state_ = {kept_.clocks,     kept_.next, kept_.next, std::vector<Clock>(static_cast<std::size_t>(units_)),
            kept_.semaphores, kept_.taken};
  Added added;
  added.positions.resize(list.ops.size());
  std::multimap<std::uint32_t, OrderedOp> before, after;
  std::vector<OrderedOp> first;  // signals of units that have done nothing in the list before
  BufferHistory history(list);
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
      // An operation of a list further back is done when the unit begins the list before.
      const bool idle = last.op < 0 && kept_.next[other] == kept_.first[other];
      const std::int64_t place = last.op >= 0 ? last.position
                                 : idle       ? kept_.next[other] - 1
                                              : std::max(last.position, kept_.first[other]);
      const Known known = idle ? Known(kept_.clocks[other]) : at(last.op >= 0 ? state_ : kept_, other, place);
      const int semaphore = number(other, unit, known);
      if (semaphore < 0) {
        before.insert({op, {OrderedOp::Kind::fence, -1, -1, 0}});
        pass_all(state_);
        break;
      }
      before.insert({op, {OrderedOp::Kind::wait, unit, semaphore, 0}});
      if (last.op >= 0) {
        after.insert({static_cast<std::uint32_t>(last.op), {OrderedOp::Kind::signal, other, semaphore, 0}});
      } else if (idle) {
        first.push_back({OrderedOp::Kind::signal, other, semaphore, 0});
      } else {
        added.late.push_back({other, place - kept_.first[other], semaphore});
      }
      see(unit, other, place, known);
    }
    added.positions[op] = state_.next[unit]++;
    const Clock& now = state_.clocks[unit];
    state_.known[unit].insert(state_.known[unit].end(), now.begin(), now.end());
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
