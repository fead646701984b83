#pragma once

#include "simulator/modules/datapath.h"
#include "simulator/modules/mover.h"

namespace accord::sim {

/// Fidelity::transaction: an operation reserves ports and links for whole requests and whole operands.
class TransactionDatapath final : public Datapath {
 public:
  /// `stores` one per memory.
  TransactionDatapath(RunState& run, std::vector<ByteStore>& stores);

  UnitModule& unit(std::size_t index) override { return *units_[index]; }
  std::vector<StallAccount*> accounts() override;
  void settle(Cycle total) override;
  void move(const Operation& operation, std::int64_t first, std::int64_t last) override;
  LinkUse link(std::size_t index, Cycle cycles) const override;

 private:
  void make_unit(int index);
  std::vector<std::vector<LinkModule*>> ways(const Unit& unit);

  RunState& run_;
  std::vector<std::unique_ptr<MemoryModule>> memories_;
  std::vector<std::unique_ptr<LinkModule>> links_;  ///< the covenant's, then private wires
  std::vector<std::unique_ptr<UnitModule>> units_;
  std::vector<Mover*> movers_;  ///< by unit; nullptr for compute units
};

}  // namespace accord::sim
