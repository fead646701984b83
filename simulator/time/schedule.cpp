#include "simulator/time/schedule.h"

#include <algorithm>

namespace accord::sim {

std::vector<Cycle> schedule(const DependenceGraph& graph, const Rates& rates) {
  using Kind = DependenceGraph::Node::Kind;
  const auto& nodes = graph.nodes();
  std::vector<Cycle> times(nodes.size(), 0);
  std::vector<Timeline> timelines;
  for (std::size_t t = 0; t < graph.timelines(); ++t) timelines.emplace_back(graph.own(t));
  const auto serve = [&](std::size_t i, std::int64_t length) {
    const Timeline::Slot slot = timelines[nodes[i].b].reserve(times[nodes[i].a], length);
    times[i] = slot.first;
    times[i + 1] = slot.end;
  };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const DependenceGraph::Node& node = nodes[i];
    switch (node.kind) {
      case Kind::join:
        times[i] = std::max(times[node.a] + (node.amount == 0 ? 0 : graph.delay(node, rates)), times[node.b]);
        break;
      case Kind::reserved: serve(i, graph.length(node, rates)); break;
      case Kind::held: serve(i, std::max<Cycle>(0, times[nodes[i + 1].b] - times[node.a])); break;
      case Kind::slot_end: break;
      case Kind::next_free: times[i] = timelines[node.b].end(); break;
    }
  }
  return times;
}

}  // namespace accord::sim
