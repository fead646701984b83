#include "simulator/modules/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/graph/rates.h"
#include "simulator/modules/compute.h"

namespace accord::sim {

namespace {

// Covenant names may hold what SystemC's may not.
std::string numbered(const std::string& kind, std::size_t index) { return kind + "_" + std::to_string(index); }

}  // namespace

Machine::Machine(RunState& run, FrontEnd& front, Sequence& sequence, std::vector<ByteStore>& stores) : run_(run) {
  const Architecture& architecture = run.architecture;
  for (std::size_t m = 0; m < stores.size(); ++m) {
    memories_.push_back(
        std::make_unique<MemoryModule>(numbered("memory", m).c_str(), architecture.memories[m], stores[m], account()));
  }
  for (const Link& link : architecture.links) {
    links_.push_back(std::make_unique<LinkModule>(numbered("link", links_.size()).c_str(), run, link, account()));
  }
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) make_unit(u);
  if (run.in_order) {
    in_order_ = std::make_unique<InOrderController>("controller", run, front, sequence, account());
    for (auto& unit : units_) in_order_->attach(*unit);
    return;
  }
  semaphores_ = std::make_unique<Semaphores>(architecture.sync.semaphores, architecture.sync.semaphore_max);
  controller_ = std::make_unique<Controller>("controller", run, front, sequence, account());
  for (auto& unit : units_) {
    unit->semaphores = semaphores_.get();
    controller_->attach(*unit);
  }
  run.agenda.perform = [this](const Agenda::Item& item) { perform(item); };
}

void Machine::make_unit(int index) {
  const Unit& spec = run_.architecture.units[static_cast<std::size_t>(index)];
  std::vector<MemoryModule*> memories;
  for (auto& memory : memories_) memories.push_back(memory.get());
  const std::string name = numbered("unit", units_.size());
  if (spec.kind == UnitKind::compute) {
    units_.push_back(std::make_unique<Compute>(name.c_str(), run_, index, memories, account()));
    movers_.push_back(nullptr);
    return;
  }
  auto mover = std::make_unique<Mover>(name.c_str(), run_, index, memories, account(), ways(spec));
  for (MemoryModule* memory : memories) mover->socket.bind(memory->socket);
  for (auto& link : links_) {
    if (mover->uses(*link)) link->attach(*mover);
  }
  movers_.push_back(mover.get());
  units_.push_back(std::move(mover));
}

std::vector<std::vector<LinkModule*>> Machine::ways(const Unit& unit) {
  const auto wire = [&](const Link& spec) {
    links_.push_back(std::make_unique<LinkModule>(numbered("wire", links_.size()).c_str(), run_, spec, account()));
    return std::vector<LinkModule*>{links_.back().get()};
  };
  std::vector<std::vector<LinkModule*>> result;
  for (const Route& route : unit.routes) {
    if (route.links.empty()) {
      result.push_back(wire(private_wire(run_.architecture, route)));
      continue;
    }
    auto& way = result.emplace_back();
    for (const int link : route.links) way.push_back(links_[static_cast<std::size_t>(link)].get());
  }
  if (capability_route(unit)) {
    result.push_back(result.front());
  } else if (unit.link >= 0) {
    result.push_back({links_[static_cast<std::size_t>(unit.link)].get()});
  } else {
    Link own;
    own.width = unit.request;
    own.period = unit.period;
    result.push_back(unit.routes.empty() ? wire(own) : result.front());
  }
  return result;
}

void Machine::perform(const Agenda::Item& item) {
  if (!item.operation) {
    run_.end_layer(item.layer);
    return;
  }
  const Operation& operation = *item.operation;
  if (item.first == item.last) {
    run_.evaluator.evaluate(operation);
  } else {
    movers_[static_cast<std::size_t>(operation.unit)]->move(operation, item.first, item.last);
  }
  run_.pool.release(item.operation);
}

void Machine::run() {
  session_.run();
  if (run_.failure) std::rethrow_exception(run_.failure);
  if (controller_ && !controller_->finished() && !run_.hazards.fatal) controller_->report_deadlock();
  if (semaphores_ && !run_.hazards.fatal) report_unmatched_signals();
  run_.agenda.drain();
}

// A count that is left over is a wait that is missing somewhere, even where the order came out right.
void Machine::report_unmatched_signals() {
  for (int s = 0; s < semaphores_->count(); ++s) {
    const Semaphores::Token* token = semaphores_->front(s);
    if (token == nullptr) continue;
    run_.hazards.report("unmatched_signal", token->time, token->instruction, token->mnemonic,
                        fmt::format("semaphore {} ends with a signal that nothing waited for", s));
  }
}

Cycle Machine::close() {
  Cycle total = controller_ ? controller_->now() : in_order_->now();
  for (const Component& component : components()) total = std::max(total, component.account->spent());
  for (const auto& unit : units_) total = std::max(total, unit->last_done());
  for (auto& memory : memories_) memory->settle(total);
  for (auto& link : links_) link->settle(total);
  for (auto& unit : units_) unit->account().spend(Leaves::draining, unit->last_done());
  for (const Component& component : components()) component.account->close(total);
  return total;
}

std::vector<Machine::Component> Machine::components() {
  const Architecture& architecture = run_.architecture;
  std::vector<Component> result;
  for (std::size_t u = 0; u < units_.size(); ++u) result.push_back({architecture.units[u].name, &units_[u]->account()});
  for (std::size_t m = 0; m < memories_.size(); ++m)
    result.push_back({architecture.memories[m].name, &memories_[m]->account()});
  for (std::size_t l = 0; l < architecture.links.size(); ++l)
    result.push_back({architecture.links[l].name, &links_[l]->account()});
  result.push_back({architecture.controller.name, controller_ ? &controller_->account() : &in_order_->account()});
  return result;
}

}  // namespace accord::sim
