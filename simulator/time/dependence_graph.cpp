#include "simulator/time/dependence_graph.h"

#include <algorithm>

namespace accord::sim {

std::uint32_t DependenceGraph::stored(std::int64_t amount) {
  if (amount >= 0 && amount < large_from) return static_cast<std::uint32_t>(amount);
  // A delay that is taken off comes again and again.
  const auto known =
      std::find(large_.rbegin(), large_.rbegin() + std::min<std::ptrdiff_t>(64, std::ssize(large_)), amount);
  if (known != large_.rend() && *known == amount)
    return large_from + static_cast<std::uint32_t>(large_.rend() - known - 1);
  large_.push_back(amount);
  return large_from + static_cast<std::uint32_t>(large_.size() - 1);
}

std::uint32_t DependenceGraph::push(const Node& node) {
  if (nodes_.size() >= most_nodes) {
    overflowed_ = true;
    recording_ = false;
    nodes_ = {};
    owners_ = {};
    return 0;
  }
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t DependenceGraph::add(std::uint64_t a, const Delay& delay, std::uint64_t b, Node::Kind kind) {
  return push({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), stored(delay.amount),
               static_cast<std::uint16_t>(delay.component), delay.cause, kind});
}

Time DependenceGraph::join(Time a, Time b) {
  // What is the run's begin is never later.
  if (b.node == 0 && b.at == 0) return a;
  if (a.node == 0 && a.at == 0) return b;
  return Time(std::max(a.at, b.at), add(a.node, {Cause::fixed, 0, 0}, b.node));
}

std::uint32_t DependenceGraph::number_of(Timeline& timeline) {
  if (timeline.number < 0) {
    timeline.number = static_cast<int>(last_served_.size());
    last_served_.push_back({0, unknown, timeline.own()});
  }
  return static_cast<std::uint32_t>(timeline.number);
}

TimeSlot DependenceGraph::add_slot(Node::Kind kind, Timeline& timeline, std::uint64_t from, const Delay& delay,
                                   std::uint64_t until, const Timeline::Slot& slot) {
  const std::uint32_t number = number_of(timeline);
  const auto component = static_cast<std::uint16_t>(delay.component);
  const std::uint32_t first =
      push({static_cast<std::uint32_t>(from), number, stored(delay.amount), component, delay.cause, kind});
  Served& served = last_served_[number];
  // Parts of one cycle may belong to both.
  const Cycle shared = served.end - slot.first;
  const std::uint32_t before = shared == 0 || (shared == 1 && timeline.own().denominator > 1) ? served.node : 0;
  const std::uint32_t end =
      push({before, static_cast<std::uint32_t>(until), 0, component, delay.cause, Node::Kind::slot_end});
  if (slot.end >= served.end) {
    served.node = end;
    served.end = slot.end;
  }
  return {Time(slot.first, first), Time(slot.end, end)};
}

void DependenceGraph::hold(Timeline& timeline, Time from, Time until) {
  const Cycle cycles = std::max<Cycle>(0, until.at - from.at);
  const Timeline::Slot slot = timeline.reserve(from.at, cycles);
  if (recording_) add_slot(Node::Kind::held, timeline, from.node, {Cause::fixed, 0, 0}, until.node, slot);
}

Time DependenceGraph::next_free(Timeline& timeline) {
  if (!recording_) return Time(timeline.end());
  const std::uint32_t number = number_of(timeline);
  return Time(timeline.end(), push({last_served_[number].node, number, 0, 0, Cause::fixed, Node::Kind::next_free}));
}

const DependenceGraph::Owner* DependenceGraph::owner(std::uint32_t node) const {
  const auto after = std::ranges::upper_bound(owners_, node, {}, &Owner::first);
  return after == owners_.begin() ? nullptr : &*(after - 1);
}

}  // namespace accord::sim
