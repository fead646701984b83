#include "simulator/modules/unit.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/modules/controller.h"
#include "simulator/modules/in_order.h"

namespace accord::sim {

UnitModule::UnitModule(const sc_core::sc_module_name& name, RunState& run, int index,
                       std::span<MemoryModule* const> memories, StallAccount account)
    : sc_module(name),
      run_(run),
      account_(std::move(account)),
      spec_(run.architecture.units[static_cast<std::size_t>(index)]),
      index_(index),
      capacity_(std::max(1, spec_.queue)),
      memories_(memories),
      ended_(run),
      unused_places_(capacity_) {
  run.graph.rates().of(Cause::queue, index).places = capacity_;
  run.graph.rates().of(Cause::interval, index).own = spec_.period;
  if (run.in_order) return;  // the controller begins operations itself
  SC_HAS_PROCESS(UnitModule);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void UnitModule::wake(Cycle at) {
  if (in_order) return in_order->wake(at);
  notify_at(wake_, at);
}

void UnitModule::push(const Entry& entry) {
  if (unused_places_ > 0) {
    --unused_places_;
  } else {
    places_.pop_front();
  }
  if (run_.listener) run_.listener->queued(index_, entry.dispatched, 1);
  queue_.push_back(entry);
  if (queue_.size() == 1) wake(entry.dispatched);
}

void UnitModule::step() try {
  run_.settled = now();
  while (!queue_.empty() && !run_.hazards.fatal) {
    const Entry entry = queue_.front();
    if (entry.dispatched.at > now()) return wake(entry.dispatched);
    if (entry.kind == Entry::Kind::wait && !pass_wait(entry)) return;
    if (entry.kind == Entry::Kind::signal) pass_signal(entry);
    if (entry.kind == Entry::Kind::operation && !start(*entry.operation)) return;
    queue_.pop_front();
    places_.push_back(passed_);
    if (run_.listener) run_.listener->queued(index_, passed_, -1);
    controller->slot_freed(index_);
  }
} catch (...) {
  run_.fail();
}

bool UnitModule::pass_wait(const Entry& entry) {
  const Semaphores::Token* token = semaphores->front(entry.semaphore);
  if (!token || token->time.at > now()) {
    semaphores->add_waiter(entry.semaphore, index_);
    if (token) wake(token->time);
    return false;
  }
  semaphores->remove_waiter(entry.semaphore, index_);
  run_.report_overflow(*semaphores, entry.semaphore, now());
  account_.spend(Leaves::draining, std::min(entry.dispatched.at, last_done_.at));
  account_.spend(Leaves::nothing_to_do, entry.dispatched);
  account_.spend(run_.leaves.semaphore(entry.semaphore), now());
  const Semaphores::Token taken = semaphores->take(entry.semaphore);
  if (run_.listener) run_.listener->signalled(entry.semaphore, now(), -1);
  run_.graph.work_for(index_, entry.instruction);
  if (run_.races) run_.races->wait(index_, entry.semaphore);
  leave_queue(run_.graph.later(entry.dispatched, taken.time), entry.kind);
  return true;
}

// Neither before `ready` nor before the entry ahead of it; the unit is not free before an operation ahead has left.
void UnitModule::leave_queue(Time ready, Entry::Kind kind) {
  const bool in_turn = kind == Entry::Kind::operation && last_left_ == Entry::Kind::operation;
  passed_ = run_.graph.no_earlier(in_turn ? ready : run_.graph.later(ready, passed_), now());
  last_left_ = kind;
}

void UnitModule::pass_signal(const Entry& entry) {
  run_.graph.work_for(index_, entry.instruction);
  leave_queue(entry.dispatched, entry.kind);
  signals_.push_back({begun_, entry.semaphore, entry.instruction, entry.mnemonic, passed_,
                      run_.races ? run_.races->knowledge(index_) : VectorClock()});
  flush_signals();
}

void UnitModule::flush_signals() {
  while (!signals_.empty() && signals_.front().after <= resolved_) {
    PendingSignal& signal = signals_.front();
    const Time at = run_.graph.no_earlier(run_.graph.later(last_done_, signal.passed), now());
    if (run_.listener) run_.listener->signalled(signal.semaphore, at, 1);
    semaphores->give(signal.semaphore, {at, signal.instruction, signal.mnemonic});
    if (run_.races) run_.races->signal(index_, signal.semaphore, signal.clock, signal.instruction, signal.mnemonic, at);
    for (const int waiter : semaphores->waiters(signal.semaphore)) controller->unit(waiter).wake(at);
    signals_.pop_front();
  }
}

Time UnitModule::results_ready(const Operation& operation) {
  Time ready;
  std::size_t kept = 0;
  for (Operation* earlier : recent_) {
    if (earlier->done != unknown && earlier->done < now()) {
      ended_.take(earlier);
      continue;
    }
    recent_[kept++] = earlier;
    if (ready == unknown || !reads_result_of(operation, *earlier)) continue;
    ready = earlier->done == unknown ? not_known : run_.graph.later(ready, earlier->done);
  }
  recent_.resize(kept);
  return ready;
}

bool UnitModule::start(Operation& operation) {
  if (operation.unresolved > 0) return false;
  const Time free = free_at(), results = results_ready(operation);
  if (free == unknown || results == unknown) return false;
  const Cycle at = std::max({operation.dispatched.at, operation.ready.at, free.at, results.at});
  if (at > now()) {
    wake(at);
    return false;
  }
  const int cause = results.at > operation.ready.at || operation.blocked_by < 0 ? index_ : operation.blocked_by;
  account_start(operation, now(), run_.leaves.operand_of(cause));
  run_.graph.work_for(index_, operation.instruction);
  const Time ready =
      run_.graph.later(run_.graph.later(operation.dispatched, operation.ready), run_.graph.later(free, results));
  const auto reads = [&](const Operation& earlier) { return reads_result_of(operation, earlier); };
  leave_queue(ended_.no_sooner(run_.graph.later(ready, operation.over), reads), Entry::Kind::operation);
  operation.started = passed_;
  ++begun_;
  ++unresolved_;
  if (run_.timed) {
    ++operation.holds;
    recent_.push_back(&operation);
  }
  if (run_.races) run_.races->begin(operation, now());
  if (run_.listener) run_.listener->began(operation);
  begin(operation, operation.started);
  return true;
}

void UnitModule::account_start(const Operation& operation, Cycle at, int leaf) {
  if (unresolved_ > 0) return account_.spend(Leaves::memory_latency, at);  // an earlier operation is under way
  account_.spend(Leaves::draining, std::min(operation.dispatched.at, last_done_.at));
  account_.spend(Leaves::nothing_to_do, operation.dispatched);
  account_.spend(leaf, at);
}

void UnitModule::resolve(Operation& operation) {
  last_done_ = run_.graph.later(last_done_, operation.done);
  run_.layers.finish(operation);
  if (run_.listener) run_.listener->ended(operation);
  if (run_.in_order) return;
  ++resolved_;
  --unresolved_;
  for (Operation* dependent : operation.dependents) {
    if (operation.done.at > dependent->ready.at) dependent->blocked_by = index_;
    dependent->ready = run_.graph.later(dependent->ready, operation.done);
    if (--dependent->unresolved == 0) controller->unit(dependent->unit).wake(std::max(now(), dependent->ready.at));
    run_.pool.release(dependent);
  }
  operation.dependents.clear();
  flush_signals();
  controller->operation_resolved(operation);
}

}  // namespace accord::sim
