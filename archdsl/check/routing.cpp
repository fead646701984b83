#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <map>
#include <string>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

/// Links with ends, as a graph of places: memories, elements, instances. A memory that is no end itself lies at the
/// nearest element or instance around it that is one.
class Network {
 public:
  explicit Network(const Architecture& architecture) : architecture_(architecture) {
    for (std::size_t l = 0; l < architecture.links.size(); ++l) {
      const Link& link = architecture.links[l];
      if (link.between.size() != 2 || link.between[0].empty() || link.between[1].empty()) continue;
      const auto a = place(link.between[0]), b = place(link.between[1]);
      boost::add_edge(a, b, static_cast<int>(l), graph_);
    }
  }

  bool empty() const { return places_.empty(); }

  /// Says of each link of a route that names its own in which direction it is passed.
  void orient(Route& route) const {
    const int from = place_of(route.source);
    std::string at = from < 0 ? "" : names_[static_cast<std::size_t>(from)];
    for (const int link : route.links) {
      const auto& ends = architecture_.links[static_cast<std::size_t>(link)].between;
      const bool backward = ends.size() == 2 && at == ends[1];
      route.backward.push_back(backward);
      if (ends.size() == 2) at = ends[backward ? 0 : 1];
    }
  }

  /// The fewest links from one memory to another; ties go to those declared first. Empty where there is no way.
  void find(Route& route) {
    const int from = place_of(route.source), to = place_of(route.target);
    if (from < 0 || to < 0 || from == to) return;
    const std::vector<int>& arrived_over = search(from);
    for (int at = to; at != from;) {
      const int link = arrived_over[static_cast<std::size_t>(at)];
      if (link < 0) {
        route.links.clear();
        route.backward.clear();
        return;
      }
      const bool backward = places_.at(end(link, 0)) == at;
      route.links.insert(route.links.begin(), link);
      route.backward.insert(route.backward.begin(), backward);
      at = places_.at(end(link, backward ? 1 : 0));
    }
  }

 private:
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, int>;

  const std::string& end(int link, std::size_t which) const {
    return architecture_.links[static_cast<std::size_t>(link)].between[which];
  }

  std::size_t place(const std::string& name) {
    const auto [known, fresh] = places_.emplace(name, static_cast<int>(places_.size()));
    if (fresh) {
      boost::add_vertex(graph_);
      names_.push_back(name);
    }
    return static_cast<std::size_t>(known->second);
  }

  int place_of(int memory) const {
    std::string name = architecture_.memories[static_cast<std::size_t>(memory)].name;
    while (true) {
      const auto found = places_.find(name);
      if (found != places_.end()) return found->second;
      const std::size_t dot = name.rfind('.');
      if (dot == std::string::npos) return -1;
      name.resize(dot);
    }
  }

  /// Per place the link over which a breadth-first search first reaches it.
  const std::vector<int>& search(int from) {
    const auto [known, fresh] = searches_.emplace(from, std::vector<int>());
    if (!fresh) return known->second;
    std::vector<int>& over = known->second;
    over.assign(places_.size(), -1);
    struct Visitor : boost::default_bfs_visitor {
      std::vector<int>* over;
      void tree_edge(const Graph::edge_descriptor& edge, const Graph& graph) const {
        (*over)[boost::target(edge, graph)] = graph[edge];
      }
    } visitor;
    visitor.over = &over;
    boost::breadth_first_search(graph_, boost::vertex(static_cast<std::size_t>(from), graph_), boost::visitor(visitor));
    return over;
  }

  const Architecture& architecture_;
  std::map<std::string, int> places_;
  std::vector<std::string> names_;  ///< by place
  Graph graph_;
  std::map<int, std::vector<int>> searches_;
};

/// Data wait for the synchroniser of each domain that they enter.
std::int64_t crossing_of(const Architecture& architecture, const Route& route) {
  std::int64_t cycles = 0;
  int domain = architecture.memories[static_cast<std::size_t>(route.source)].clock;
  const auto enter = [&](int next) {
    const ClockDomain& clock = architecture.clocks[static_cast<std::size_t>(next)];
    if (next != domain) cycles += clock.period.cycles(clock.crossing);
    domain = next;
  };
  for (const int link : route.links) enter(architecture.links[static_cast<std::size_t>(link)].clock);
  enter(architecture.memories[static_cast<std::size_t>(route.target)].clock);
  return cycles;
}

}  // namespace

void route_over_links(Elaboration& elaboration) {
  Architecture& architecture = elaboration.architecture;
  Network network(architecture);
  for (Unit& unit : architecture.units) {
    for (Route& route : unit.routes) {
      if (route.source < 0 || route.target < 0) continue;
      if (!route.links.empty()) {
        network.orient(route);
      } else if (!network.empty()) {
        network.find(route);
      }
      route.crossing = crossing_of(architecture, route);
    }
    if (unit.link < 0 && !unit.routes.empty() && !unit.routes[0].links.empty()) unit.link = unit.routes[0].links[0];
  }
}

}  // namespace accord
