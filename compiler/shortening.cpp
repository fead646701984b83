#include "compiler/shortening.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/fills.h"

namespace accord {
namespace {

/// Turns after which copies of tiles stand as they stood. Those that hold a whole round of tiles take no turns.
std::int64_t period_of(const Mapping& mapping) {
  const Fills fills(mapping);
  int most = 1;
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    for (int level = 0; level < mapping.levels; ++level) {
      if (level > 0 || fills.round(u).passes == 1) most = std::max(most, mapping.copies[u][level]);
    }
  }
  return most;
}

}  // namespace

Shortening::Shortening(const Mapping& part, double operations, double wanted) : operations_(operations) {
  const std::int64_t period = period_of(part);
  for (const int it : part.order.front()) {
    if (operations_ <= wanted) break;
    const auto whole = static_cast<double>(trips(part, 0, it));
    const auto spare = static_cast<std::int64_t>(wanted / operations_ * whole);
    const std::int64_t more = std::max(spare, 2 * period + 1);
    if (static_cast<double>(more) * 1.5 >= whole) continue;
    loops_.push_back({it, whole, more - std::max(more / 2 / period, std::int64_t{1}) * period, more});
    operations_ *= static_cast<double>(more) / whole;
  }
}

double Shortening::all_operations() const {
  double all = operations_;
  for (const Loop& loop : loops_) all += operations_ * static_cast<double>(loop.fewer) / static_cast<double>(loop.more);
  return all;
}

double Shortening::share(std::size_t layer) const {
  const Loop& loop = loops_[layer - 1];
  return static_cast<double>(loop.fewer) / static_cast<double>(loop.more);
}

/// The last trip, which may be a smaller one, is the whole work's.
Mapping Shortening::shortened(Mapping part, std::size_t layer) const {
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const Loop& loop = loops_[l];
    std::int64_t& extent = part.extent[loop.iterator];
    const std::int64_t tile = part.tile.front()[loop.iterator];
    const std::int64_t left_out = ceil_div(extent, tile) - (l + 1 == layer ? loop.fewer : loop.more);
    extent -= std::max(left_out, std::int64_t{0}) * tile;
  }
  return part;
}

/// The whole takes start + trips * (turn + trips of the next loop * (...)): inside a loop what its turns take beside
/// the loops in it.
double Shortening::whole(const std::vector<double>& cycles) const {
  double rest = cycles.front(), times = 1, turns = 1;
  double whole = 0;
  // Cycles of one turn of each loop with `more` trips of those inside.
  std::vector<double> turn;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const Loop& loop = loops_[l];
    turn.push_back((cycles.front() - cycles[l + 1]) / (static_cast<double>(loop.more - loop.fewer) * turns));
    turns *= static_cast<double>(loop.more);
  }
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    whole += times * (rest - static_cast<double>(loops_[l].more) * turn[l]);
    times *= loops_[l].trips;
    rest = turn[l];
  }
  return whole + times * rest;
}

}  // namespace accord
