#pragma once

#include "simulator/modules/datapath.h"

namespace accord::sim {

/// A unit at Fidelity::function: an operation is done when it begins, with its values.
class InstantUnit final : public UnitModule {
 public:
  using UnitModule::UnitModule;
  void begin(Operation& operation, Time at) override;
  Time free_at() const override { return {}; }
};

/// Fidelity::function: nothing but units that take no time.
class FunctionDatapath final : public Datapath {
 public:
  explicit FunctionDatapath(RunState& run);

  void move(const Operation&, std::int64_t, std::int64_t) override {}  // values never wait
  std::int64_t link_bytes(std::size_t) const override { return 0; }
};

}  // namespace accord::sim
