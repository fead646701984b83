#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/lowering/schedule.h"

namespace accord {

/// A signal that a list before must still send: after the operation with this number among the unit's in that list, and
/// before what its next one waits for.
struct LateSignal {
  int unit = -1;
  std::int64_t after = 0;
  int semaphore = -1;
};

/// Of each operation of a list, by unit the last one of lists before that it must see done.
class Predecessors {
 public:
  struct Last {
    int unit = -1;
    std::int64_t position = -1;  ///< place in the unit's order
  };

  void clear() {
    all_.clear();
    ends_.assign(1, 0);
  }
  /// One more of the operation that is being told of, the list's next.
  void add(int unit, std::int64_t position);
  void end_operation() { ends_.push_back(all_.size()); }

  std::span<const Last> of(std::size_t op) const {
    return std::span(all_).subspan(ends_[op], ends_[op + 1] - ends_[op]);
  }

 private:
  std::vector<Last> all_;  ///< of one operation after the other
  std::vector<std::size_t> ends_ = {0};
};

/// Lists that run one after another on a machine with semaphores, without waiting for all of the one before. To each
/// list it adds what the order of operations on different units needs: a signal after each operation that another unit
/// must see done, a wait before the operation that must see it; none that an earlier wait already implies. A signal
/// comes as late as it can, right before its wait or its unit's next operation: until the operation has begun it takes
/// a place in the unit's queue, and what does not fit there holds up all other units' instructions. One
/// semaphore per ordered pair of units; more where a signal might come while the others are at their greatest count; a
/// fence where there are none left.
class Synchroniser {
 public:
  /// `max`: greatest count of a semaphore.
  Synchroniser(int units, int semaphores, std::int64_t max);

  struct Added {
    std::vector<OrderedOp> order;
    std::vector<LateSignal> late;         ///< to the list before
    std::vector<std::int64_t> positions;  ///< by operation: place in its unit's order, over all lists
    std::int64_t across = 0;              ///< waits for lists before
  };
  /// Orders the list after those kept. `fence`: the place in `order` before which one stands: what comes before that
  /// waits for nothing, what comes behind for none of the lists kept.
  Added add(const OpList& list, const std::vector<std::uint32_t>& order, const Predecessors& earlier,
            std::optional<std::size_t> fence = std::nullopt);

  /// The list added last stays; without this the next one takes its place.
  void keep() { kept_ = std::move(state_); }

  /// All before is seen by all.
  void fence();

 private:
  /// What each unit knows to be done of each other one (place in that unit's own order).
  using Clock = std::vector<std::int64_t>;

  /// A semaphore of a pair of units: where the waits for its signals stand that may not have passed, by the place in
  /// the waiting unit's order of the operation behind the wait.
  struct Numbered {
    int number = -1;
    std::vector<std::int64_t> waits;
  };

  /// What a unit knew at its operations in a list: most of them know no more than the one before.
  struct Knowledge {
    std::vector<std::int64_t> since;  ///< by clock: place of the first operation that knew it
    Clock clocks;                     ///< one after the other
  };

  struct State {
    std::vector<Clock> clocks;        ///< by unit
    std::vector<std::int64_t> next;   ///< by unit: place of its next operation
    std::vector<std::int64_t> first;  ///< by unit: the same when the last list began
    std::vector<Knowledge> known;     ///< by unit, in the last list
    std::vector<bool> learnt;         ///< by unit: whether its clock is another than at its last operation
    std::map<std::pair<int, int>, std::vector<Numbered>> semaphores;  ///< by pair of units
    int taken = 0;                                                    ///< semaphores
  };

  /// The last operation of another unit that one must see.
  struct Needed {
    std::int64_t position = -1;
    std::int64_t op = -1;  ///< of the list; -1: of one before
  };

  using Known = std::span<const std::int64_t>;  ///< a clock

  /// What the unit knew at the operation with this place in its order.
  Known at(const State& state, int unit, std::int64_t position) const;
  void see(int unit, int other, std::int64_t position, Known known);
  /// The unit's next operation, with what it knows.
  std::int64_t place_next(int unit);
  int number(int from, int to, Known known);
  void pass_all(State& state) const;

  int units_, semaphores_;
  std::int64_t max_;
  State kept_, state_;
};

}  // namespace accord
