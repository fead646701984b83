#include "simulator/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "simulator/report/sensitivity.h"
#include "simulator/time/critical_path.h"
#include "simulator/time/schedule.h"

namespace accord::sim {

namespace {

/// Adds the path's stretches up by resource.
class Shares {
 public:
  Shares(const RunState& run, Explanation& explanation) : run_(run), explanation_(explanation) {}

  void add(const CriticalStretch& stretch) {
    const auto [found, fresh] =
        index_.emplace(std::tuple(stretch.cause, stretch.component, stretch.waiting), explanation_.shares.size());
    if (fresh) {
      explanation_.shares.push_back({component_name(run_, stretch.cause, stretch.component),
                                     resource_name(stretch.cause), stretch.waiting, stretch.cause == Cause::rows, 0,
                                     0});
    }
    Explanation::Share& share = explanation_.shares[found->second];
    share.cycles += stretch.to - stretch.from;
    ++share.segments;
    explanation_.path.push_back({stretch.from, stretch.to, found->second, stretch.unit, stretch.instruction,
                                 run_.map.layer(stretch.instruction)});
  }

  void sort() {
    std::vector<std::size_t> order(explanation_.shares.size()), place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return explanation_.shares[i].cycles; });
    std::vector<Explanation::Share> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.push_back(std::move(explanation_.shares[order[i]]));
      place[order[i]] = i;
    }
    explanation_.shares = std::move(sorted);
    for (Explanation::Segment& segment : explanation_.path) segment.share = place[segment.share];
  }

 private:
  const RunState& run_;
  Explanation& explanation_;
  std::map<std::tuple<Cause, int, bool>, std::size_t> index_;
};

}  // namespace

Explanation explain(const RunState& run, Cycle total, bool sensitivities, std::vector<std::string>& broken) {
  Explanation explanation;
  const DependenceGraph& graph = run.graph;
  explanation.complete = !graph.overflowed();
  if (!explanation.complete) return explanation;
  std::vector<Cycle> times = schedule(graph, graph.rates());
  if (times[graph.end()] != total) {
    broken.push_back(fmt::format("the recorded dependences end at cycle {}, not {}", times[graph.end()], total));
  }
  Shares shares(run, explanation);
  for (const CriticalStretch& stretch : critical_path(graph, times)) shares.add(stretch);
  shares.sort();
  if (sensitivities) explanation.sensitivities = predict(run, std::move(times));
  return explanation;
}

}  // namespace accord::sim
