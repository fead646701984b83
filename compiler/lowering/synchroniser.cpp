#include "compiler/lowering/synchroniser.h"

#include <algorithm>
#include <utility>

#include "compiler/lowering/buffer_history.h"

namespace accord {

void Predecessors::add(int unit, std::int64_t position) {
  for (std::size_t i = ends_.back(); i < all_.size(); ++i) {
    if (all_[i].unit != unit) continue;
    all_[i].position = std::max(all_[i].position, position);
    return;
  }
  all_.push_back({unit, position});
}

Synchroniser::Synchroniser(int units, int semaphores, std::int64_t max)
    : units_(units), semaphores_(semaphores), max_(max) {
  const auto count = static_cast<std::size_t>(units);
  kept_.clocks.assign(count, Clock(count, -1));
  kept_.next.assign(count, 0);
  kept_.first.assign(count, 0);
  kept_.known.resize(count);
  kept_.learnt.assign(count, true);
}

/// All units have done all there is; no signal is under way.
void Synchroniser::pass_all(State& state) const {
  for (auto& clock : state.clocks) {
    for (int u = 0; u < units_; ++u) clock[u] = state.next[u] - 1;
  }
  state.learnt.assign(state.clocks.size(), true);
  state.semaphores.clear();
  state.taken = 0;
}

void Synchroniser::fence() {
  pass_all(kept_);
  kept_.first = kept_.next;
  for (auto& known : kept_.known) known = {};
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
  const auto& [since, clocks] = state.known[unit];
  const std::ptrdiff_t clock = std::ranges::upper_bound(since, position) - since.begin() - 1;
  return Known(clocks).subspan(static_cast<std::size_t>(clock * units_), static_cast<std::size_t>(units_));
}

void Synchroniser::see(int unit, int other, std::int64_t position, Known known) {
  Clock& clock = state_.clocks[unit];
  for (int u = 0; u < units_; ++u) clock[u] = std::max(clock[u], known[u]);
  clock[other] = std::max(clock[other], position);
  state_.learnt[unit] = true;
}

std::int64_t Synchroniser::place_next(int unit) {
  if (state_.learnt[unit]) {
    auto& [since, clocks] = state_.known[unit];
    since.push_back(state_.next[unit]);
    clocks.insert(clocks.end(), state_.clocks[unit].begin(), state_.clocks[unit].end());
    state_.learnt[unit] = false;
  }
  return state_.next[unit]++;
}

namespace {

/// What stands before the operation at a place of the list's order.
struct Inserted {
  std::uint32_t place = 0;
  OrderedOp op;
};

/// Appends the list's operations in order, before each of them the signals and then the waits that stand there.
void weave(const OpList& list, const std::vector<std::uint32_t>& order, const std::vector<Inserted>& waits,
           std::vector<Inserted> signals, std::vector<OrderedOp>& to) {
  std::ranges::stable_sort(signals, {}, &Inserted::place);
  auto wait = waits.begin();
  auto signal = signals.cbegin();
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    for (; signal != signals.cend() && signal->place == place; ++signal) to.push_back(signal->op);
    for (; wait != waits.end() && wait->place == place; ++wait) to.push_back(wait->op);
    to.push_back({OrderedOp::Kind::operation, list.ops[order[place]].unit, -1, order[place]});
  }
}

/// By place in the order: where the unit's next operation stands.
std::vector<std::uint32_t> next_of_units(const OpList& list, const std::vector<std::uint32_t>& order, int units) {
  const auto end = static_cast<std::uint32_t>(order.size());
  std::vector<std::uint32_t> next(order.size()), newest(static_cast<std::size_t>(units), end);
  for (std::uint32_t place = end; place-- > 0;) next[place] = std::exchange(newest[list.ops[order[place]].unit], place);
  return next;
}

}  // namespace

Synchroniser::Added Synchroniser::add(const OpList& list, const std::vector<std::uint32_t>& order,
                                      const Predecessors& earlier, std::optional<std::size_t> fence) {
  const auto units = static_cast<std::size_t>(units_);
  state_ = {kept_.clocks,     kept_.next, kept_.next, std::vector<Knowledge>(units), std::vector<bool>(units, true),
            kept_.semaphores, kept_.taken};
  Added added;
  added.positions.resize(list.ops.size());
  std::vector<Inserted> waits, signals;
  const std::vector<std::uint32_t> next = next_of_units(list, order, units_);
  std::vector<OrderedOp> first;  // signals of units that have done nothing in the list before
  std::vector<std::uint32_t> place_of(list.ops.size());
  std::vector<Needed> needed(static_cast<std::size_t>(units_));
  std::vector<int> others;  // units of which something is needed
  BufferHistory history(list);
  for (std::uint32_t turn = 0; turn < order.size(); ++turn) {
    if (turn == fence) {
      waits.push_back({turn, {OrderedOp::Kind::fence, -1, -1, 0}});
      pass_all(state_);
    }
    const std::uint32_t op = order[turn];
    place_of[op] = turn;
    const int unit = list.ops[op].unit;
    const auto need = [&](int other, std::int64_t position, std::int64_t index) {
      if (other == unit || position <= state_.clocks[unit][other]) return;
      Needed& last = needed[other];
      if (last.position < 0) others.push_back(other);
      if (position > last.position) last = {position, index};
    };
    history.dependences(list.ops[op], [&](std::int64_t p) { need(list.ops[p].unit, added.positions[p], p); });
    if (!fence) {
      for (const auto& [other, position] : earlier.of(op)) need(other, position, -1);
    }
    std::ranges::sort(others);
    for (const int other : others) {
      const Needed& last = needed[other];
      if (last.position <= state_.clocks[unit][other]) continue;
      // An operation of a list further back is done when the unit begins the list before.
      const bool idle = last.op < 0 && kept_.next[other] == kept_.first[other];
      const std::int64_t place = last.op >= 0 ? last.position
                                 : idle       ? kept_.next[other] - 1
                                              : std::max(last.position, kept_.first[other]);
      const Known known = idle ? Known(kept_.clocks[other]) : at(last.op >= 0 ? state_ : kept_, other, place);
      const int semaphore = number(other, unit, known);
      if (semaphore < 0) {
        waits.push_back({turn, {OrderedOp::Kind::fence, -1, -1, 0}});
        pass_all(state_);
        break;
      }
      waits.push_back({turn, {OrderedOp::Kind::wait, unit, semaphore, 0}});
      added.across += last.op < 0 ? 1 : 0;
      if (last.op >= 0) {
        signals.push_back({std::min(next[place_of[last.op]], turn), {OrderedOp::Kind::signal, other, semaphore, 0}});
      } else if (idle) {
        first.push_back({OrderedOp::Kind::signal, other, semaphore, 0});
      } else {
        added.late.push_back({other, place - kept_.first[other], semaphore});
      }
      see(unit, other, place, known);
    }
    for (const int other : others) needed[other] = {};
    others.clear();
    added.positions[op] = place_next(unit);
    history.record(list.ops[op], op);
  }
  added.order.insert(added.order.end(), first.begin(), first.end());
  weave(list, order, waits, std::move(signals), added.order);
  return added;
}

}  // namespace accord
