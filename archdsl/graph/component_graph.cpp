#include "archdsl/graph/component_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <cstddef>
#include <limits>
#include <utility>

#include "archdsl/graph/rates.h"

namespace accord {

namespace {

struct Edge {
  Hop hop;
  double width = 0;        ///< bytes per cycle
  std::size_t others = 0;  ///< memories that it reaches besides
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Edge>;

Graph build(const Architecture& architecture, const std::function<bool(const Hop&)>& drivable) {
  Graph graph(architecture.memories.size());
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const auto& routes = architecture.units[u].routes;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      if (routes[r].gather) continue;  // needs a list of indices, which a path cannot know
      const Hop hop{static_cast<int>(u), static_cast<int>(r)};
      if (drivable && !drivable(hop)) continue;
      const Edge edge = {hop, bytes_per_cycle(architecture, routes[r]), routes[r].also.size()};
      const auto source = static_cast<std::size_t>(routes[r].source);
      boost::add_edge(source, static_cast<std::size_t>(routes[r].target), edge, graph);
      for (const int also : routes[r].also) boost::add_edge(source, static_cast<std::size_t>(also), edge, graph);
    }
  }
  return graph;
}

struct Best {
  std::vector<Hop> hops;
  double width = std::numeric_limits<double>::max();  ///< of the narrowest hop
  std::size_t others = 0;
};

bool earlier(const std::vector<Hop>& a, const std::vector<Hop>& b) {
  const auto order = [](const Hop& x, const Hop& y) { return std::pair(x.unit, x.route) < std::pair(y.unit, y.route); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), order);
}

bool better(const Best& a, const Best& b) {
  if (a.others != b.others) return a.others < b.others;
  return a.width != b.width ? a.width > b.width : earlier(a.hops, b.hops);
}

/// Best path from `source` to every memory; an empty path to another memory means that there is none.
std::vector<Best> paths_from(const Graph& graph, std::size_t source) {
  constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> distance(boost::num_vertices(graph), unreached);
  std::vector<std::size_t> order;
  distance[source] = 0;
  struct Visitor : boost::default_bfs_visitor {
    explicit Visitor(std::vector<std::size_t>& o, std::vector<std::size_t>& d) : order(o), distance(d) {}
    void discover_vertex(std::size_t v, const Graph&) { order.push_back(v); }
    void tree_edge(Graph::edge_descriptor e, const Graph& g) {
      distance[boost::target(e, g)] = distance[boost::source(e, g)] + 1;
    }
    std::vector<std::size_t>& order;
    std::vector<std::size_t>& distance;
  };
  boost::breadth_first_search(graph, source, boost::visitor(Visitor(order, distance)));
  std::vector<Best> best(boost::num_vertices(graph));
  for (const std::size_t from : order) {
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(from, graph))) {
      const std::size_t to = boost::target(edge, graph);
      if (distance[to] != distance[from] + 1) continue;
      Best candidate{best[from].hops, std::min(best[from].width, graph[edge].width),
                     best[from].others + graph[edge].others};
      candidate.hops.push_back(graph[edge].hop);
      if (best[to].hops.empty() || better(candidate, best[to])) best[to] = std::move(candidate);
    }
  }
  return best;
}

}  // namespace

struct ComponentGraph::Impl {
  Impl(const Architecture& architecture, const std::function<bool(const Hop&)>& drivable)
      : graph(build(architecture, drivable)), known(architecture.memories.size()) {}
  const Graph graph;
  std::vector<std::vector<Best>> known;  ///< by source, by target; empty: not asked for yet
};

ComponentGraph::ComponentGraph(const Architecture& architecture, const std::function<bool(const Hop&)>& drivable)
    : impl_(std::make_unique<Impl>(architecture, drivable)) {}

ComponentGraph::~ComponentGraph() = default;
ComponentGraph::ComponentGraph(ComponentGraph&&) noexcept = default;
ComponentGraph& ComponentGraph::operator=(ComponentGraph&&) noexcept = default;

std::vector<Hop> ComponentGraph::path(int source, int target) const {
  if (source == target) return {};
  auto& from = impl_->known.at(static_cast<std::size_t>(source));
  if (from.empty()) from = paths_from(impl_->graph, static_cast<std::size_t>(source));
  return from.at(static_cast<std::size_t>(target)).hops;
}

bool ComponentGraph::reachable(int source, int target) const {
  return source == target || !path(source, target).empty();
}

}  // namespace accord
