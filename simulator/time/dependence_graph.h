#pragma once

#include <algorithm>
#include <vector>

#include "simulator/time/rates.h"
#include "simulator/time/timeline.h"

namespace accord::sim {

/// What the times of a run follow from, recorded while it goes: each is the later of two earlier ones, the first with a
/// delay, or what a timeline gave. Evaluated anew with other delays (Weights) it says what the run would have taken,
/// every decision of order being as it was; walked back from the end it gives the critical path.
///
/// Switched off, it is plain arithmetic.
class DependenceGraph {
 public:
  /// Nodes that are kept at most (16 bytes each); recording stops beyond.
  static constexpr std::uint32_t most_nodes = 96'000'000;

  struct Node {
    enum class Kind : std::uint8_t {
      join,      ///< max(a + delay, b)
      placed,    ///< the same, `b` being when a place became free; in the order in which places are taken
      reserved,  ///< first cycle that timeline `b` gave from `a` on for the delay; the next node belongs to it
      slot_end,  ///< its last cycle; `a`: end of what the timeline served before, where that was adjacent
      held,      ///< as `reserved`, the cycles from `a` to the next node's `b`
      next_free  ///< end of timeline `b`; `a`: of what it served until then
    };
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t amount = 0;  ///< of the delay; from 2^31 on an index into `large`
    std::uint16_t component = 0;
    Cause cause = Cause::fixed;
    Kind kind = Kind::join;
  };
  /// On whose behalf nodes from `first` on were recorded.
  struct Owner {
    std::uint32_t first;
    int unit;  ///< -1: the controller
    std::int64_t instruction;
  };

  void record() {
    recording_ = true;
    nodes_.emplace_back();
  }
  bool recording() const { return recording_; }
  /// Recording stopped for want of space: nothing follows from this graph.
  bool overflowed() const { return overflowed_; }

  void work_for(int unit, std::int64_t instruction) {
    if (!recording_) return;
    if (!owners_.empty() && owners_.back().unit == unit && owners_.back().instruction == instruction) return;
    owners_.push_back({static_cast<std::uint32_t>(nodes_.size()), unit, instruction});
  }

  Time after(Time time, const Delay& delay) {
    if (!recording_ || delay.amount == 0) return Time(time.at + delay.cycles, time.node);
    // What is taken off may lead to before the run's begin, which the node is never earlier than.
    return Time(std::max<Cycle>(time.at + delay.cycles, 0), add(time.node, delay, 0));
  }
  Time later(Time a, Time b) {
    if (!recording_ || a.node == b.node) return a.at >= b.at ? a : b;
    return join(a, b);
  }
  /// The later of `a` + delay and `b`.
  Time later_after(Time a, const Delay& delay, Time b) {
    const Cycle at = a.at + delay.cycles;
    if (!recording_) return Time(at >= b.at ? at : b.at);
    return Time(at >= b.at ? at : b.at, add(a.node, delay, b.node));
  }
  /// The same where `b` is when the place became free that is taken now: one of those (Rate::places) of the delay's
  /// cause and component. To be asked for every time that one is taken.
  Time later_in_place(Time a, const Delay& delay, Time b) {
    const Cycle at = std::max(a.at + delay.cycles, b.at);
    return recording_ ? Time(at, add(a.node, delay, b.node, Node::Kind::placed)) : Time(at);
  }
  /// `cause`, or some time after it that nothing recorded explains.
  Time no_earlier(Time cause, Cycle at) {
    if (cause.at >= at) return cause;
    return after(cause, {Cause::fixed, 0, at - cause.at});
  }
  /// A moment that SystemC, not an earlier time, gave.
  Time moment(Cycle at) { return no_earlier(Time(), at); }

  TimeSlot reserve(Timeline& timeline, Time earliest, const Delay& delay) {
    return reserve(timeline, earliest, delay, delay.cycles);
  }
  /// The same of a timeline that counts in parts: so many.
  TimeSlot reserve(Timeline& timeline, Time earliest, const Delay& delay, std::int64_t parts) {
    const Timeline::Slot slot = timeline.reserve(earliest.at, parts);
    if (!recording_) return {Time(slot.first), Time(slot.end)};
    return add_slot(Node::Kind::reserved, timeline, earliest.node, delay, 0, slot);
  }
  /// Keeps the timeline from `from` to `until`.
  void hold(Timeline& timeline, Time from, Time until);
  Time next_free(Timeline& timeline);

  /// The run ends then.
  void end_at(Time time) { end_ = static_cast<std::uint32_t>(time.node); }
  std::uint32_t end() const { return end_; }

  /// Those of the machine that runs.
  Rates& rates() { return rates_; }
  const Rates& rates() const { return rates_; }

  const std::vector<Node>& nodes() const { return nodes_; }
  std::int64_t amount(const Node& node) const {
    return node.amount < large_from ? node.amount : large_[node.amount - large_from];
  }
  Cycle delay(const Node& node, const Rates& rates) const {
    if (node.amount == 0) return 0;
    const std::int64_t all = amount(node);
    const bool halves = rates.twins(node.cause, node.component);
    return rates.cycles(node.cause, node.component, halves ? (all + (all > 0 ? 1 : -1)) / 2 : all);
  }
  /// What a reservation of so much takes of its timeline.
  std::int64_t length(const Node& node, const Rates& rates, std::int64_t amount) const {
    if (amount == 0) return 0;
    return own(node.b).denominator == 1 ? rates.cycles(node.cause, node.component, amount)
                                        : rates.parts(node.cause, node.component, amount);
  }
  /// That in cycles.
  Cycle served(const Node& node, const Rates& rates) const {
    const std::int64_t parts = own(node.b).denominator;
    return (length(node, rates, amount(node)) + parts - 1) / parts;
  }
  std::size_t timelines() const { return last_served_.size(); }
  const Period& own(std::size_t timeline) const { return last_served_[timeline].own; }
  /// nullptr: nobody's.
  const Owner* owner(std::uint32_t node) const;

 private:
  static constexpr std::uint32_t large_from = std::uint32_t{1} << 31;
  struct Served {
    std::uint32_t node = 0;
    Cycle end = unknown;
    Period own{};
  };

  Time join(Time a, Time b);
  std::uint32_t add(std::uint64_t a, const Delay& delay, std::uint64_t b, Node::Kind kind = Node::Kind::join);
  TimeSlot add_slot(Node::Kind kind, Timeline& timeline, std::uint64_t from, const Delay& delay, std::uint64_t until,
                    const Timeline::Slot& slot);
  std::uint32_t push(const Node& node);
  std::uint32_t stored(std::int64_t amount);
  std::uint32_t number_of(Timeline& timeline);

  bool recording_ = false;
  bool overflowed_ = false;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> large_;  ///< amounts that no node holds: negative, or from 2^31 on
  std::vector<Served> last_served_;  ///< by timeline
  std::vector<Owner> owners_;
  Rates rates_;
  std::uint32_t end_ = 0;
};

}  // namespace accord::sim
