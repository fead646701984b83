#pragma once

#include <algorithm>

#include "archdsl/graph/architecture.h"
#include "simulator/modules/stall_account.h"

namespace accord::sim {

/// A controller's own time: groups of `width` instructions, each `interval` cycles after the one before; it stands
/// still where the run is not timed.
class IssueClock {
 public:
  IssueClock(const accord::Controller& spec, bool timed, StallAccount account)
      : width_(std::max(1, spec.issue_width)),
        interval_(timed ? std::max(1, spec.issue_interval) : 0),
        account_(std::move(account)) {}

  /// When the next instruction can issue.
  Cycle now() const { return from_ + issued_ / width_ * interval_; }
  void issue(std::int64_t instructions) {
    issued_ += instructions;
    account_.spend(Leaves::working, from_ + (issued_ + width_ - 1) / width_ * interval_);
  }
  /// Nothing is issued before `cycle`.
  void wait_until(Cycle cycle, int leaf) {
    if (cycle <= now()) return;
    from_ = cycle;
    issued_ = 0;
    account_.spend(leaf, cycle);
  }
  StallAccount& account() { return account_; }

 private:
  int width_;
  int interval_;
  Cycle from_ = 0;           ///< a group began here,
  std::int64_t issued_ = 0;  ///< and so many have issued since
  StallAccount account_;
};

}  // namespace accord::sim
