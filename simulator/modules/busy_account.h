#pragma once

#include "simulator/modules/stall_account.h"
#include "simulator/time/timeline.h"

namespace accord::sim {

/// The account of what works or has nothing to do: a memory, a link. It learns of busy cycles in any order.
class BusyAccount : public StallAccount {
 public:
  explicit BusyAccount(const StallAccount& account) : StallAccount(account) {}

  void add(Cycle first, Cycle end) {
    busy_.add(first, end);
    if (busy_.pieces() > most_pieces) spend_until(settled());
  }
  /// Spends the busy cycles before `limit`, and those between them on nothing.
  void spend_until(Cycle limit) {
    busy_.drain(limit, [&](Cycle first, Cycle end) {
      spend(Leaves::nothing_to_do, first);
      spend(Leaves::working, end);
    });
  }

 private:
  static constexpr std::size_t most_pieces = 256;

  BusyCycles busy_;
};

}  // namespace accord::sim
