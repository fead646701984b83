#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

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
    std::set<int> targets = {place_of(route.target)};
    for (const int also : route.also) targets.insert(place_of(also));
    const int from = place_of(route.source);
    targets.erase(from);
    if (from < 0 || targets.contains(-1)) return;
    if (targets.size() == 1) {
      append(route, search(from), *targets.begin());
    } else {
      find_tree(route, from, targets);
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

  /// The links of a tree to all targets: the one that lies nearest to what the tree reaches comes next (Takahashi and
  /// Matsuyama, An approximate solution for the Steiner problem in graphs, 1980).
  void find_tree(Route& route, int from, std::set<int> targets) {
    std::vector<int> reached = {from};
    while (!targets.empty()) {
      std::map<int, int> arrived_over;
      const int to = nearest(reached, targets, arrived_over);
      if (to < 0) {
        route.links.clear();
        route.backward.clear();
        return;
      }
      for (const int place : append(route, arrived_over, to)) {
        reached.push_back(place);
        targets.erase(place);
      }
    }
  }

  /// The first of the targets that a breadth-first search from all those places meets, and the links it came over; -1:
  /// none.
  int nearest(const std::vector<int>& reached, const std::set<int>& targets, std::map<int, int>& arrived_over) const {
    std::deque<int> waiting(reached.begin(), reached.end());
    for (const int place : reached) arrived_over.emplace(place, -1);
    while (!waiting.empty()) {
      const int at = waiting.front();
      waiting.pop_front();
      if (targets.contains(at)) return at;
      const auto [first, last] = boost::out_edges(static_cast<std::size_t>(at), graph_);
      for (auto edge = first; edge != last; ++edge) {
        const int next = static_cast<int>(boost::target(*edge, graph_));
        if (arrived_over.emplace(next, graph_[*edge]).second) waiting.push_back(next);
      }
    }
    return -1;
  }

  /// Appends the way that leads to a place, from where no link leads further back. The places that it reaches.
  template <typename Over>
  std::vector<int> append(Route& route, const Over& arrived_over, int to) const {
    std::vector<int> places, links;
    std::vector<bool> backward;
    int at = to;
    for (int link = over(arrived_over, at); link >= 0; link = over(arrived_over, at)) {
      links.push_back(link);
      backward.push_back(places_.at(end(link, 0)) == at);
      places.push_back(at);
      at = places_.at(end(link, backward.back() ? 1 : 0));
    }
    route.links.insert(route.links.end(), links.rbegin(), links.rend());
    route.backward.insert(route.backward.end(), backward.rbegin(), backward.rend());
    return places;
  }

  static int over(const std::vector<int>& links, int place) { return links[static_cast<std::size_t>(place)]; }
  static int over(const std::map<int, int>& links, int place) { return links.at(place); }

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
