#include "compiler/mapping/search.h"

#include <algorithm>
#include <numeric>

namespace accord {
namespace {

class TileSearch {
 public:
  TileSearch(const Machine& machine, const Network& network, const Work& work, const Homes& homes, Mapping& mapping)
      : machine_(machine), work_(work), mapping_(mapping), geometry_(machine, network, work, homes, mapping) {}

  bool run(std::string& error) {
    start();
    if (!settle_start(error)) return false;
    while (improve()) {
    }
    return true;
  }

 private:
  void start();
  bool settle_start(std::string& error);
  bool improve();
  void set_order();
  Cost evaluate();
  std::vector<std::int64_t> sizes(int level, int it) const;
  std::int64_t quantum(int it) const;

  const Machine& machine_;
  const Work& work_;
  Mapping& mapping_;
  Geometry geometry_;
  Cost best_;
};

/// Innermost iterators of chains come in steps of their dim.
std::int64_t TileSearch::quantum(int it) const {
  std::int64_t unit = 1;
  for (const auto& step : mapping_.steps) {
    const RunLimits& limits = *machine_.limits.run(step.match.unit, step.match.capability);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      const auto& chain = step.chains[d];
      if (!chain.empty() && chain.back() == it) unit = std::max(unit, limits.dims[d].maximum);
    }
  }
  return std::min(unit, mapping_.extent[it]);
}

/// One instruction's worth per tile; reductions that must happen at once, and fused inner iterators, whole.
void TileSearch::start() {
  const std::size_t count = mapping_.extent.size();
  mapping_.tile.assign(mapping_.levels, Extents(count, 1));
  for (std::size_t it = 0; it < count; ++it) {
    std::int64_t size = quantum(static_cast<int>(it));
    if (mapping_.reduces_at_once && is_reduction(work_, mapping_, static_cast<int>(it))) size = mapping_.extent[it];
    for (auto& tile : mapping_.tile) tile[it] = size;
  }
  for (const auto& step : mapping_.steps) {
    for (const auto& chain : step.chains) {
      for (std::size_t i = 1; i < chain.size(); ++i) {
        for (auto& tile : mapping_.tile) tile[chain[i]] = mapping_.extent[chain[i]];
      }
    }
  }
  // Partial results stay in the innermost memory: above it the reduction is whole.
  for (const auto& use : mapping_.uses) {
    if (use.step != 0 || (use.role != UseRole::accumulator && use.role != UseRole::output)) continue;
    for (int level = 0; level + 1 < use.depth; ++level) {
      for (std::size_t it = 0; it < count; ++it) {
        if (is_reduction(work_, mapping_, static_cast<int>(it))) mapping_.tile[level][it] = mapping_.extent[it];
      }
    }
  }
  set_order();
}

/// Output loops outside, reduction loops innermost, so that a result is finished before the next begins.
void TileSearch::set_order() {
  mapping_.order.assign(mapping_.levels, {});
  for (auto& order : mapping_.order) {
    for (const bool reduction : {false, true}) {
      for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
        if (is_reduction(work_, mapping_, static_cast<int>(it)) == reduction) order.push_back(static_cast<int>(it));
      }
    }
  }
  // The longest reduction loop innermost: it is the one that hardware loops shorten most.
  const int inner = mapping_.levels - 1;
  auto trips = [&](int it) {
    const std::int64_t outer = inner == 0 ? mapping_.extent[it] : mapping_.tile[inner - 1][it];
    return (outer + mapping_.tile[inner][it] - 1) / mapping_.tile[inner][it];
  };
  auto& order = mapping_.order[inner];
  const auto reductions =
      std::find_if(order.begin(), order.end(), [&](int it) { return is_reduction(work_, mapping_, it); });
  std::stable_sort(reductions, order.end(), [&](int a, int b) { return trips(a) < trips(b); });
}

