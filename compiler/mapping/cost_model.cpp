#include "compiler/mapping/cost_model.h"

namespace accord {

Cost AnalyticCost::cost(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) const {
  return predict(machine, geometry, work, mapping);
}

const CostModel& shipped_cost_model() {
  static const AnalyticCost model;
  return model;
}

}  // namespace accord
