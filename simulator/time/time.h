#pragma once

#include <cstdint>

namespace accord::sim {

using Cycle = std::int64_t;
constexpr Cycle unknown = -1;

/// What a stretch of a run is spent on. The component is a unit, memory, link or the controller, as the comment says.
enum class Cause : std::uint8_t {
  fixed,         ///< none of the others; no component
  setup,         ///< unit: of a mover's operation
  request,       ///< unit: one request after the other
  start,         ///< unit: from an operation's start to its first read
  interval,      ///< unit: reading
  drain,         ///< unit: from the last read to the end
  latency,       ///< memory: from a request's acceptance to its first word
  port,          ///< memory: words at its ports; the amount is words
  rows,          ///< memory: until DRAM's row is open, refreshes are over and the data bus is free
  beats,         ///< link: bytes at its rate; the amount is bytes
  link_latency,  ///< link
  crossing,      ///< unit: clock domain crossings on a mover's way
  issue,         ///< controller: groups of instructions
  dispatch,      ///< controller: from issue to the queue
  queue,         ///< unit: until its queue has a place; takes no time itself
  entries,       ///< controller: until the interlock has an entry; takes no time itself
  count
};

/// Cycles that something takes, and what they depend on.
struct Delay {
  Cause cause = Cause::fixed;
  int component = 0;
  Cycle cycles = 0;
  std::int64_t amount = 0;  ///< bytes, words or cycles: what the cause counts

  Delay(Cause what, int whose, Cycle length) : Delay(what, whose, length, length) {}
  Delay(Cause what, int whose, Cycle length, std::int64_t counted)
      : cause(what), component(whose), cycles(length), amount(counted) {}
  Delay operator-() const { return {cause, component, -cycles, -amount}; }
};

/// A moment of the run and, where the run is recorded, the node of the dependence graph that it is the time of. Reads
/// as a plain number of cycles; made from one only explicitly, since that forgets the cause.
struct Time {
  Cycle at = 0;
  /// 0: the begin of the run, or not recorded. As wide as `at`: what copies both would wait for a narrower store.
  std::uint64_t node = 0;

  constexpr Time() = default;
  constexpr explicit Time(Cycle cycle, std::uint64_t cause = 0) : at(cycle), node(cause) {}
  constexpr operator Cycle() const { return at; }
  /// std::max and the like would forget a cause: DependenceGraph::later keeps both.
  friend bool operator<(const Time&, const Time&) = delete;
  friend bool operator>(const Time&, const Time&) = delete;
};
constexpr Time not_known{unknown};

/// Cycles taken of something that serves one after the other.
struct TimeSlot {
  Time first;  ///< the first cycle taken
  Time end;    ///< one past the last
};

}  // namespace accord::sim