/// The best cost over which output iterator runs innermost at each level.
Cost TileSearch::evaluate() {
  set_order();
  Cost best = predict(machine_, geometry_, work_, mapping_);
  if (!best.error.empty()) return best;
  for (int level = 0; level < mapping_.levels; ++level) {
    auto keep = mapping_.order[level];
    const auto base = keep;
    for (std::size_t i = 0; i < base.size(); ++i) {
      const int it = base[i];
      const std::int64_t outer = level == 0 ? mapping_.extent[it] : mapping_.tile[level - 1][it];
      if (is_reduction(work_, mapping_, it) || mapping_.tile[level][it] >= outer) continue;
      auto order = base;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      const auto place =
          std::find_if(order.begin(), order.end(), [&](int other) { return is_reduction(work_, mapping_, other); });
      order.insert(place, it);
      mapping_.order[level] = order;
      const Cost cost = predict(machine_, geometry_, work_, mapping_);
      if (cost.cycles < best.cycles) {
        best = cost;
        keep = order;
      }
    }
    mapping_.order[level] = keep;
  }
  return best;
}

bool TileSearch::settle_start(std::string& error) {
  mapping_.buffers.assign(mapping_.uses.size(), 2);
  best_ = evaluate();
  if (!best_.error.empty()) {
    mapping_.buffers.assign(mapping_.uses.size(), 1);
    const Cost single = evaluate();
    if (!single.error.empty()) {
      error = best_.error;
      return false;
    }
    best_ = single;
  }
  mapping_.predicted_cycles = best_.cycles;
  return true;
}

/// Sizes worth trying next: the following even division, twice as much, all.
std::vector<std::int64_t> TileSearch::sizes(int level, int it) const {
  const std::int64_t whole = mapping_.extent[it];
  const std::int64_t now = mapping_.tile[level][it];
  const std::int64_t unit = quantum(it);
  std::vector<std::int64_t> result;
  auto add = [&](std::int64_t size) {
    size = std::min((size + unit - 1) / unit * unit, whole);
    if (size > now && std::find(result.begin(), result.end(), size) == result.end()) result.push_back(size);
  };
  const std::int64_t parts = (whole + now - 1) / now;
  if (parts > 1) add((whole + parts - 2) / (parts - 1));
  add(now + unit);
  add(now * 2);
  if (parts > 3) add((whole + parts / 2 - 1) / (parts / 2));
  add(whole);
  return result;
}

bool TileSearch::improve() {
  const auto tile = mapping_.tile;
  const auto order = mapping_.order;
  const double before = mapping_.predicted_cycles;
  double best = before;
  auto best_tile = tile;
  auto best_order = order;
  auto consider = [&] {
    const Cost cost = evaluate();
    if (cost.error.empty() && cost.cycles < best * (1 - 1e-6)) {
      best = cost.cycles;
      best_tile = mapping_.tile;
      best_order = mapping_.order;
    }
  };
  const int count = static_cast<int>(mapping_.extent.size());
  auto grow = [&](int level, int it, std::int64_t size) {
    for (int l = level; l >= 0; --l) mapping_.tile[l][it] = std::max(mapping_.tile[l][it], size);
  };
  for (int level = mapping_.levels - 1; level >= 0; --level) {
    for (int a = 0; a < count; ++a) {
      for (const auto size : sizes(level, a)) {
        mapping_.tile = tile;
        grow(level, a, size);
        consider();
      }
    }
  }
  if (best >= before) {  // a plateau: two at a time
    for (int level = mapping_.levels - 1; level >= 0; --level) {
      for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
          for (const auto size_a : sizes(level, a)) {
            mapping_.tile = tile;
            for (const auto size_b : sizes(level, b)) {
              mapping_.tile = tile;
              grow(level, a, size_a);
              grow(level, b, size_b);
              consider();
            }
          }
        }
      }
    }
  }
  mapping_.tile = best_tile;
  mapping_.order = best_order;
  mapping_.predicted_cycles = best;
  return best < before;
}

}  // namespace

bool choose_tiles(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                  Mapping& mapping, std::string& error) {
  return TileSearch(machine, network, work, homes, mapping).run(error);
}

}  // namespace accord
