#pragma once

#include <cstddef>
#include <vector>

#include "compiler/compilation.h"
#include "compiler/lowering/operation.h"
#include "compiler/mapping/cost.h"
#include "compiler/mapping/split.h"
#include "compiler/shortening.h"

namespace accord {

/// What a layer's mapping takes as its operations are scheduled: lowered without images, put in order by predicted
/// times; divided work with all its parts, and tiles that several read brought by multicasts. Of a long layer shortened
/// ones are scheduled.
class MappingSchedule {
 public:
  /// `most`: a list of more operations is shortened.
  MappingSchedule(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                  const Mapping& mapping, double most);
  /// With what tells mappings apart at little cost.
  MappingSchedule(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                  const Mapping& mapping);

  /// That will be scheduled, about.
  double expected_operations() const { return shortening_.all_operations(); }

  /// Layers that will be scheduled: one where none is shortened.
  std::size_t layers() const { return shortening_.layers(); }

  struct Result {
    double cycles = 0;  ///< infinite where the mapping cannot be lowered
    double operations = 0;
  };
  Result run() const;

 private:
  OpList lowered(std::size_t layer) const;
  double summed_cycles(std::size_t layer) const;
  double whole_cycles(const std::vector<double>& scheduled) const;
  double link_cycles() const;
  double compute_cycles() const;

  const Compilation& compilation_;
  const LayerPlan& layer_;
  const std::vector<Mapping> parts_;
  const Machine& machine_;  ///< as one part sees it
  const Cost first_;        ///< of the first part, the greatest
  const Shortening shortening_;
};

/// Operations that a layer's mapping has, about.
double expected_operations(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping);

}  // namespace accord
