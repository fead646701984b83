#pragma once

#include "simulator/modules/mover.h"
#include "simulator/modules/timed_datapath.h"

namespace accord::sim {

/// Fidelity::transaction: an operation reserves ports and links for whole requests and whole operands.
class TransactionDatapath final : public TimedDatapath<MemoryModule, LinkModule> {
 public:
  /// `stores` one per memory.
  TransactionDatapath(RunState& run, std::vector<ByteStore>& stores);

  Time drained(Time end) override;
  void settle(Cycle total) override;
  void move(const Operation& operation, std::int64_t first, std::int64_t last) override;

 private:
  void make_unit(int index);
  std::vector<std::vector<LinkModule*>> ways(const Unit& unit);

  std::vector<MemoryModule*> memory_of_;  ///< by number
  std::vector<Mover*> movers_;            ///< by unit; nullptr for compute units
};

}  // namespace accord::sim
