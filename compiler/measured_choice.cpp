#include "compiler/measured_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "compiler/layer_alone.h"

namespace accord {
namespace {

constexpr double close = 1.1;         ///< to the best prediction: worth a measurement
constexpr double most_effort = 8000;  ///< for the mappings of one layer, in operations that are run

/// What generating and running takes: each program, each operation, and requests, which no one counts but which come at
/// about so many cycles each.
double effort(const ScheduledMapping& scheduled) {
  return 250 + scheduled.operations + scheduled.found.mapping.predicted_cycles / 16;
}

/// Those predicted about as quick as the first, quickest first. Where operations and predictions do not tell mappings
/// apart their programs hardly differ: all but one of such are last.
std::vector<ScheduledMapping> worth_measuring(std::vector<ScheduledMapping> scheduled) {
  const auto key = [](const ScheduledMapping& s) { return std::pair(s.found.mapping.predicted_cycles, s.operations); };
  std::ranges::stable_sort(scheduled, {}, key);
  const double most = close * key(scheduled.front()).first;
  std::vector<ScheduledMapping> distinct, repeated;
  for (auto& mapping : scheduled) {
    if (key(mapping).first > most) break;
    const bool repeats = !distinct.empty() && key(distinct.back()) == key(mapping);
    (repeats ? repeated : distinct).push_back(std::move(mapping));
  }
  std::ranges::move(repeated, std::back_inserter(distinct));
  return distinct;
}

}  // namespace

void measure_best(const Compilation& compilation, const LayerPlan& layer, std::vector<ScheduledMapping> scheduled,
                  std::vector<SearchResult::Found>& mappings) {
  if (!compilation.options.measure || scheduled.empty() || !mappings.front().mapping.scheduled) return;
  scheduled = worth_measuring(std::move(scheduled));
  const auto& first = scheduled.front();
  const bool is_best = first.found.mapping.predicted_cycles <= mappings.front().mapping.predicted_cycles;
  if (!is_best || 2 * effort(first) > most_effort) return;
  LayerAlone alone(compilation, layer, compilation.options.measure);
  if (!alone.possible()) return;
  SearchResult::Found* best = nullptr;
  double spent = 0;
  for (auto& candidate : scheduled) {
    spent += effort(candidate);
    if (spent > most_effort) break;
    Mapping& mapping = candidate.found.mapping;
    mapping.measured_cycles = alone.cycles(mapping);
    if (best == nullptr || mapping.measured_cycles < best->mapping.measured_cycles) best = &candidate.found;
  }
  const bool encodes = best->mapping.measured_cycles < std::numeric_limits<double>::infinity();
  if (!encodes) return;
  if (best == &scheduled.front().found) mappings.erase(mappings.begin());
  mappings.insert(mappings.begin(), std::move(*best));
}

}  // namespace accord
