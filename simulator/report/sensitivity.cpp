#include "simulator/report/sensitivity.h"

#include <algorithm>
#include <map>
#include <set>

#include "archdsl/graph/components.h"
#include "simulator/time/schedule.h"

namespace accord::sim {

namespace {

/// One thing about a machine that can be changed.
struct Change {
  const char* text;
  std::vector<Cause> causes;  ///< that it bears upon, of one component
  void (*apply)(Rate& rate);
};

void double_width(Rate& rate) { rate.width *= 2; }
void remove(Rate& rate) { rate.times = 0; }
void halve(Rate& rate) { rate.over *= 2; }
void double_servers(Rate& rate) { rate.twins = true; }
void double_places(Rate& rate) { rate.places *= 2; }
void halve_period(Rate& rate) { rate.period.numerator = (rate.period.numerator + 1) / 2; }

const Change changes[] = {
    {"twice as wide", {Cause::beats}, double_width},
    {"latency zero", {Cause::link_latency}, remove},
    {"latency zero", {Cause::latency}, remove},
    {"twice as many ports", {Cause::port}, double_servers},
    {"set-up zero", {Cause::setup}, remove},
    {"twice as many requests in flight", {Cause::request}, double_places},
    {"queue twice as long", {Cause::queue}, double_places},
    {"interval halved", {Cause::interval}, halve},
    {"start and drain zero", {Cause::start, Cause::drain}, remove},
    {"clock domain crossings zero", {Cause::crossing}, remove},
    {"issue interval halved", {Cause::issue}, halve_period},
    {"issue twice as wide", {Cause::issue}, double_width},
    {"latency zero", {Cause::dispatch}, remove},
    {"twice as many interlock entries", {Cause::entries}, double_places},
};

using Used = std::set<std::pair<Cause, int>>;
using Node = DependenceGraph::Node;

Used used_causes(const DependenceGraph& graph) {
  Used used;
  for (const Node& node : graph.nodes()) {
    if (node.amount != 0 || node.kind == Node::Kind::placed) used.emplace(node.cause, node.component);
  }
  return used;
}

/// Whose places anything waited for, at these times: more places change nothing of others.
Used short_of_places(const DependenceGraph& graph, const std::vector<Cycle>& times) {
  Used result;
  for (const Node& node : graph.nodes()) {
    if (node.kind != Node::Kind::placed) continue;
    if (times[node.b] > times[node.a] + graph.delay(node, graph.rates())) result.emplace(node.cause, node.component);
  }
  return result;
}

/// Components that the change bears upon, those of an array together, by the name that they have in common: a covenant
/// describes all of them at once.
std::map<std::string, std::set<int>> components(const RunState& run, const Used& used, const Change& change) {
  std::map<std::string, std::set<int>> result;
  for (const auto& [cause, component] : used) {
    if (std::ranges::find(change.causes, cause) == change.causes.end()) continue;
    result[without_indices(component_name(run, cause, component))].insert(component);
  }
  return result;
}

/// DRAM has no ports that could be faster.
bool concerns(const Change& change, const RunState& run, int component) {
  if (change.causes.front() != Cause::port) return true;
  return !run.architecture.memories[static_cast<std::size_t>(component)].dram;
}

/// False where the machine stays the same: an interval of one cycle has no half.
bool apply(const Change& change, const std::set<int>& components, Rates& rates) {
  bool changed = false;
  for (const int component : components) {
    for (const Cause cause : change.causes) {
      Rate& rate = rates.of(cause, component);
      const Rate before = rate;
      change.apply(rate);
      changed = changed || !(rate == before);
    }
  }
  return changed;
}

}  // namespace

std::string component_name(const RunState& run, Cause cause, int component) {
  const auto index = static_cast<std::size_t>(component);
  const Architecture& architecture = run.architecture;
  switch (cause) {
    case Cause::latency:
    case Cause::rows:
    case Cause::port: return architecture.memories[index].name;
    case Cause::beats:
    case Cause::link_latency:
      return index < architecture.links.size() ? architecture.links[index].name
                                               : run.wires[index - architecture.links.size()];
    case Cause::issue:
    case Cause::entries:
    case Cause::dispatch: return architecture.controller.name;
    case Cause::fixed:
    case Cause::count: return "-";
    default: return architecture.units[index].name;
  }
}

std::string resource_name(Cause cause) {
  switch (cause) {
    case Cause::fixed: return "other";
    case Cause::setup: return "set-up";
    case Cause::request: return "requests";
    case Cause::start: return "start";
    case Cause::interval: return "interval";
    case Cause::drain: return "drain";
    case Cause::latency:
    case Cause::link_latency:
    case Cause::dispatch: return "latency";
    case Cause::port: return "ports";
    case Cause::rows: return "rows and other bursts";
    case Cause::beats: return "rate";
    case Cause::crossing: return "clock domain crossings";
    case Cause::issue: return "issue";
    case Cause::queue: return "queue";
    case Cause::entries: return "entries";
    case Cause::count: break;
  }
  return "-";
}

std::vector<Explanation::Sensitivity> predict(const RunState& run, std::vector<Cycle> times) {
  const DependenceGraph& graph = run.graph;
  const Used used = used_causes(graph);
  const Used waited_for = short_of_places(graph, times);
  const Cycle recorded = times[graph.end()];
  times = {};  // each change's take as much
  std::vector<Explanation::Sensitivity> result;
  for (const Change& change : changes) {
    const Cause cause = change.causes.front();
    for (auto& [name, alike] : components(run, used, change)) {
      Rates rates = graph.rates();
      std::erase_if(alike, [&](int component) { return !concerns(change, run, component); });
      if (!apply(change, alike, rates)) continue;
      const bool waits = std::ranges::any_of(alike, [&](int c) { return waited_for.contains({cause, c}); });
      const bool same = change.apply == double_places && !waits;
      const Cycle total = same ? recorded : schedule(graph, rates)[graph.end()];
      result.push_back({alike.size() > 1 ? name : component_name(run, cause, *alike.begin()), change.text, total});
    }
  }
  std::ranges::stable_sort(result, {}, &Explanation::Sensitivity::total_cycles);
  return result;
}

}  // namespace accord::sim
