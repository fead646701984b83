#pragma once

#include <deque>
#include <span>
#include <systemc>
#include <vector>

#include "simulator/modules/clock.h"
#include "simulator/modules/ended_operations.h"
#include "simulator/modules/memory.h"
#include "simulator/modules/run_state.h"
#include "simulator/modules/semaphores.h"

namespace accord::sim {

class Controller;
class InOrderController;

/// A compute unit or mover with its in-order queue. Derived modules say what an operation costs.
class UnitModule : public sc_core::sc_module {
 public:
  struct Entry {
    enum class Kind { operation, wait, signal } kind;
    Operation* operation;  ///< nullptr for wait, signal
    int semaphore;
    std::int64_t instruction;
    int mnemonic;
    Time dispatched;
  };

  /// `memories`: all of the machine's, by their number; none where operations take no time.
  UnitModule(const sc_core::sc_module_name& name, RunState& run, int index, std::span<MemoryModule* const> memories,
             StallAccount account);

  // The controller's side.
  bool full() const { return static_cast<int>(queue_.size()) >= capacity_; }
  void push(const Entry& entry);
  /// When the place in the queue that the next entry takes was left. Not where the queue is full.
  Time next_place() const { return unused_places_ > 0 ? Time() : places_.front(); }
  /// The operation may have become ready.
  void wake(Cycle at);

  /// Starts the operation at `at` and fixes what follows from that; its end may stay unknown for a while.
  virtual void begin(Operation& operation, Time at) = 0;
  /// When the next operation can start; unknown until something that is under way says so.
  virtual Time free_at() const = 0;

  /// Charges the time up to an operation's start: drained and idle, then waiting for `leaf`.
  void account_start(const Operation& operation, Cycle at, int leaf);

  const std::deque<Entry>& queue() const { return queue_; }
  bool idle() const { return queue_.empty() && unresolved_ == 0; }
  Time last_done() const { return last_done_; }
  StallAccount& account() { return account_; }
  const Unit& spec() const { return spec_; }
  int index() const { return index_; }

  Controller* controller = nullptr;       ///< of a machine with queues
  InOrderController* in_order = nullptr;  ///< of one without
  Semaphores* semaphores = nullptr;

 protected:
  /// The operation's end is known.
  void resolve(Operation& operation);
  MemoryModule& memory(int index) const { return *memories_[static_cast<std::size_t>(index)]; }

  RunState& run_;
  StallAccount account_;

 private:
  void step();
  bool pass_wait(const Entry& entry);
  void pass_signal(const Entry& entry);
  void leave_queue(Time ready, Entry::Kind kind);
  bool start(Operation& operation);
  /// Latest end among this unit's earlier operations whose results it reads; unknown where one has no end yet.
  Time results_ready(const Operation& operation);
  void flush_signals();

  struct PendingSignal {
    std::int64_t after;  ///< operations of this unit that must have ended
    int semaphore;
    std::int64_t instruction;
    int mnemonic;
    Time passed;
    VectorClock clock;
  };

  const Unit& spec_;
  int index_;
  int capacity_;
  std::span<MemoryModule* const> memories_;
  std::deque<Entry> queue_;
  EndedOperations ended_;
  std::vector<Operation*> recent_;  ///< begun, perhaps unfinished; none where nothing takes time
  std::deque<PendingSignal> signals_;
  std::int64_t begun_ = 0, resolved_ = 0;
  int unresolved_ = 0;
  Time last_done_;
  Time passed_;  ///< when the last entry left the queue
  Entry::Kind last_left_ = Entry::Kind::operation;
  std::deque<Time> places_;  ///< left by entries, not taken since
  int unused_places_;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim
