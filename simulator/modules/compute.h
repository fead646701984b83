#pragma once

#include "simulator/modules/unit.h"

namespace accord::sim {

/// A compute unit. An operation that starts at t takes the unit until t + interval, reads in [t + start, t + start +
/// interval), or from when all before it have read, and is done `drain` later; ports that are busy lengthen reading and
/// writing. Its values change when it has read everything.
class Compute final : public UnitModule {
 public:
  using UnitModule::UnitModule;
  void begin(Operation& operation, Time at) override;
  Time free_at() const override { return free_; }

 private:
  Cycle until_first_word(const MemoryModule& memory) const;
  Time first_written(Time begun, Time read, Time done, Time reading, const OperationShape& shape);

  Time free_;
  Time read_until_;  ///< when all that has begun will have been read
};

}  // namespace accord::sim
