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

  UnitModule& unit(std::size_t index) override { return *units_[index]; }
  void move(const Operation&, std::int64_t, std::int64_t) override {}  // values never wait
  LinkUse link(std::size_t, Cycle) const override { return {0, 0}; }

 private:
  std::vector<std::unique_ptr<InstantUnit>> units_;
};

}  // namespace accord::sim
