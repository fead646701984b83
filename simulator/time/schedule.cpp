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

/// Those of the run; or each with two of what serves for every one, which take half as long together.
std::vector<Timeline> timelines_of(const DependenceGraph& graph, int servers) {
  std::vector<Timeline> timelines;
  for (std::size_t t = 0; t < graph.timelines(); ++t) {
    const Period& own = graph.own(t);
    timelines.emplace_back(Period{own.numerator, own.denominator * servers});
  }
  return timelines;
}

class Servers {
 public:
  Servers(const DependenceGraph& graph, const Rates& rates)
      : graph_(graph), rates_(rates), single_(timelines_of(graph, 1)), twins_(timelines_of(graph, 2)) {}

  Timeline::Slot serve(const DependenceGraph::Node& node, Cycle earliest) {
    const std::int64_t length = graph_.length(node, rates_, graph_.amount(node));
    const Timeline::Slot slot = of(node).reserve(earliest, length);
    return is_one_of_twins(node) ? whole_cycles(node, earliest, slot) : slot;
  }
  Timeline& of(const DependenceGraph::Node& node) {
    return (rates_.twins(node.cause, node.component) ? twins_ : single_)[node.b];
  }

 private:
  /// Whether one server becomes two that take more than a cycle for each: several have that in their nodes.
  bool is_one_of_twins(const DependenceGraph::Node& node) const {
    return rates_.twins(node.cause, node.component) && rates_.cycles(node.cause, node.component, 1) > 1 &&
           graph_.own(node.b).denominator == rates_.period(node.cause, node.component).denominator;
  }
  /// Each takes its half from one moment on, not twice as quickly.
  Timeline::Slot whole_cycles(const DependenceGraph::Node& node, Cycle earliest, const Timeline::Slot& slot) const {
    const Cycle least = graph_.delay(node, rates_), end = std::max(slot.end, earliest + least);
    return {std::max(earliest, end - least), end};
  }

  const DependenceGraph& graph_;
  const Rates& rates_;
  std::vector<Timeline> single_, twins_;
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
        take(i, servers.of(node).reserve(times[node.a], cycles));
        break;
      }
      case Kind::slot_end: break;
      case Kind::next_free: times[i] = servers.of(node).end(); break;
    }
  }
  return times;
}

}  // namespace accord::sim
