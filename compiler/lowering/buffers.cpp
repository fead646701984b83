#include "compiler/lowering/buffers.h"

#include "archdsl/source/error.h"
#include "compiler/lowering/banks.h"
#include "compiler/mapping/address_units.h"
#include "compiler/mapping/fills.h"

namespace accord {

std::vector<std::vector<TileBuffer>> place_buffers(const Machine& machine, const TileBytes& bytes, const Mapping& first,
                                                   const Mapping& mapping, LaidFrom from, std::vector<Buffer>& all) {
  std::vector<std::vector<PlacedBlock>> blocks(machine.architecture.memories.size());
  std::vector<std::vector<TileBuffer>> buffers(mapping.uses.size());
  all.clear();
  const Fills fills(first);
  const auto copies_of = [&](int use, int level) { return fills.copies(use, level); };
  const auto rooms = rooms_for_tiles(machine, first);
  if (const std::string error = overfull(machine, rooms, footprint(machine, first, bytes, copies_of)); !error.empty()) {
    throw Error(error);
  }
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    const Use& use = mapping.uses[u];
    buffers[u].resize(static_cast<std::size_t>(std::max(use.depth, 1)));
    for (int level = 0; level < use.depth; ++level) {
      if (bytes[u][level] == 0) continue;
      const int copies = copies_of(u, level);
      const int memory = memory_at(machine.architecture, use, level);
      buffers[u][level] = {std::vector<std::int64_t>(static_cast<std::size_t>(copies)), static_cast<int>(all.size())};
      all.insert(all.end(), static_cast<std::size_t>(copies), {memory, 0, bytes[u][level]});
      auto& there = blocks[memory];
      for (int copy = 0; copy < copies; ++copy) {
        for (int place = 0; place < shared_at(use, level).places; ++place)
          there.push_back({u, level, copy, place, bytes[u][level], 0});
      }
    }
  }
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    if (blocks[m].empty()) continue;
    const int memory = static_cast<int>(m);
    place_in_banks(machine.architecture.memories[m], place_region(machine, mapping, memory),
                   place_unit(machine, mapping, memory), mapping, from, blocks[m]);
    for (const PlacedBlock& block : blocks[m]) {
      if (block.place != shared_at(mapping.uses[block.use], block.level).place) continue;
      TileBuffer& buffer = buffers[block.use][block.level];
      buffer.bases[block.copy] = all[buffer.first + block.copy].base = block.base;
    }
  }
  // The statements after the main one work in its tile.
  const int target = target_use(mapping);
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role == UseRole::accumulator && use.step != 0) {
      buffers[u][use.depth - 1] = buffers[target][mapping.uses[target].depth - 1];
    }
  }
  return buffers;
}

}  // namespace accord
