#include "simulator/modules/in_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord::sim {

InOrderController::InOrderController(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front,
                                     Sequence& sequence, StallAccount account)
    : sc_module(name),
      run_(run),
      front_(front),
      sequence_(sequence),
      clock_(run.architecture.controller, run, std::move(account)) {
  front_.layer_over = [this](int layer) { run_.layers.all_dispatched(layer, clock_.at()); };
  SC_HAS_PROCESS(InOrderController);
  SC_METHOD(step);
}

void InOrderController::step() try {
  for (bool more = sequence_.begin(0); more && !run_.hazards.fatal; more = sequence_.next_stage(clock_.at())) {
    while (const Decoded* decoded = front_.next()) {
      if (!execute(*decoded)) return;
    }
    if (run_.hazards.fatal) return;
    clock_.issue(front_.executed() - executed_);
    executed_ = front_.executed();
    fence();
  }
  finished_ = true;
} catch (...) {
  run_.fail();
}

void InOrderController::fence() {
  Time last;
  for (const UnitModule* unit : units_) last = run_.graph.later(last, unit->last_done());
  clock_.wait_until(last, Leaves::fence);
}

bool InOrderController::execute(const Decoded& decoded) {
  clock_.issue(front_.executed() - executed_ - 1);
  executed_ = front_.executed();
  if (decoded.meaning == Meaning::fence) fence();
  if (decoded.meaning == Meaning::run || decoded.meaning == Meaning::transfer) {
    if (!run_.bind(decoded, front_.arguments(), clock_.at(), operation_)) return false;
    UnitModule& unit = *units_[static_cast<std::size_t>(decoded.unit)];
    DependenceGraph& graph = run_.graph;
    const Delay latency(Cause::dispatch, 0, run_.issue_latency());
    graph.work_for(decoded.unit, decoded.index);
    operation_.dispatched = graph.after(clock_.now(), latency);
    clock_.wait_until(graph.after(unit.free_at(), -latency), run_.leaves.queue_of(decoded.unit));
    int user = decoded.unit;
    const Time free = ranges_free(operation_, graph.after(clock_.now(), latency), user);
    clock_.wait_until(graph.after(free, -latency), run_.leaves.operand_of(user));
    const Time start = operation_.started = graph.after(clock_.now(), latency);
    run_.settled = start;
    run_.layers.count(operation_);
    unit.account_start(operation_, start, run_.leaves.operand_of(user));
    unit.begin(operation_, start);
    if (run_.hazards.fatal) return false;
    if (operation_.done.at > run_.most_cycles) {
      run_.out_of_time(start, decoded.index, decoded.mnemonic);
      return false;
    }
    use_ranges(operation_);
    if (run_.timed) run_.evaluator.evaluate(operation_);
  } else if (decoded.meaning != Meaning::fence) {
    run_.hazards.report("out_of_range", clock_.at(), decoded.index, decoded.mnemonic,
                        "an in-order machine has no semaphores");
    run_.hazards.fatal = true;
    return false;
  }
  clock_.issue(1);
  return true;
}

Time InOrderController::ranges_free(const Operation& operation, Time at, int& unit) {
  std::erase_if(uses_, [at](const Use& use) { return use.done.at <= at.at; });
  Time free = at;
  for (const AccessShape& access : operation.shape->accesses) {
    const std::int64_t low = operation.low(access), high = operation.high(access);
    for (const Use& use : uses_) {
      if (use.memory != access.memory || use.low >= high || low >= use.high || use.done.at <= free.at) continue;
      // Within one unit only reading a result waits: its operations read and write in order.
      const bool waits =
          use.unit == operation.unit ? use.writes && access.reads && !access.in_place : use.writes || access.writes;
      if (!waits) continue;
      free = run_.graph.later(free, use.done);
      unit = use.unit;
    }
  }
  return free;
}

void InOrderController::use_ranges(const Operation& operation) {
  for (const AccessShape& access : operation.shape->accesses) {
    if (access.footprint.extent == 0) continue;
    uses_.push_back(
        {access.memory, operation.unit, access.writes, operation.low(access), operation.high(access), operation.done});
  }
}

}  // namespace accord::sim
