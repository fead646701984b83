#include "simulator/time/schedule.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace accord::sim {
namespace {

/// Where something has more places than in the recorded run: who left the one that is taken.
class MorePlaces {
 public:
  MorePlaces(const DependenceGraph& graph, const Rates& rates) : recorded_(graph.rates()), rates_(rates) {}

  /// With n places more, the one that was taken n times before: of those taken meanwhile none need be waited for.
  std::uint32_t left(const DependenceGraph::Node& node) {
    const std::int64_t more = rates_.places(node.cause, node.component) - recorded_.places(node.cause, node.component);
    if (more == 0) return node.b;
    std::deque<std::uint32_t>& left = left_[{node.cause, node.component}];
    left.push_back(node.b);
    if (std::ssize(left) <= more) return 0;
    const std::uint32_t before = left.front();
    left.pop_front();
    return before;
  }

 private:
  const Rates& recorded_;
  const Rates& rates_;
  std::map<std::pair<Cause, std::uint16_t>, std::deque<std::uint32_t>> left_;
};

std::vector<Timeline> timelines_of(const DependenceGraph& graph) {
  std::vector<Timeline> timelines;
  for (std::size_t t = 0; t < graph.timelines(); ++t) timelines.emplace_back(graph.own(t));
  return timelines;
}

/// Timelines with another beside each, which takes half of what comes where there are twins.
class Servers {
 public:
  Servers(const DependenceGraph& graph, const Rates& rates)
      : graph_(graph), rates_(rates), first_(timelines_of(graph)), second_(first_) {}

  Timeline::Slot serve(const DependenceGraph::Node& node, Cycle earliest) {
    const std::int64_t all = graph_.amount(node);
    if (!rates_.twins(node.cause, node.component)) return reserve(first_[node.b], node, all, earliest);
    Timeline *sooner = &first_[node.b], *later = &second_[node.b];
    if (later->last_part() < sooner->last_part()) std::swap(sooner, later);
    const Timeline::Slot more = reserve(*sooner, node, all - all / 2, earliest);
    if (all < 2) return more;
    const Timeline::Slot less = reserve(*later, node, all / 2, earliest);
    return {std::min(more.first, less.first), std::max(more.end, less.end)};
  }
  Timeline& of(std::uint32_t timeline) { return first_[timeline]; }

 private:
  Timeline::Slot reserve(Timeline& timeline, const DependenceGraph::Node& node, std::int64_t amount, Cycle earliest) {
    return timeline.reserve(earliest, graph_.length(node, rates_, amount));
  }

  const DependenceGraph& graph_;
  const Rates& rates_;
  std::vector<Timeline> first_, second_;
};

}  // namespace

std::vector<Cycle> schedule(const DependenceGraph& graph, const Rates& rates) {
  using Kind = DependenceGraph::Node::Kind;
  const auto& nodes = graph.nodes();
  std::vector<Cycle> times(nodes.size(), 0);
  Servers servers(graph, rates);
  const auto take = [&](std::size_t i, const Timeline::Slot& slot) {
    times[i] = slot.first;
    times[i + 1] = slot.end;
  };
  MorePlaces places(graph, rates);
  const auto after = [&](const DependenceGraph::Node& node) { return times[node.a] + graph.delay(node, rates); };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const DependenceGraph::Node& node = nodes[i];
    switch (node.kind) {
      case Kind::join: times[i] = std::max(after(node), times[node.b]); break;
      case Kind::placed: times[i] = std::max(after(node), times[places.left(node)]); break;
      case Kind::reserved: take(i, servers.serve(node, times[node.a])); break;
      case Kind::held: {
        const Cycle cycles = std::max<Cycle>(0, times[nodes[i + 1].b] - times[node.a]);
        take(i, servers.of(node.b).reserve(times[node.a], cycles));
        break;
      }
      case Kind::slot_end: break;
      case Kind::next_free: times[i] = servers.of(node.b).end(); break;
    }
  }
  return times;
}

}  // namespace accord::sim
