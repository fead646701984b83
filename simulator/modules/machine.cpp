#include "simulator/modules/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

namespace accord::sim {

Machine::Machine(RunState& run, FrontEnd& front, Sequence& sequence, std::vector<ByteStore>& stores,
                 const MakeDatapath& make_datapath)
    : run_(run), datapath_(make_datapath(run, stores)) {
  const Architecture& architecture = run.architecture;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) units_.push_back(&datapath_->unit(u));
  run.agenda.perform = [this](const Agenda::Item& item) { perform(item); };
  if (run.in_order) {
    in_order_ = std::make_unique<InOrderController>("controller", run, front, sequence, account_of(run));
    for (UnitModule* unit : units_) in_order_->attach(*unit);
    tell_listener();
    return;
  }
  semaphores_ = std::make_unique<Semaphores>(architecture.sync.semaphores, architecture.sync.semaphore_max);
  controller_ = std::make_unique<Controller>("controller", run, front, sequence, account_of(run));
  for (UnitModule* unit : units_) {
    unit->semaphores = semaphores_.get();
    controller_->attach(*unit);
  }
  tell_listener();
}

void Machine::tell_listener() {
  if (!run_.listener || !run_.timed) return;
  int number = 0;
  for (const Component& component : components()) component.account->tell(*run_.listener, number++);
}

void Machine::perform(const Agenda::Item& item) {
  if (!item.operation) {
    run_.end_layer(item.layer);
    return;
  }
  const Operation& operation = *item.operation;
  if (!run_.values) {
    return run_.pool.release(item.operation, item.holds);
  }
  if (item.first == item.last) {
    run_.evaluator.evaluate(operation);
  } else {
    datapath_->move(operation, item.first, item.last);
  }
  run_.pool.release(item.operation, item.holds);
}

void Machine::run() {
  const bool over = session_.run(run_.most_cycles);
  if (run_.failure) std::rethrow_exception(run_.failure);
  if (!over && !run_.hazards.fatal) report_late_unit();
  if (controller_ && !controller_->finished() && !run_.hazards.fatal) controller_->report_deadlock();
  assert(!in_order_ || in_order_->finished() || run_.hazards.fatal);
  if (semaphores_ && !run_.hazards.fatal) report_unmatched_signals();
  run_.agenda.drain();
}

// Names what the unit at work is about to do, of several the one that stands first.
void Machine::report_late_unit() {
  const auto late = std::ranges::find_if(units_, [](const auto& unit) { return !unit->idle(); });
  const auto* head = late == units_.end() || (*late)->queue().empty() ? nullptr : &(*late)->queue().front();
  run_.out_of_time(run_.most_cycles, head ? head->instruction : -1, head ? head->mnemonic : -1);
}

// A count that is left over is a wait that is missing somewhere, even where the order came out right.
void Machine::report_unmatched_signals() {
  for (int s = 0; s < semaphores_->count(); ++s) {
    const Semaphores::Token* token = semaphores_->front(s);
    if (token == nullptr) continue;
    run_.report_overflow(*semaphores_, s, std::numeric_limits<Cycle>::max());
    run_.hazards.report("unmatched_signal", token->time, token->instruction, token->mnemonic,
                        fmt::format("semaphore {} ends with a signal that nothing waited for", s));
  }
}

Time Machine::close() {
  Time total = controller_ ? controller_->now() : in_order_->now();
  for (const UnitModule* unit : units_) total = run_.graph.later(total, unit->last_done());
  total = datapath_->drained(total);
  for (const Component& component : components()) total = run_.graph.no_earlier(total, component.account->spent());
  run_.graph.end_at(total);
  datapath_->settle(total);
  for (UnitModule* unit : units_) unit->account().spend(Leaves::draining, unit->last_done());
  for (const Component& component : components()) component.account->close(total);
  return total;
}

std::vector<Machine::Component> Machine::components() {
  std::vector<StallAccount*> accounts;
  for (UnitModule* unit : units_) accounts.push_back(&unit->account());
  for (StallAccount* const shared : datapath_->accounts()) accounts.push_back(shared);
  accounts.push_back(controller_ ? &controller_->account() : &in_order_->account());
  std::vector<Component> result;
  for (std::size_t c = 0; c < accounts.size(); ++c) result.push_back({run_.components[c].name, accounts[c]});
  return result;
}

}  // namespace accord::sim
