#include "compiler/lowering/narrow.h"

#include <algorithm>

namespace accord {
namespace {

/// The parts between the first and the last byte of any range that reads or writes the buffer as the access does.
void narrow(BufferAccess& access, const Buffer& buffer, const std::vector<AddressRange>& ranges) {
  std::int64_t low = buffer.bytes, high = 0;
  for (const auto& range : ranges) {
    if (range.memory != buffer.memory || !(access.write ? range.writes : range.reads)) continue;
    const std::int64_t from = std::max(range.low - buffer.base, std::int64_t{0});
    const std::int64_t to = std::min(range.high - buffer.base, buffer.bytes);
    if (from >= to) continue;
    low = std::min(low, from);
    high = std::max(high, to);
  }
  if (low >= high) return;
  access.first = static_cast<std::uint32_t>(low * buffer_parts / buffer.bytes);
  access.last = static_cast<std::uint32_t>((high - 1) * buffer_parts / buffer.bytes);
}

}  // namespace

void narrow_accesses(OpList& list, const Architecture& architecture) {
  if (!list.loops.empty() || !list.cuts) return;
  const AddressRanges addresses(architecture);
  std::vector<AddressRange> ranges;
  for (LowOp& op : list.ops) {
    addresses.in_memories(list, op, ranges);
    for (BufferAccess& access : op.buffers()) {
      if (list.buffers[access.buffer].bytes > 0) narrow(access, list.buffers[access.buffer], ranges);
    }
  }
}

}  // namespace accord
