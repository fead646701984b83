#pragma once

#include <memory>
#include <vector>

#include "simulator/cycle/memory_ports.h"
#include "simulator/cycle/schedule.h"

namespace accord::sim::cycle {

/// The words of one bank that an operation reads, or writes, in their order.
struct WordStream {
  MemoryPorts* memory;
  bool write;
  std::vector<std::int64_t> addresses;
};

using Ports = std::vector<std::unique_ptr<MemoryPorts>>;  ///< by memory

/// What an operation's accesses touch, of on-chip memories or of all, by bank and direction. Where several accesses
/// share a bank their words alternate, each evenly spread.
std::vector<WordStream> word_streams(const Operation& operation, const Ports& ports, bool on_chip_only);

/// Presents a stream's words one after another, from this cycle on, as fast as the bank takes them; then calls `over`
/// with the end of the last. Runs by itself.
void sweep(Schedule& schedule, WordStream stream, std::function<void(Cycle end)> over);

}  // namespace accord::sim::cycle
