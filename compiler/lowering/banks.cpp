#include "compiler/lowering/banks.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

bool is_result(const Use& use) { return use.role == UseRole::accumulator || use.role == UseRole::output; }

/// How much two blocks are accessed at the same time and through the same kind of port. The copies of an input are read
/// by one unit while a mover writes the next: different ports, or the same now and then, where reads and writes share
/// them. Those of a result are added to, read and written by several units at once, neighbours most. What several
/// elements read and write they do all the time.
int conflict(const Memory& memory, const Mapping& mapping, const PlacedBlock& a, const PlacedBlock& b) {
  if (a.place != b.place) return 3;
  const Use& first = mapping.uses[a.use];
  const Use& second = mapping.uses[b.use];
  if (a.use == b.use && a.level == b.level) {
    if (!is_result(first)) return memory.shared_ports ? 1 : 0;
    return std::abs(a.copy - b.copy) == 1 ? 2 : 1;
  }
  return first.step == second.step ? 2 : 1;
}

/// Free bytes.
struct Room {
  std::int64_t low = 0;
  std::int64_t high = 0;

  /// Where so many of them at that end begin, which are free no longer.
  std::int64_t take(std::int64_t bytes, LaidFrom end) {
    if (end == LaidFrom::high) return high -= bytes;
    low += bytes;
    return low - bytes;
  }
};

struct Bank {
  Room room;
  bool whole = true;  ///< in what is cut off lies what layers keep for each other, which they access all the time
  std::vector<const PlacedBlock*> blocks;
};

std::vector<Bank> banks_of(const Memory& memory, const Region& region, std::int64_t unit, LaidFrom from) {
  const std::int64_t size = memory.bank_bytes();
  std::vector<Bank> banks;
  for (std::int64_t low = region.base; low < region.base + region.bytes;) {
    const std::int64_t end = std::min((low / size + 1) * size, region.base + region.bytes);
    banks.push_back(
        {{round_up(low, unit), end / unit * unit}, low % size == 0 && (end % size == 0 || end == memory.capacity), {}});
    low = end;
  }
  if (from == LaidFrom::high) std::ranges::reverse(banks);
  return banks;
}

/// False where a block fits no bank.
bool place_apart(const Memory& memory, const Region& region, std::int64_t unit, const Mapping& mapping, LaidFrom from,
                 std::vector<PlacedBlock>& blocks) {
  auto banks = banks_of(memory, region, unit, from);
  std::vector<PlacedBlock*> order;
  for (PlacedBlock& block : blocks) order.push_back(&block);
  // What an instruction reads at once comes before further copies, where these are in the way of others' at all.
  if (memory.shared_ports) std::ranges::stable_sort(order, {}, &PlacedBlock::copy);
  for (PlacedBlock* placed : order) {
    PlacedBlock& block = *placed;
    Bank* best = nullptr;
    int least = 0;
    for (Bank& bank : banks) {
      if (bank.room.high - bank.room.low < block.bytes) continue;
      int weight = bank.whole ? 0 : 2;
      for (const PlacedBlock* other : bank.blocks) weight += conflict(memory, mapping, block, *other);
      if (best != nullptr && weight >= least) continue;
      best = &bank;
      least = weight;
    }
    if (best == nullptr) return false;
    block.base = best->room.take(block.bytes, from);
    best->blocks.push_back(&block);
  }
  return true;
}

/// Inputs of one step, and neighbouring copies of results, from opposite ends.
void place_from_both_ends(const Region& region, const Mapping& mapping, LaidFrom from,
                          std::vector<PlacedBlock>& blocks) {
  Room room{region.base, region.base + region.bytes};
  int inputs = 0, last = -1;
  for (PlacedBlock& block : blocks) {
    const bool result = is_result(mapping.uses[block.use]);
    if (!result && block.use != last) ++inputs;
    last = block.use;
    const bool other_end = (result ? block.copy : inputs - 1) % 2 == 1;
    block.base = room.take(block.bytes, other_end != (from == LaidFrom::high) ? LaidFrom::high : LaidFrom::low);
  }
  assert(room.low <= room.high);
}

void place_in_turn(const Region& region, LaidFrom from, std::vector<PlacedBlock>& blocks) {
  Room room{region.base, region.base + region.bytes};
  for (PlacedBlock& block : blocks) block.base = room.take(block.bytes, from);
  assert(room.low <= room.high);
}

}  // namespace

void place_in_banks(const Memory& memory, const Region& region, std::int64_t unit, const Mapping& mapping,
                    LaidFrom from, std::vector<PlacedBlock>& blocks) {
  if (memory.banks == 1) {
    place_in_turn(region, from, blocks);
  } else if (!place_apart(memory, region, unit, mapping, from, blocks)) {
    place_from_both_ends(region, mapping, from, blocks);
  }
}

}  // namespace accord
