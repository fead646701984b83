#include "simulator/modules/transaction_datapath.h"

#include <fmt/format.h>

#include "simulator/modules/compute.h"
#include "simulator/modules/ways.h"

namespace accord::sim {

namespace {

// Covenant names may hold what SystemC's may not.
std::string numbered(const std::string& kind, std::size_t index) { return kind + "_" + std::to_string(index); }

}  // namespace

TransactionDatapath::TransactionDatapath(RunState& run, std::vector<ByteStore>& stores) : TimedDatapath(run) {
  const Architecture& architecture = run.architecture;
  for (std::size_t m = 0; m < stores.size(); ++m) {
    memories_.push_back(std::make_unique<MemoryModule>(numbered("memory", m).c_str(), run.graph, static_cast<int>(m),
                                                       architecture.memories[m], stores[m], account_of(run)));
    memory_of_.push_back(memories_.back().get());
  }
  for (const Link& link : architecture.links) {
    const auto number = static_cast<int>(links_.size());
    links_.push_back(
        std::make_unique<LinkModule>(numbered("link", links_.size()).c_str(), run, number, link, account_of(run)));
  }
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) make_unit(u);
}

void TransactionDatapath::make_unit(int index) {
  const Unit& spec = run_.architecture.units[static_cast<std::size_t>(index)];
  const std::string name = numbered("unit", units_.size());
  if (spec.kind == UnitKind::compute) {
    units_.push_back(std::make_unique<Compute>(name.c_str(), run_, index, memory_of_, account_of(run_)));
    movers_.push_back(nullptr);
    return;
  }
  auto mover = std::make_unique<Mover>(name.c_str(), run_, index, memory_of_, account_of(run_), ways(spec));
  movers_.push_back(mover.get());
  units_.push_back(std::move(mover));
}

std::vector<std::vector<LinkModule*>> TransactionDatapath::ways(const Unit& unit) {
  return ways_of(run_.architecture, unit, links_, [&](const Link& spec, const Route* route) {
    const auto name = [&](int m) { return run_.architecture.memories[static_cast<std::size_t>(m)].name; };
    const std::string of = route ? fmt::format(": {} -> {}", name(route->source), name(route->target)) : "";
    const auto number = static_cast<int>(links_.size());
    run_.wires.push_back(fmt::format("wire of {}{}", unit.name, of));
    links_.push_back(
        std::make_unique<LinkModule>(numbered("wire", links_.size()).c_str(), run_, number, spec, account_of(run_)));
    return links_.back().get();
  });
}

Time TransactionDatapath::drained(Time end) {
  Time all = end;
  for (auto& memory : memories_) all = run_.graph.later(all, memory->drained(end));
  return all;
}

void TransactionDatapath::settle(Cycle total) {
  TimedDatapath::settle(total);
  for (auto& link : links_) link->account().spend_until(total);
}

void TransactionDatapath::move(const Operation& operation, std::int64_t first, std::int64_t last) {
  movers_[static_cast<std::size_t>(operation.unit)]->move(operation, first, last);
}

}  // namespace accord::sim
