#pragma once

#include "simulator/modules/stall_account.h"
#include "simulator/time/timeline.h"

namespace accord::sim {

/// The account of what works or has nothing to do: a memory, a link. It learns of busy cycles in any order.
class BusyAccount : public StallAccount {
 public:
  explicit BusyAccount(const StallAccount& account) : StallAccount(account) {}

  void add(Cycle first, Cycle end) {
    keep(first, end);
    if (full()) spend_until(settled());
  }
  /// The same, where the caller sees to what is `full`.
  void keep(Cycle first, Cycle end) { busy_.add(first, end); }
  bool full() const { return busy_.pieces() > most_pieces; }
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
