#pragma once

#include "simulator/cycle/compute.h"
#include "simulator/cycle/mover.h"
#include "simulator/modules/timed_datapath.h"

namespace accord::sim {

/// Fidelity::cycle: every word, beat and row by itself.
class CycleDatapath final : public TimedDatapath<cycle::MemoryPorts, cycle::BeatLink> {
 public:
  explicit CycleDatapath(RunState& run);

  void move(const Operation& operation, std::int64_t first, std::int64_t last) override;

 private:
  std::unique_ptr<UnitModule> make_unit(int index);

  cycle::Schedule schedule_;
};

}  // namespace accord::sim
