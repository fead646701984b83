#include "simulator/cycle/memory_ports.h"

#include <algorithm>

namespace accord::sim::cycle {

MemoryPorts::MemoryPorts(const Memory& spec, const StallAccount& account)
    : spec_(spec),
      account_(account),
      reads_(static_cast<std::size_t>(spec.banks),
             std::vector<Pace>(static_cast<std::size_t>(spec.read_ports), Pace(spec.period))),
      writes_(static_cast<std::size_t>(spec.banks),
              std::vector<Pace>(static_cast<std::size_t>(spec.write_ports), Pace(spec.period))) {}

std::size_t MemoryPorts::bank(std::int64_t address) const {
  if (spec_.banks == 1) return 0;
  if (spec_.off_chip) return static_cast<std::size_t>(address / spec_.word % spec_.banks);
  const std::int64_t block = std::max<std::int64_t>(1, spec_.capacity / spec_.banks);
  return static_cast<std::size_t>(std::min<std::int64_t>(address / block, spec_.banks - 1));
}

Timeline::Slot MemoryPorts::access(bool write, std::int64_t address, Cycle at) {
  auto& ports = (write && !spec_.shared_ports ? writes_ : reads_)[bank(address)];
  Pace& port = *std::min_element(ports.begin(), ports.end());
  const Cycle first = std::max(at, port.next());
  const Cycle end = port.take(at);
  account_.add(first, end);
  return {first, end};
}

}  // namespace accord::sim::cycle
