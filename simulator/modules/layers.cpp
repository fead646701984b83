#include "simulator/modules/layers.h"

#include <algorithm>

namespace accord::sim {

Layers::Layers(std::size_t layers, const ComponentNumbers& components)
    : totals_(layers + 1), followers_(layers), awaited_(layers, 0) {
  for (Totals& totals : totals_) {
    totals.link_bytes.assign(components.links, 0);
    totals.energy_pj.assign(components.count(), 0);
  }
}

void Layers::count(const Operation& operation) {
  Totals& totals = of(operation.layer);
  const OperationShape& shape = *operation.shape;
  for (const EnergyShare& share : shape.energy) totals.energy_pj[share.component] += share.pj;
  totals.lane_macs += shape.lane_macs;
  totals.off_chip_bytes += shape.off_chip_bytes;
  for (const int link : shape.links) totals.link_bytes[static_cast<std::size_t>(link)] += shape.link_bytes;
  ++totals.unfinished;
}

void Layers::finish(const Operation& operation) {
  Totals& totals = of(operation.layer);
  const auto earlier = [&](Cycle cycle) {
    return cycle == unknown ? operation.started : std::min(cycle, operation.started.at);
  };
  totals.begin = earlier(totals.begin);
  if (!operation.shape->placements.empty()) totals.computes = earlier(totals.computes);
  totals.end = std::max(totals.end, operation.done.at);
  --totals.unfinished;
  if (operation.layer >= 0) end_if_complete(operation.layer);
}

void Layers::all_dispatched(int layer, Cycle now) {
  Totals& totals = of(layer);
  totals.dispatched = true;
  if (totals.end == 0 && totals.unfinished == 0) totals.end = now;
  end_if_complete(layer);
}

void Layers::end_host(int layer, Cycle now) {
  Totals& totals = of(layer);
  totals.dispatched = true;
  totals.end = std::max(totals.end, now);
  end_if_complete(layer);
}

void Layers::end_if_complete(int layer) {
  const Totals& totals = of(layer);
  if (!totals.dispatched || totals.unfinished > 0) return;
  end(layer, std::max(totals.end, charged_));
}

void Layers::end(int layer, Cycle cycle) {
  boundaries_.insert(std::ranges::upper_bound(boundaries_, cycle, {}, &Boundary::end), {cycle, layer});
  if (on_end) on_end(layer, cycle);
  for (const int follower : followers_[static_cast<std::size_t>(layer)]) {
    Totals& totals = of(follower);
    totals.end = std::max(totals.end, cycle);
    if (--awaited_[static_cast<std::size_t>(follower)] == 0) end(follower, totals.end);
  }
}

void Layers::follow(const std::vector<int>& leaders, int layer) {
  for (const int leader : leaders) followers_[static_cast<std::size_t>(leader)].push_back(layer);
  awaited_[static_cast<std::size_t>(layer)] = static_cast<int>(leaders.size());
}

}  // namespace accord::sim
