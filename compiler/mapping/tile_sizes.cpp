#include "compiler/mapping/tile_sizes.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t worthwhile_rows =
    16;  ///< of a dim that is no lane: enough for an instruction to be worth its issue

/// Whether the capability's operands step through the dim within their memories' words.
bool is_lane(const Machine& machine, const Capability& capability, std::size_t d) {
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const int memory = capability.operands[o].memory;
    if (memory < 0) continue;
    const std::int64_t step = wired_step(capability, static_cast<int>(o), static_cast<int>(d));
    if (step != 0 && step < machine.architecture.memories[memory].word) return true;
  }
  return false;
}

/// Innermost iterators of chains come in steps of their dim: whole lanes, or some worthwhile_rows; of all dims that
/// count them in what these count in.
std::int64_t quantum(const Machine& machine, const Mapping& mapping, int it) {
  std::int64_t unit = 1, common = 1;
  for (const auto& step : mapping.steps) {
    const RunLimits& limits = *machine.limits.run(step.match.unit, step.match.capability);
    const Capability& capability = machine.capability(step.match);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      const auto& chain = step.chains[d];
      if (chain.empty() || chain.back() != it) continue;
      const CapabilityDim& dim = limits.dims[d];
      const std::int64_t some = round_up(worthwhile_rows, dim.multiple);
      common = std::lcm(common, std::max(dim.multiple, dim.minimum));
      unit = std::max(unit, is_lane(machine, capability, d) ? dim.maximum : std::min(dim.maximum, some));
    }
  }
  return std::min(round_up(unit, common), mapping.extent[it]);
}

/// For an outer iterator of a chain: the least count whose product with the inner ones fills the main step's dim.
std::int64_t filling(const Machine& machine, const Mapping& mapping, int it) {
  const StatementPlan& main = mapping.steps[0];
  const RunLimits& limits = *machine.limits.run(main.match.unit, main.match.capability);
  for (std::size_t d = 0; d < main.chains.size(); ++d) {
    const auto& chain = main.chains[d];
    const auto at = std::find(chain.begin(), chain.end(), it);
    if (at == chain.end()) continue;
    std::int64_t inner = 1;
    for (auto i = at + 1; i != chain.end(); ++i) inner *= mapping.extent[*i];
    return limits.dims[d].maximum / std::gcd(inner, limits.dims[d].maximum);
  }
  return 1;
}

std::vector<std::int64_t> sizes_of(std::int64_t extent, std::int64_t unit, std::int64_t fill) {
  std::set<std::int64_t> sizes = {extent};
  const std::int64_t blocks = ceil_div(extent, unit);
  for (std::int64_t parts = 1; parts * parts <= blocks; ++parts) {
    sizes.insert(std::min(ceil_div(blocks, parts) * unit, extent));
    sizes.insert(std::min(parts * unit, extent));
  }
  for (std::int64_t size = fill; fill > 1 && size < extent; size *= 2) sizes.insert(size);
  // Lanes in part, for work that waits for memory more than for them.
  for (std::int64_t size = unit / 2; size > 1 && size >= unit / 4; size /= 2) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

void add_whole_sums(const Work& work, const Mapping& mapping, TileSizes& sizes) {
  for (const std::int64_t parts : {1, 2, 4}) {
    auto tiles = sizes.least;
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      const bool summed = is_reduction(work, mapping, static_cast<int>(it));
      const auto least = std::ranges::lower_bound(sizes.sizes[it], ceil_div(tiles[0][it], parts));
      for (std::size_t level = 0; level < tiles.size(); ++level)
        tiles[level][it] = summed ? mapping.extent[it] : std::max(*least, sizes.finest[level][it]);
    }
    if (std::ranges::find(sizes.whole_sums, tiles) == sizes.whole_sums.end()) sizes.whole_sums.push_back(tiles);
  }
}

}  // namespace

TileSizes tile_sizes(const Machine& machine, const Work& work, const Mapping& mapping) {
  const std::size_t count = mapping.extent.size();
  const auto levels = static_cast<std::size_t>(mapping.levels);
  TileSizes result;
  result.least.assign(levels, Extents(count, 1));
  result.finest = result.least;
  for (std::size_t i = 0; i < count; ++i) {
    const int it = static_cast<int>(i);
    const std::int64_t unit = quantum(machine, mapping, it);
    result.sizes.push_back(sizes_of(mapping.extent[i], unit, filling(machine, mapping, it)));
    const bool whole = mapping.reduces_at_once && is_reduction(work, mapping, it);
    for (auto& level : result.least) level[i] = whole ? mapping.extent[i] : unit;
    for (auto& level : result.finest) level[i] = whole ? mapping.extent[i] : 1;
  }
  for (const auto& step : mapping.steps) {
    for (const auto& chain : step.chains) {
      for (std::size_t i = 1; i < chain.size(); ++i) {
        for (auto* sizes : {&result.least, &result.finest}) {
          for (auto& level : *sizes) level[chain[i]] = mapping.extent[chain[i]];
        }
      }
    }
  }
  result.cut = result.least;
  // Partial results stay in the innermost memory: above it the reduction is whole.
  for (const auto& use : mapping.uses) {
    if (use.step != 0 || (use.role != UseRole::accumulator && use.role != UseRole::output)) continue;
    for (int level = 0; level + 1 < use.depth; ++level) {
      for (std::size_t it = 0; it < count; ++it) {
        if (is_reduction(work, mapping, static_cast<int>(it))) result.least[level][it] = mapping.extent[it];
      }
    }
  }
  add_whole_sums(work, mapping, result);
  result.filled = result.least;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t fill = std::min(filling(machine, mapping, static_cast<int>(i)), mapping.extent[i]);
    for (auto& level : result.filled) level[i] = std::max(level[i], fill);
  }
  result.one = result.least;
  for (const auto& step : mapping.steps) {
    const RunLimits& limits = *machine.limits.run(step.match.unit, step.match.capability);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      if (step.chains[d].empty()) continue;
      const int it = step.chains[d].back();
      for (auto& level : result.one)
        level[it] = std::max(level[it], std::min(limits.dims[d].maximum, mapping.extent[it]));
    }
  }
  return result;
}

}  // namespace accord
