#include "compiler/mapping_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "archdsl/source/error.h"
#include "compiler/lowering/dispatch.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/lowering/schedule.h"
#include "compiler/lowering/synchroniser.h"

namespace accord {
namespace {

/// Operations of a list from which on it is shortened. What hardware loops repeat makes lists no longer.
double enough(const Mapping& mapping) { return mapping.rolls ? 15000 : 1500; }

/// What the list takes as it is scheduled; with semaphores, no less than until all is issued with its waits and
/// signals.
double scheduled_cycles(const OpList& list, const Architecture& architecture) {
  const Schedule schedule = schedule_for(list, architecture);
  const Sync& sync = architecture.sync;
  if (sync.kind != Sync::Kind::semaphores || schedule.done.empty()) return static_cast<double>(schedule.cycles);
  Synchroniser semaphores(static_cast<int>(architecture.units.size()), nameable_semaphores(architecture),
                          sync.semaphore_max);
  const auto added = semaphores.add(list, schedule.order, {}, 0);
  return static_cast<double>(
      std::max(schedule.cycles, dispatched_end(architecture, list, schedule, added.order, 0, 0)));
}

constexpr double agreement = 0.1;  ///< of sums with schedules, about what trips take

Cost cost_of(const Compilation& compilation, const Machine& machine, const LayerPlan& layer, const Mapping& mapping) {
  Geometry geometry(machine, compilation.network, layer.work, compilation.homes, mapping);
  return predict(machine, geometry, layer.work, mapping);
}

}  // namespace

MappingSchedule::MappingSchedule(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                                 const Mapping& mapping, double most)
    : compilation_(compilation),
      layer_(layer),
      parts_(parts_of(compilation.machine, mapping)),
      machine_(shared.of(mapping)),
      first_(cost_of(compilation, machine_, layer, parts_.front())),
      shortening_(parts_.front(), first_.instructions * static_cast<double>(parts_.size()), most) {}

MappingSchedule::MappingSchedule(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                                 const Mapping& mapping)
    : MappingSchedule(compilation, shared, layer, mapping, enough(mapping)) {}

OpList MappingSchedule::lowered(std::size_t layer) const {
  std::vector<Mapping> parts;
  for (const auto& part : parts_) parts.push_back(shortening_.shortened(part, layer));
  ConstantImages images;
  std::vector<OffChip> nothing;
  return lower_parts(compilation_.machine, compilation_.network, layer_.work, compilation_.homes, parts, images,
                     nothing, Reads::shared, LaidFrom::low);
}

/// Schedules of in-order machines let transfers of different units pass a link at once; this is what they take one
/// after another.
double MappingSchedule::link_cycles() const {
  double most = first_.link_cycles;
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    most = std::max(most, cost_of(compilation_, machine_, layer_, parts_[p]).link_cycles);
  }
  return most;
}

/// In order, for which compute units are occupied, the ports of their operands' banks included, on which nothing else
/// is begun there meanwhile: what is extrapolated may have missed some of it.
double MappingSchedule::compute_cycles() const {
  double most = 0;
  if (compilation_.architecture.sync.kind != Sync::Kind::in_order) return most;
  for (const auto& [unit, cycles] : first_.unit_cycles) {
    if (machine_.architecture.units[unit].kind == UnitKind::compute) most = std::max(most, cycles);
  }
  return most;
}

double MappingSchedule::summed_cycles(std::size_t layer) const {
  return cost_of(compilation_, machine_, layer_, shortening_.shortened(parts_.front(), layer)).cycles;
}

/// From those of the shortened layers. What is shortened may have another busiest unit than the whole, which the sums
/// of both tell, where they agree with the schedules about what fewer trips save. Those of divided work (as one part
/// sees it) and of in-order machines say it worse than the schedules alone.
double MappingSchedule::whole_cycles(const std::vector<double>& scheduled) const {
  const bool in_order = compilation_.architecture.sync.kind == Sync::Kind::in_order;
  if (layers() == 1 || parts_.size() > 1 || in_order) return shortening_.whole(scheduled);
  const double longest = summed_cycles(0);
  std::vector<double> unseen = {scheduled[0] - longest};
  for (std::size_t l = 1; l < layers(); ++l) {
    const double summed = summed_cycles(l), saved = scheduled[0] - scheduled[l];
    if (std::abs(longest - summed - saved) > agreement * saved) return shortening_.whole(scheduled);
    unseen.push_back(scheduled[l] - summed);
  }
  return first_.cycles + shortening_.whole(unseen);
}

MappingSchedule::Result MappingSchedule::run() const {
  Result result;
  try {
    std::vector<double> cycles;
    for (std::size_t l = 0; l < layers(); ++l) {
      const OpList list = lowered(l);
      result.operations += static_cast<double>(list.ops.size());
      double scheduled = scheduled_cycles(list, compilation_.architecture);
      // Schedules are not always the best: where fewer trips take no less, nothing is known but their share.
      if (l > 0 && scheduled >= cycles.front()) scheduled = cycles.front() * shortening_.share(l);
      cycles.push_back(scheduled);
    }
    result.cycles = std::max(whole_cycles(cycles), link_cycles());
    if (layers() > 1) result.cycles = std::max(result.cycles, compute_cycles());
  } catch (const Error&) {
    result.cycles = std::numeric_limits<double>::infinity();
  }
  return result;
}

double expected_operations(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping) {
  return cost_of(compilation, compilation.machine, layer, mapping).instructions;
}

}  // namespace accord
