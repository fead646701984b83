#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace accord {

/// A loop body to be overlapped with itself.
struct LoopProblem {
  struct Op {
    int unit = 0;
    std::int32_t busy = 1;  ///< cycles until its unit takes another one
  };
  /// `to` of the turn `distance` later begins at least `delay` cycles after `from`.
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int32_t delay = 0;
    std::int32_t distance = 0;
  };
  std::vector<Op> ops;      ///< in an order that is right one after another
  std::vector<Edge> edges;  ///< those of distance 0 lead forward
  int units = 0;
  int issue_width = 1;     ///< operations that may begin in one cycle
  int issue_interval = 1;  ///< cycles, in any so many of which no more begin
};

/// When each operation of turn 0 begins; turn i begins i * interval later. Starts are from 0 on.
struct ModuloSchedule {
  std::int32_t interval = 0;
  std::vector<std::int32_t> start;
};

/// Least interval that units and issue slots allow, whatever the dependences.
std::int32_t least_interval(const LoopProblem& problem);

/// Overlaps the turns of a loop: an interval at or near the least, from turn to turn the same (modulo scheduling; Rau,
/// 1994). The busiest unit's operations go first, without gaps, or those of one nearly as busy; what they need as late
/// as possible, so that registers are held briefly (after Llosa's swing modulo scheduling, 1996); the rest as early as
/// possible. Nothing where no interval up to a quarter above the least succeeds.
std::optional<ModuloSchedule> modulo_schedule(const LoopProblem& problem);

}  // namespace accord
