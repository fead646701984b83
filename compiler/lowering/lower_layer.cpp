#include "compiler/lowering/lower_layer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/lowering/narrow.h"
#include "compiler/lowering/pipeline.h"
#include "compiler/lowering/share_transfers.h"

namespace accord {
namespace {

/// Operations of all lists, each list's in its order: next comes the one of which the least share is done.
OpList alternate(const std::vector<OpList>& lists) {
  OpList all;
  std::vector<std::vector<int>> buffers;
  std::size_t ops = 0;
  for (const auto& list : lists) {
    assert(list.loops.empty());
    auto& numbers = buffers.emplace_back(list.buffers.size());
    std::iota(numbers.begin(), numbers.end(), static_cast<int>(all.buffers.size()));
    all.cuts = all.cuts || list.cuts;
    all.buffers.insert(all.buffers.end(), list.buffers.begin(), list.buffers.end());
    ops += list.ops.size();
  }
  std::vector<std::size_t> next(lists.size(), 0);
  const auto behind = [&](std::size_t a, std::size_t b) {
    if (next[a] == lists[a].ops.size()) return false;
    if (next[b] == lists[b].ops.size()) return true;
    return next[a] * lists[b].ops.size() < next[b] * lists[a].ops.size();
  };
  while (all.ops.size() < ops) {
    std::size_t least = 0;
    for (std::size_t l = 1; l < lists.size(); ++l) {
      if (behind(l, least)) least = l;
    }
    take(all, lists[least], next[least]++, buffers[least]);
  }
  return all;
}

/// Of the tiles of all parts: the last ones' may be laid otherwise, and take more.
TileBytes greatest_bytes(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                         const std::vector<Mapping>& parts) {
  TileBytes most;
  std::set<Extents> seen;
  for (const Mapping& part : parts) {
    if (!seen.insert(part.extent).second) continue;
    Geometry geometry(machine, network, work_of(work, part), homes, part);
    std::string error;
    const TileBytes bytes = tile_bytes(geometry, part, error);
    if (most.empty()) most = bytes;
    for (std::size_t u = 0; u < bytes.size(); ++u) {
      for (std::size_t l = 0; l < bytes[u].size(); ++l) most[u][l] = std::max(most[u][l], bytes[u][l]);
    }
  }
  return most;
}

}  // namespace

OpList lower_layer(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping, std::vector<OffChip>& off_chip, Reads reads) {
  ConstantImages images;
  return lower_parts(machine, network, work, homes, parts_of(machine, mapping), images, off_chip, reads, LaidFrom::low);
}

OpList lower_parts(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const std::vector<Mapping>& parts, ConstantImages& images, std::vector<OffChip>& off_chip,
                   Reads reads, LaidFrom from) {
  std::vector<OpList> lists;
  std::size_t length = 0;
  const TileBytes bytes = greatest_bytes(machine, network, work, homes, parts);
  for (const auto& part : parts) {
    lists.push_back(lower(machine, network, work, homes, part, parts.front(), bytes, images, off_chip, from));
    check_length(length += lists.back().ops.size());
  }
  const bool together = needs_others(parts.front());
  if (together && reads == Reads::own) throw Error("elements cannot load what they have together each for itself");
  const bool shared = together || (reads == Reads::shared && !machine.multicasts.empty());
  OpList all = lists.size() == 1 ? std::move(lists.front())
               : shared          ? share_transfers(machine, lists)
                                 : alternate(lists);
  all.divided = parts.size() > 1;
  narrow_accesses(all, machine.architecture);
  return pipeline_loops(std::move(all), machine.architecture);
}

}  // namespace accord
