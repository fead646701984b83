#include "compiler/fusion/off_chip_traffic.h"

#include "compiler/mapping/traffic.h"

namespace accord {

double OffChipTraffic::total() const {
  double sum = constants;
  for (const auto& [tensor, bytes] : tensors) sum += bytes;
  return sum;
}

OffChipTraffic off_chip_traffic_of(const Machine& machine, Geometry& geometry, const Work& work,
                                   const Mapping& mapping) {
  OffChipTraffic traffic;
  for (const auto& [use, bytes] : traffic_of(machine, geometry, work, mapping).off_chip) {
    const auto moved = static_cast<double>(bytes);
    (geometry.is_constant(use) ? traffic.constants : traffic.tensors[geometry.tensor(use)]) += moved;
  }
  return traffic;
}

}  // namespace accord
