#include "compiler/least_moving.h"

#include "compiler/fusion/off_chip_traffic.h"

namespace accord {
namespace {

constexpr double fewer = 0.95;

double off_chip_bytes(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping) {
  Geometry geometry(compilation.machine, compilation.network, layer.work, compilation.homes, mapping);
  return off_chip_traffic_of(compilation.machine, geometry, layer.work, mapping).total();
}

/// Whether the one has fewer hardware loops, or longer ones, than the other.
bool longer_code(const Mapping& one, const Mapping& other) {
  return one.rolls < other.rolls || one.alternates > other.alternates;
}

}  // namespace

std::size_t least_moving(const Compilation& compilation, const LayerPlan& layer,
                         const std::vector<SearchResult::Found>& found, std::size_t quickest, double Mapping::*cycles) {
  const double most = as_quick * (found[quickest].mapping.*cycles);
  std::size_t best = quickest;
  double least = fewer * off_chip_bytes(compilation, layer, found[quickest].mapping);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == quickest || found[i].mapping.*cycles > most) continue;
    if (longer_code(found[i].mapping, found[quickest].mapping)) continue;
    const double moved = off_chip_bytes(compilation, layer, found[i].mapping);
    if (moved >= least) continue;
    least = moved;
    best = i;
  }
  return best;
}

}  // namespace accord
