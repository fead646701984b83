#include "compiler/refine.h"

#include <algorithm>
#include <limits>

#include "archdsl/source/error.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/lowering/schedule.h"
#include "compiler/mapping/cost.h"
#include "compiler/mapping/search.h"
#include "compiler/mapping/verify.h"

namespace accord {
namespace {

constexpr double most_operations = 40000;  ///< scheduled for one layer, all mappings together
constexpr double most_in_loops = 15000;    ///< the same where there are loops: a body is scheduled for several turns
constexpr std::size_t near = 16;           ///< tilings tried around each that is better

class Refinement {
 public:
  Refinement(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
             std::vector<SearchResult::Found>& mappings)
      : compilation_(compilation), shared_(shared), layer_(layer), mappings_(mappings) {}

  void run() {
    for (auto& [assignment, mapping] : mappings_) {
      if (!affordable(mapping)) return;
      evaluate(mapping);
    }
    sort();
    while (improve()) {
    }
  }

 private:
  bool affordable(const Mapping& mapping) const {
    const bool loops = compilation_.architecture.controller.loop_depth > 0;
    return static_cast<double>(spent_) + expected_operations(compilation_, layer_, mapping) <
           (loops ? most_in_loops : most_operations);
  }

  void evaluate(Mapping& mapping) {
    std::size_t operations = 0;
    mapping.predicted_cycles = scheduled_cycles(compilation_, shared_, layer_, mapping, operations);
    mapping.scheduled = true;
    spent_ += operations;
  }

  void sort() {
    std::stable_sort(mappings_.begin(), mappings_.end(), [](const auto& a, const auto& b) {
      return a.mapping.predicted_cycles < b.mapping.predicted_cycles;
    });
  }

  /// Replaces the best mapping by the first better one near it.
  bool improve() {
    Mapping& best = mappings_.front().mapping;
    for (auto& mapping :
         near_tilings(compilation_.machine, compilation_.network, layer_.work, compilation_.homes, best, near)) {
      if (!affordable(mapping)) return false;
      evaluate(mapping);
      if (mapping.predicted_cycles >= best.predicted_cycles) continue;
      best = std::move(mapping);
      return true;
    }
    return false;
  }

  const Compilation& compilation_;
  SharedMachines& shared_;
  const LayerPlan& layer_;
  std::vector<SearchResult::Found>& mappings_;
  std::size_t spent_ = 0;
};

}  // namespace

double expected_operations(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping) {
  Geometry geometry(compilation.machine, compilation.network, layer.work, compilation.homes, mapping);
  return predict(compilation.machine, geometry, layer.work, mapping).instructions;
}

namespace {

/// Schedules of in-order machines let transfers of different units pass a link at once; this is what they take one
/// after another.
double link_cycles(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                   const Mapping& mapping) {
  const auto parts = parts_of(compilation.machine, mapping);
  const Machine& machine = shared.of(parts);
  double most = 0;
  for (const auto& part : parts) {
    Geometry geometry(machine, compilation.network, layer.work, compilation.homes, part);
    most = std::max(most, predict(machine, geometry, layer.work, part).link_cycles);
  }
  return most;
}

}  // namespace

double scheduled_cycles(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                        const Mapping& mapping, std::size_t& operations) {
  try {
    std::vector<OffChip> nothing;
    const OpList list =
        lower_layer(compilation.machine, compilation.network, layer.work, compilation.homes, mapping, nothing);
    operations = list.ops.size();
    return std::max(static_cast<double>(schedule_for(list, compilation.architecture).cycles),
                    link_cycles(compilation, shared, layer, mapping));
  } catch (const Error&) {
    return std::numeric_limits<double>::infinity();
  }
}

void refine(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
            std::vector<SearchResult::Found>& mappings) {
  if (!mappings.empty()) Refinement(compilation, shared, layer, mappings).run();
}

}  // namespace accord
