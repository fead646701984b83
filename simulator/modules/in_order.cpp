#include "simulator/modules/in_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord::sim {

InOrderController::InOrderController(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front,
                                     Sequence& sequence, StallAccount account)
    : sc_module(name),
      run_(run),
      clock_(run.architecture.controller, run, std::move(account)),
      feed_(run, front, sequence, clock_),
      ended_(run) {
  SC_HAS_PROCESS(InOrderController);
  SC_METHOD(step);
  sensitive << wake_;
}

void InOrderController::step() try {
  if (!run_.ahead) {
    run_.settled = sim::now();
    run_.agenda.drain(sim::now());
  }
  if (blocked_) clock_.wait_until(Time(sim::now() - run_.issue_latency()), wait_leaf_);
  blocked_ = false;
  while (!run_.hazards.fatal && feed_.fetch([&] { return fence(); }) && execute()) feed_.pop();
} catch (...) {
  run_.fail();
}

bool InOrderController::block(int leaf) {
  blocked_ = true;
  wait_leaf_ = leaf;
  return false;
}

bool InOrderController::fence() {
  const auto open = [](const Operation* operation) { return operation->done == unknown; };
  if (std::ranges::any_of(unfinished_, open)) return block(Leaves::fence);
  Time last;
  for (const UnitModule* unit : units_) last = run_.graph.later(last, unit->last_done());
  clock_.wait_for_idle(last);
  return true;
}

bool InOrderController::execute() {
  const Decoded& instruction = *feed_.instruction();
  if (instruction.meaning == Meaning::fence) {
    if (!fence()) return false;
    clock_.issue_fence();
    return true;
  }
  if (instruction.meaning == Meaning::run || instruction.meaning == Meaning::transfer) {
    if (!operation_ && !bind()) return false;
    if (!start()) return false;
  } else {
    run_.hazards.end("out_of_range", clock_.at(), instruction.index, instruction.mnemonic,
                     "an in-order machine has no semaphores");
    return false;
  }
  clock_.issue(1);
  return true;
}

bool InOrderController::bind() {
  operation_ = run_.pool.take();
  if (!run_.bind(*feed_.instruction(), feed_.arguments(), clock_.at(), *operation_)) return false;
  operation_->id = next_id_++;
  run_.graph.work_for(operation_->unit, operation_->instruction);
  operation_->dispatched = run_.graph.after(clock_.now(), latency());
  return true;
}

bool InOrderController::start() {
  Operation& operation = *operation_;
  UnitModule& unit = *units_[static_cast<std::size_t>(operation.unit)];
  DependenceGraph& graph = run_.graph;
  const Time free = unit.free_at();
  if (free == unknown) return block(run_.leaves.queue_of(operation.unit));
  clock_.wait_until(graph.after(free, -latency()), run_.leaves.queue_of(operation.unit));
  int user = operation.unit;
  const Time ranges = ranges_free(operation, graph.after(clock_.now(), latency()), user);
  if (ranges == unknown) return block(run_.leaves.operand_of(user));
  clock_.wait_until(graph.after(ranges, -latency()), run_.leaves.operand_of(user));
  const Time start = graph.after(clock_.now(), latency());
  if (!run_.ahead && start.at > sim::now()) {
    wake(start);
    return false;
  }
  operation.started = start;
  run_.settled = start;
  run_.layers.count(operation);
  unit.account_start(operation, start, run_.leaves.operand_of(user));
  if (run_.listener) run_.listener->began(operation);
  unit.begin(operation, start);
  if (run_.hazards.fatal) return false;
  if (operation.done.at > run_.most_cycles) {
    run_.out_of_time(start, operation.instruction, operation.mnemonic);
    return false;
  }
  if (run_.ahead && run_.values) run_.evaluator.evaluate(operation);
  unfinished_.push_back(&operation);
  operation_ = nullptr;
  return true;
}

Time InOrderController::ranges_free(const Operation& operation, Time at, int& unit) {
  std::erase_if(unfinished_, [&](Operation* earlier) {
    const bool over = earlier->done != unknown && earlier->done.at <= at.at;
    if (over) ended_.take(earlier);
    return over;
  });
  Time free = ended_.no_sooner(at, [&](const Operation& earlier) { return holds_up(operation, earlier); });
  for (const Operation* earlier : unfinished_) {
    if ((earlier->done != unknown && earlier->done.at <= free.at) || !holds_up(operation, *earlier)) continue;
    unit = earlier->unit;
    if (earlier->done == unknown) return not_known;
    free = run_.graph.later(free, earlier->done);
  }
  return free;
}

// Within one unit only reading a result waits: its operations read and write in order.
bool InOrderController::holds_up(const Operation& operation, const Operation& earlier) {
  return operation.unit == earlier.unit ? reads_result_of(operation, earlier)
                                        : conflicts(operation, earlier, Within::all);
}

}  // namespace accord::sim
