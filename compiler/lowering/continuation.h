#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/lowering/layer_history.h"
#include "compiler/lowering/schedule.h"
#include "compiler/lowering/synchroniser.h"

namespace accord {

/// Orders lists of operations that run one after another, so that one begins while the one before ends.
/// - semaphores: waits and signals between all operations that touch the same addresses; a load of constants waits for
///   nothing but the memory that they go to.
/// - interlock: the machine orders what is on chip; a fence stands before a list that touches bytes off chip which one
///   since the last fence wrote, or writes what one touched. Loads that do not are before it where they are predicted
///   to be done by then.
/// - in order: the machine orders all by address.
class Continuation {
 public:
  /// `tensor_bytes`: of off-chip memory, from its start, that holds what operations write.
  Continuation(const Architecture& architecture, std::int64_t tensor_bytes);

  struct Ordered {
    std::vector<OrderedOp> order;
    std::vector<LateSignal> late;   ///< to the list kept last
    bool lacks_semaphores = false;  ///< fences stand within the list
  };
  /// The list after those kept. `known`: schedules of it.
  Ordered order(const OpList& list, KnownSchedules& known);

  /// The list ordered last stays.
  void keep();

  /// All before is done.
  void fence();

  /// How often lists were kept or all was done: where it has not changed, a list that was ordered left nothing behind.
  std::int64_t changes() const { return changes_; }

 private:
  bool find_lead(const OpList& list);
  std::size_t loads_ahead(const OpList& list, Lead under_way);
  Synchroniser::Added behind_fence(const OpList& list, KnownSchedules& known);
  Ordered with_semaphores(const OpList& list, KnownSchedules& known);
  std::int64_t dispatched(const OpList& list) const;
  void ranges_of(const OpList& list, std::size_t op);
  std::span<const AddressRange> touched(std::size_t op) const {
    return std::span(touched_).subspan(first_touched_[op], first_touched_[op + 1] - first_touched_[op]);
  }

  const Architecture& architecture_;
  AddressRanges ranges_;
  LayerHistory history_;
  Synchroniser synchroniser_;
  std::vector<std::int64_t> free_;  ///< by unit, predicted
  std::int64_t dispatched_ = 0;     ///< everything, predicted
  std::int64_t done_ = 0;           ///< everything, predicted

  bool timed_ = false;  ///< whether of the list kept last is predicted when units are free

  std::int64_t changes_ = 0;

  // Of the list ordered last.
  Schedule schedule_;
  Lead lead_;
  std::vector<std::int64_t> positions_;     ///< by operation
  std::vector<AddressRange> touched_;       ///< of one operation after the other
  std::vector<std::size_t> first_touched_;  ///< by operation, and their end
  std::vector<int> units_;                  ///< by operation
  std::vector<bool> waits_;                 ///< by operation: for what lists before must have done
  std::int64_t last_dispatch_ = 0;
  bool fenced_ = false;
  Predecessors earlier_;  ///< what lists before must have done
  std::vector<AddressRange> now_;
};

}  // namespace accord
