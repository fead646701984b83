#include "compiler/lowering/off_chip_places.h"

#include <algorithm>

#include "compiler/lowering/address_ranges.h"
#include "compiler/mapping/constant_home.h"

namespace accord {
namespace {

OffChipPlace allocation_of(const Homes& homes, TensorId tensor, int memory) {
  const Home* root = &homes[tensor];
  while (root->alias >= 0) root = &homes[root->alias];
  const std::int64_t start = root->address - root->origin;
  return {memory, start, root->bytes, homes[tensor].address - start};
}

bool overlap(const OffChipPlace& a, const OffChipPlace& b) {
  return a.memory == b.memory && a.start < b.start + b.bytes && b.start < a.start + a.bytes;
}

}  // namespace

std::vector<OffChipPlace> tensor_places(const Network& network, const Homes& homes, const MappedWork& layer) {
  const Work& work = work_of(layer.work, layer.mapping);
  std::vector<OffChipPlace> places;
  for (const Use& use : layer.mapping.uses) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
    const WorkOperand& operand = work.operands[use.access.operand];
    if (operand.tensor == no_tensor || homes[operand.tensor].memory >= 0) continue;
    if (operand.constant && !reads_constant_at_home(network, work, use)) continue;
    places.push_back(allocation_of(homes, operand.tensor, use.depth == 0 ? use.memory : use.home));
  }
  return places;
}

std::optional<std::vector<OffChipAddress>> off_chip_addresses(const Architecture& architecture, const OpList& list,
                                                              std::span<const OffChipPlace> places) {
  const AddressRanges ranges(architecture);
  std::vector<AddressRange> touched;
  std::vector<OffChipAddress> addresses;
  for (std::uint32_t at = 0; at < list.ops.size(); ++at) {
    const LowOp& op = list.ops[at];
    ranges.in_memories(list, op, touched);
    for (const AddressRange& range : touched) {
      if (!architecture.memories[range.memory].off_chip) continue;
      const std::uint32_t value = op.first + range.base;
      const std::int64_t address = list.values[value].value_or(0);
      const auto holds = [&](const OffChipPlace& place) {
        return place.memory == range.memory && place.start <= address && address < place.start + place.bytes;
      };
      const auto place = std::ranges::find_if(places, holds);
      if (place == places.end()) return std::nullopt;
      addresses.push_back({at, value, static_cast<std::uint32_t>(place - places.begin())});
    }
  }
  return addresses;
}

std::optional<std::vector<std::int64_t>> shifts(std::span<const OffChipPlace> before,
                                                std::span<const OffChipPlace> now) {
  if (before.size() != now.size()) return std::nullopt;
  std::vector<std::int64_t> result;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const OffChipPlace &old = before[p], &other = now[p];
    if (old.memory != other.memory || old.bytes != other.bytes || old.element != other.element) return std::nullopt;
    result.push_back(other.start - old.start);
    for (std::size_t q = 0; q < p; ++q) {
      const bool together = overlap(before[q], old);
      if (together != overlap(now[q], other) || (together && result[q] != result[p])) return std::nullopt;
    }
  }
  return result;
}

}  // namespace accord
