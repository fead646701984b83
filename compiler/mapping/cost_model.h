#pragma once

#include "compiler/mapping/cost.h"

namespace accord {

/// What a mapping is predicted to cost: all that a search knows of its quality.
class CostModel {
 public:
  virtual ~CostModel() = default;

  /// One call, no memory of others. `geometry` is of the same machine, work and mapping. A mapping that cannot be
  /// lowered has `Cost::error` set.
  virtual Cost cost(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) const = 0;
};

/// Counts instructions, bytes and occupation from the covenant (`predict`).
class AnalyticCost : public CostModel {
 public:
  Cost cost(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) const override;
};

/// The model that is used where none is asked for.
const CostModel& shipped_cost_model();

}  // namespace accord
