#include "compiler/measured_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "compiler/layer_alone.h"
#include "compiler/least_moving.h"

namespace accord {
namespace {

constexpr double close = 1.1;  ///< to the best prediction: worth a measurement

double effort(const ScheduledMapping& scheduled) {
  return measuring_effort(scheduled.operations, scheduled.found.mapping.predicted_cycles);
}

/// In the order of their predictions, of equal ones first those whose results begin to be stored sooner: layers that
/// follow may. Where these and operations do not tell mappings apart their programs hardly differ.
auto prediction_of(const ScheduledMapping& scheduled) {
  const Mapping& mapping = scheduled.found.mapping;
  return std::tuple(mapping.predicted_cycles, mapping.stores_whole, scheduled.operations);
}

/// Takes those of the sorted mappings that are predicted in at most so many cycles. All but one that are alike are
/// last.
std::vector<ScheduledMapping> take(std::vector<ScheduledMapping>& sorted, double most) {
  std::vector<ScheduledMapping> distinct, repeated;
  const auto end =
      std::ranges::find_if(sorted, [&](const auto& mapping) { return mapping.found.mapping.predicted_cycles > most; });
  for (auto it = sorted.begin(); it != end; ++it) {
    const bool repeats = !distinct.empty() && prediction_of(distinct.back()) == prediction_of(*it);
    (repeats ? repeated : distinct).push_back(std::move(*it));
  }
  sorted.erase(sorted.begin(), end);
  std::ranges::move(repeated, std::back_inserter(distinct));
  return distinct;
}

/// Those of the mappings that were measured, within the effort.
class Measured {
 public:
  explicit Measured(LayerAlone& alone) : alone_(alone) {}

  void look_at(std::vector<ScheduledMapping> candidates) {
    for (auto& candidate : candidates) {
      spent_ += effort(candidate);
      if (spent_ > most_measuring_effort) return;
      Mapping& mapping = candidate.found.mapping;
      mapping.measured_cycles = alone_.cycles(mapping);
      if (found_.empty() || mapping.measured_cycles < least()) quickest_ = found_.size();
      found_.push_back(std::move(candidate.found));
    }
  }

  double least() const { return found_[quickest_].mapping.measured_cycles; }
  std::size_t quickest() const { return quickest_; }
  std::vector<SearchResult::Found>& found() { return found_; }

 private:
  LayerAlone& alone_;
  double spent_ = 0;
  std::size_t quickest_ = 0;
  std::vector<SearchResult::Found> found_;
};

}  // namespace

void measure_best(const Compilation& compilation, const LayerPlan& layer, std::vector<ScheduledMapping> scheduled,
                  std::vector<SearchResult::Found>& mappings) {
  if (!compilation.options.measure || scheduled.empty() || !mappings.front().mapping.scheduled) return;
  std::ranges::stable_sort(scheduled, {}, prediction_of);
  const double predicted = scheduled.front().found.mapping.predicted_cycles;
  const bool is_best = predicted <= mappings.front().mapping.predicted_cycles;
  if (!is_best || 2 * effort(scheduled.front()) > most_measuring_effort) return;
  LayerAlone alone(compilation, layer, compilation.options.measure);
  if (!alone.possible()) return;
  Measured measured(alone);
  measured.look_at(take(scheduled, close * predicted));
  // Where predictions fall short by far, what is predicted to be slower may be quicker.
  measured.look_at(take(scheduled, measured.least() / close));
  if (measured.least() == std::numeric_limits<double>::infinity()) return;  // no encoding
  auto& found = measured.found();
  const std::size_t best = least_moving(compilation, layer, found, measured.quickest(), &Mapping::measured_cycles);
  if (best == 0) mappings.erase(mappings.begin());  // the same
  mappings.insert(mappings.begin(), std::move(found[best]));
}

}  // namespace accord
