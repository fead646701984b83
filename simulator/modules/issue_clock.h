#pragma once

#include "simulator/modules/stall_account.h"

namespace accord::sim {

/// A controller's own time: so many instructions per cycle.
class IssueClock {
 public:
  IssueClock(int width, StallAccount account) : width_(width), account_(std::move(account)) {}

  Cycle now() const { return slot_ / width_; }
  void issue(std::int64_t instructions) {
    slot_ += instructions;
    account_.spend(Leaves::working, (slot_ + width_ - 1) / width_);
  }
  /// Nothing is issued before `cycle`.
  void wait_until(Cycle cycle, int leaf) {
    if (cycle * width_ <= slot_) return;
    slot_ = cycle * width_;
    account_.spend(leaf, cycle);
  }
  StallAccount& account() { return account_; }

 private:
  int width_;
  std::int64_t slot_ = 0;
  StallAccount account_;
};

}  // namespace accord::sim
