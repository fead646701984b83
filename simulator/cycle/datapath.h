#pragma once

#include "simulator/cycle/compute.h"
#include "simulator/cycle/mover.h"
#include "simulator/modules/datapath.h"

namespace accord::sim {

/// Fidelity::cycle: every word, beat and row by itself.
class CycleDatapath final : public Datapath {
 public:
  explicit CycleDatapath(RunState& run);

  UnitModule& unit(std::size_t index) override { return *units_[index]; }
  std::vector<StallAccount*> accounts() override;
  void settle(Cycle total) override;
  void move(const Operation& operation, std::int64_t first, std::int64_t last) override;
  LinkUse link(std::size_t index, Cycle cycles) const override;

 private:
  std::unique_ptr<UnitModule> make_unit(int index);

  RunState& run_;
  cycle::Schedule schedule_;
  cycle::Ports ports_;
  std::vector<std::unique_ptr<cycle::BeatLink>> links_;  ///< the covenant's, then private wires
  std::vector<std::unique_ptr<UnitModule>> units_;
};

}  // namespace accord::sim
