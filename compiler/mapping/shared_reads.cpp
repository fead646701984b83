#include "compiler/mapping/shared_reads.h"

#include <map>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// The parts that read the same, in groups: the first loop that divides the work is the outermost.
std::map<std::vector<std::int64_t>, std::vector<std::size_t>> readers(const Mapping& mapping, const Use& use) {
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t part = 0; part < part_count(mapping); ++part) {
    std::vector<std::int64_t> turn;
    auto left = static_cast<std::int64_t>(part);
    for (auto loop = mapping.spatial.rbegin(); loop != mapping.spatial.rend(); ++loop) {
      turn.push_back(depends(use.access, loop->iterator) ? left % turns(mapping, *loop) : 0);
      left /= turns(mapping, *loop);
    }
    groups[turn].push_back(part);
  }
  return groups;
}

}  // namespace

std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop) {
  return ceil_div(mapping.extent[loop.iterator], loop.part);
}

std::size_t part_count(const Mapping& mapping) {
  std::int64_t count = 1;
  for (const auto& loop : mapping.spatial) count *= turns(mapping, loop);
  return static_cast<std::size_t>(count);
}

std::vector<Reading> readings_of(const Machine& machine, const Mapping& mapping, std::span<const Mapping> images,
                                 std::size_t use) {
  std::vector<Reading> readings(part_count(mapping));
  const Use& read = mapping.uses[use];
  if (read.hops.empty()) return readings;
  for (std::size_t p = 0; p < readings.size(); ++p) readings[p].hop = hop_at(images[p].uses[use], 0);
  if (machine.multicasts.empty() || read.role == UseRole::output) return readings;
  for (const auto& [turn, group] : readers(mapping, read)) {
    std::vector<Hop> hops;
    for (const std::size_t part : group) hops.push_back(readings[part].hop);
    for (const auto& transfer : machine.multicasts.cover(hops)) {
      for (const std::size_t user : transfer.users) readings[group[user]] = {transfer.hop, transfer.users.size()};
    }
  }
  return readings;
}

double receivers(const std::vector<Reading>& readings) {
  double transfers = 0;
  for (const Reading& reading : readings) transfers += 1 / static_cast<double>(reading.receivers);
  return static_cast<double>(readings.size()) / transfers;
}

}  // namespace accord
