#pragma once

#include "simulator/time/dependence_graph.h"

namespace accord::sim {

/// When each node of a graph happens at the given rates; at the graph's own ones, when it did. Everything is served in
/// the order in which it was in the recorded run.
std::vector<Cycle> schedule(const DependenceGraph& graph, const Rates& rates);

}  // namespace accord::sim
