#pragma once

#include "simulator/time/dependence_graph.h"

namespace accord::sim {

/// A stretch of the critical path. Stretches follow one another without gap or overlap.
struct CriticalStretch {
  Cycle from = 0, to = 0;
  Cause cause = Cause::fixed;
  int component = 0;     ///< of the cause
  bool waiting = false;  ///< for ports or a link that served others, none of which ended right then
  int unit = -1;         ///< whose operation; -1: the controller
  std::int64_t instruction = -1;
};

/// What the end of the run followed from, back to its begin, ascending. `times` are the graph's own (schedule).
std::vector<CriticalStretch> critical_path(const DependenceGraph& graph, const std::vector<Cycle>& times);

}  // namespace accord::sim
