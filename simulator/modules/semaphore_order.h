#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/modules/vector_clock.h"

namespace accord::sim {

/// What a unit that waited for a semaphore has surely seen, whichever signals came first: between two fences its k-th
/// wait has seen the j-th signal of unit A if the other units' signals, those left over at the fence and A's first j -
/// 1 are fewer than k. Where one unit signals, that is the k-th. Waits are settled when the unit next does something,
/// so that several of them in a row join what several units signalled.
class SemaphoreOrder {
 public:
  SemaphoreOrder(int semaphores, int units)
      : states_(static_cast<std::size_t>(semaphores)), unsettled_(static_cast<std::size_t>(units)) {}

  /// The count rises; `clock` is what the unit knew. Returns a unit that has waited before, has done something since,
  /// and might have taken this signal for the one that it relied on; -1: none.
  int signal(int semaphore, int unit, VectorClock clock);
  /// The unit's own clock stands at `tick`.
  void wait(int semaphore, int unit, std::uint64_t tick);
  /// The unit does something: joins what its waits have surely seen into `clock`.
  void settle(int unit, VectorClock& clock);
  /// All that was is seen by all.
  void fence();

 private:
  struct Signaller {
    int unit;
    std::int64_t count = 0;
    std::deque<VectorClock> last{};  ///< of its last signals
  };
  struct Waiter {
    int unit;
    std::int64_t count = 0;
    std::uint64_t tick = 0;     ///< of the last settled wait
    std::uint64_t waited = 0;   ///< of the last one
    std::vector<int> relied{};  ///< units whose signals its settled waits have seen
  };
  struct State {
    std::int64_t left_over = 0, given = 0, taken = 0;
    std::vector<Signaller> signallers;
    std::vector<Waiter> waiters;
  };
  static void settle(const State& state, Waiter& waiter, VectorClock& clock);
  static void forget(const State& state, Signaller& signaller);

  std::vector<State> states_;
  std::vector<std::vector<int>> unsettled_;  ///< by unit: semaphores
  std::vector<int> touched_;                 ///< semaphores since the last fence
};

}  // namespace accord::sim
