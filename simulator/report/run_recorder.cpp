#include "simulator/report/run_recorder.h"

namespace accord::sim {

namespace {

RunNames names_of(const RunState& run) {
  const Architecture& architecture = run.architecture;
  RunNames names;
  for (const Unit& unit : architecture.units) names.components.push_back(unit.name);
  for (const Memory& memory : architecture.memories) names.components.push_back(memory.name);
  for (const Link& link : architecture.links) names.components.push_back(link.name);
  names.components.push_back(architecture.controller.name);
  for (std::size_t leaf = 0; leaf < run.leaves.size(); ++leaf) names.leaves.push_back(run.leaves.name(leaf));
  names.units = architecture.units.size();
  names.memories = architecture.memories.size();
  names.links = architecture.links.size();
  names.semaphores =
      architecture.sync.kind == Sync::Kind::semaphores ? static_cast<std::size_t>(architecture.sync.semaphores) : 0;
  return names;
}

}  // namespace

RunRecorder::RunRecorder(RunState& run, Files files) : files_(std::move(files)), names_(names_of(run)) {
  if (!files_.stats.empty()) listeners_.add(samples_.emplace(files_.stats_interval));
  if (!files_.vcd.empty()) listeners_.add(changes_.emplace(names_));
  if (!listeners_.empty()) run.listener = &listeners_;
}

void RunRecorder::write(Cycle total) {
  if (samples_) samples_->write_csv(files_.stats, names_, total);
  if (changes_) changes_->write(files_.vcd, total);
}

}  // namespace accord::sim
