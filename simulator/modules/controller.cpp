#include "simulator/modules/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace accord::sim {

Controller::Controller(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front, Sequence& sequence,
                       StallAccount account)
    : sc_module(name),
      run_(run),
      clock_(run.architecture.controller, run, std::move(account)),
      feed_(run, front, sequence, clock_),
      ended_(run),
      unused_entries_(std::max(1, run.architecture.sync.entries)) {
  run_.graph.rates().of(Cause::entries, 0).places = unused_entries_;
  SC_HAS_PROCESS(Controller);
  SC_METHOD(step);
  sensitive << wake_;
}

void Controller::attach(UnitModule& unit) {
  unit.controller = this;
  units_.push_back(&unit);
}

void Controller::step() try {
  run_.settled = sim::now();
  wait_ = Wait::nothing;
  run_.agenda.drain(sim::now());
  while (!run_.hazards.fatal && feed_.fetch([&] { return fence(); }) && dispatch()) feed_.pop();
} catch (...) {
  run_.fail();
}

bool Controller::block(Wait wait) {
  wait_ = wait;
  return false;
}

bool Controller::all_idle() const {
  return std::ranges::all_of(units_, [](const UnitModule* unit) { return unit->idle(); });
}

Time Controller::last_done() const {
  Time last;
  for (const UnitModule* unit : units_) last = run_.graph.later(last, unit->last_done());
  return last;
}

bool Controller::fence() {
  if (!all_idle()) return block(Wait::idle);
  if (feed_.instruction()) run_.graph.work_for(-1, feed_.instruction()->index);
  clock_.wait_for_idle(last_done());
  if (run_.races) run_.races->join_all();
  return true;
}

bool Controller::dispatch() {
  const Decoded& instruction = *feed_.instruction();
  if (instruction.meaning == Meaning::fence) {
    if (!fence()) return false;
    clock_.issue_fence();
    return true;
  }
  UnitModule& to = unit(instruction.unit);
  if (to.full()) return block(Wait::queue);
  run_.graph.work_for(-1, instruction.index);
  if (!placed_) clock_.wait_for_place(to.next_place(), Cause::queue, to.index(), run_.leaves.queue_of(to.index()));
  placed_ = true;
  if (instruction.meaning == Meaning::run || instruction.meaning == Meaning::transfer) return dispatch_operation(to);
  const std::int64_t semaphore = feed_.arguments()[0];
  if (semaphore < 0 || semaphore >= run_.architecture.sync.semaphores) {
    run_.hazards.end(
        "out_of_range", clock_.at(), instruction.index, instruction.mnemonic,
        fmt::format("semaphore {} does not exist; there are {}", semaphore, run_.architecture.sync.semaphores));
    return false;
  }
  const auto kind =
      instruction.meaning == Meaning::wait ? UnitModule::Entry::Kind::wait : UnitModule::Entry::Kind::signal;
  push(to, {kind, nullptr, static_cast<int>(semaphore), instruction.index, instruction.mnemonic, dispatched()});
  return true;
}

// What issues now reaches its queue then.
Time Controller::dispatched() { return run_.graph.after(clock_.now(), {Cause::dispatch, 0, run_.issue_latency()}); }

bool Controller::dispatch_operation(UnitModule& to) {
  const bool interlock = run_.architecture.sync.kind == Sync::Kind::interlock;
  if (interlock && !reserve_entry()) return false;
  Operation& operation = *run_.pool.take();
  if (!run_.bind(*feed_.instruction(), feed_.arguments(), clock_.at(), operation)) {
    return false;
  }
  operation.id = next_id_++;
  operation.dispatched = dispatched();
  run_.layers.count(operation);
  if (interlock) {
    order_after_conflicts(operation);
    outstanding_.push_back(&operation);
  }
  push(to, {UnitModule::Entry::Kind::operation, &operation, -1, operation.instruction, operation.mnemonic,
            operation.dispatched});
  return true;
}

void Controller::push(UnitModule& to, const UnitModule::Entry& entry) {
  to.push(entry);
  placed_ = false;
  clock_.issue(1);
}

// An entry is free as soon as one of the operations that hold them is done.
bool Controller::reserve_entry() {
  const auto entries = static_cast<std::size_t>(std::max(1, run_.architecture.sync.entries));
  for (Cycle current = clock_.at();;) {
    const Operation* earliest = nullptr;
    bool all_known = true;
    std::erase_if(outstanding_, [&](Operation* operation) {
      if (operation->done != unknown && operation->done.at <= current) {
        entries_left_.push_back(operation->done);
        ended_.take(operation);
        return true;
      }
      const bool known = operation->done != unknown;
      all_known = all_known && known;
      if (known && (!earliest || operation->done.at < earliest->done.at)) earliest = operation;
      return false;
    });
    if (outstanding_.size() < entries) {
      clock_.wait_for_place(take_entry(), Cause::entries, 0, Leaves::entries);
      return true;
    }
    if (!earliest) return block(Wait::entries);
    if (!all_known && earliest->done.at > sim::now()) {
      notify_at(wake_, earliest->done);
      return block(Wait::entries);
    }
    current = earliest->done.at;
  }
}

// When the entry became free; that which has been so for longest.
Time Controller::take_entry() {
  if (unused_entries_ > 0) {
    --unused_entries_;
    return {};
  }
  const auto first = std::ranges::min_element(entries_left_, {}, &Time::at);
  const Time entry = *first;
  *first = entries_left_.back();
  entries_left_.pop_back();
  return entry;
}

void Controller::order_after_conflicts(Operation& operation) {
  operation.over = ended_.no_sooner({}, [&](const Operation& earlier) {
    return earlier.unit != operation.unit && conflicts(operation, earlier, Within::on_chip);
  });
  for (Operation* earlier : outstanding_) {
    if (earlier->unit == operation.unit || !conflicts(operation, *earlier, Within::on_chip)) continue;
    if (earlier->done == unknown) {
      earlier->dependents.push_back(&operation);
      ++operation.unresolved;
      ++operation.holds;
    } else {
      if (earlier->done.at > operation.ready.at) operation.blocked_by = earlier->unit;
      operation.ready = run_.graph.later(operation.ready, earlier->done);
    }
  }
}

void Controller::slot_freed(int unit_index) {
  const bool queue = wait_ == Wait::queue && feed_.instruction()->unit == unit_index;
  if (queue || (wait_ == Wait::idle && all_idle())) notify_at(wake_, sim::now());
}

void Controller::operation_resolved(Operation& operation) {
  if (wait_ == Wait::entries) notify_at(wake_, operation.done);
  if (wait_ == Wait::idle && all_idle()) notify_at(wake_, sim::now());
  if (run_.architecture.sync.kind != Sync::Kind::interlock) run_.pool.release(&operation);
}

}  // namespace accord::sim
