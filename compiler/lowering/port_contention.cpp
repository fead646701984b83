#include "compiler/lowering/port_contention.h"

#include <algorithm>
#include <cmath>

#include "archdsl/graph/rates.h"

namespace accord {

PortContention::PortContention(const Architecture& architecture, const OpList& list)
    : architecture_(architecture), buffers_(list.buffers) {
  for (const Memory& memory : architecture.memories) {
    first_.push_back(ports_.size());
    for (const int count : {memory.read_ports, memory.write_ports}) {
      const double word = 1 / per_reference_cycle(count, memory.period);
      ports_.resize(ports_.size() + static_cast<std::size_t>(memory.banks), {-1, false, word, {}, {}});
    }
  }
  for (const LowOp& op : list.ops) {
    each_use(op, [&](Ports& ports, double, bool) {
      if (ports.unit < 0) ports.unit = op.unit;
      ports.contested |= ports.unit != op.unit;
      contested_ |= ports.contested;
    });
  }
}

PortContention::Span PortContention::banks_of(const Buffer& buffer, const BufferAccess& access) const {
  const Memory& memory = architecture_.memories[buffer.memory];
  if (memory.banks == 1) return {};
  const std::int64_t bank = memory.bank_bytes(), last = memory.banks - 1;
  const std::int64_t low = buffer.base + buffer.bytes * access.first / buffer_parts;
  const std::int64_t high =
      buffer.base + std::max<std::int64_t>(buffer.bytes * (access.last + 1) / buffer_parts, 1) - 1;
  const std::int64_t from = std::min(low / bank, last), to = std::clamp(high / bank, from, last);
  return {static_cast<std::size_t>(from), static_cast<std::size_t>(to - from + 1)};
}

PortContention::Ports& PortContention::ports(int memory, std::size_t bank, bool write) {
  const Memory& spec = architecture_.memories[memory];
  const bool apart = write && !spec.shared_ports;
  return ports_[first_[memory] + bank + (apart ? static_cast<std::size_t>(spec.banks) : 0)];
}

/// Calls fn(ports, words, write) for each bank's ports that the operation's words pass; words are spread evenly over
/// the banks that they may lie in.
template <typename Fn>
void PortContention::each_use(const LowOp& op, Fn&& fn) {
  for (std::size_t a = 0; a < op.access_count; ++a) {
    if (op.words[a] == 0) continue;
    const BufferAccess& access = op.accesses[a];
    const Buffer& buffer = buffers_[access.buffer];
    const Span banks = banks_of(buffer, access);
    const double words = static_cast<double>(op.words[a]) / static_cast<double>(banks.count);
    for (std::size_t bank = banks.first; bank < banks.first + banks.count; ++bank) {
      if (!access.write || op.adds) fn(ports(buffer.memory, bank, false), words, false);
      if (access.write) fn(ports(buffer.memory, bank, true), words, true);
    }
  }
}

/// Cycles by which the words have passed later than the operation alone would have them.
double PortContention::ask(Ports& ports, const LowOp& op, double words, double from) const {
  std::erase_if(ports.streams, [&](const Stream& stream) { return stream.until <= from; });
  double left = 1;
  for (const Stream& stream : ports.streams) left -= stream.share;
  // Who asks gets what streams leave, and as much as each of them.
  const double share = std::max(left, 1 / static_cast<double>(ports.streams.size() + 1));
  const double alone = words * ports.word, cycles = alone / share;
  if (architecture_.units[op.unit].kind == UnitKind::mover) {
    const double lasts = std::max<double>(op.busy, cycles);
    ports.streams.push_back({from + lasts, alone / lasts});
    return lasts - op.busy;
  }
  const double wait = ports.taken.wait(from);
  ports.taken.take(from, cycles);
  return std::max(wait + cycles - op.busy, 0.0);
}

PortContention::Delay PortContention::begin(const LowOp& op, std::int64_t start) {
  if (!contested_) return {};
  double read = 0, written = 0;
  const bool mover = architecture_.units[op.unit].kind == UnitKind::mover;
  const auto around = static_cast<double>(std::max(op.latency - op.busy, 0));
  each_use(op, [&](Ports& ports, double words, bool write) {
    if (!ports.contested) return;
    const double from = static_cast<double>(start) + (mover || write ? around : 0);
    double& late = write && !mover ? written : read;
    late = std::max(late, ask(ports, op, words, from));
  });
  return {static_cast<std::int64_t>(std::ceil(read)),
          static_cast<std::int64_t>(std::ceil(std::max(written - read, 0.0)))};
}

}  // namespace accord
