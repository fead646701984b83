#include "simulator/cycle/datapath.h"

#include <fmt/format.h>

#include "simulator/modules/ways.h"

namespace accord::sim {

CycleDatapath::CycleDatapath(RunState& run) : TimedDatapath(run), schedule_("schedule", run) {
  const Architecture& architecture = run.architecture;
  for (const Memory& memory : architecture.memories)
    memories_.push_back(std::make_unique<cycle::MemoryPorts>(memory, account_of(run)));
  for (const Link& link : architecture.links)
    links_.push_back(std::make_unique<cycle::BeatLink>(run, schedule_, static_cast<int>(links_.size()), link));
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) units_.push_back(make_unit(u));
}

std::unique_ptr<UnitModule> CycleDatapath::make_unit(int index) {
  const Unit& spec = run_.architecture.units[static_cast<std::size_t>(index)];
  const std::string name = fmt::format("unit_{}", index);
  if (spec.kind == UnitKind::compute)
    return std::make_unique<cycle::StepCompute>(name.c_str(), run_, schedule_, memories_, index);
  auto ways = ways_of(run_.architecture, spec, links_, [this](const Link& wire, const Route*) {
    links_.push_back(std::make_unique<cycle::BeatLink>(run_, schedule_, static_cast<int>(links_.size()), wire));
    return links_.back().get();
  });
  return std::make_unique<cycle::BeatMover>(name.c_str(), run_, schedule_, memories_, index, std::move(ways));
}

void CycleDatapath::move(const Operation& operation, std::int64_t first, std::int64_t last) {
  if (first == Agenda::filled) return run_.evaluator.fill(operation);
  run_.evaluator.move(operation, first, last);
}

}  // namespace accord::sim
