#include "simulator/report/run_recorder.h"

namespace accord::sim {

namespace {

RunNames names_of(const RunState& run) {
  const Architecture& architecture = run.architecture;
  RunNames names{ComponentNumbers(architecture)};
  for (const ComponentCost& component : run.components) names.components.push_back(component.name);
  for (std::size_t leaf = 0; leaf < run.leaves.size(); ++leaf) names.leaves.push_back(run.leaves.name(leaf));
  names.idle = Leaves::nothing_to_do;
  names.semaphores =
      architecture.sync.kind == Sync::Kind::semaphores ? static_cast<std::size_t>(architecture.sync.semaphores) : 0;
  return names;
}

}  // namespace

RunRecorder::RunRecorder(RunState& run, Files files) : run_(run), files_(std::move(files)), names_(names_of(run)) {
  if (!files_.stats.empty()) listeners_.add(samples_.emplace(files_.stats_interval));
  if (!files_.vcd.empty()) listeners_.add(changes_.emplace(names_));
  if (!files_.trace.empty())
    listeners_.add(trace_.emplace(files_.trace, names_, run.architecture, run.program, run.map));
  if (!listeners_.empty()) run.listener = &listeners_;
}

void RunRecorder::write_trace(Cycle total) {
  Cycle before = 0;
  const auto slice = [&](const std::string& name, Cycle until) {
    if (until > before) trace_->layer(name, before, until);
    before = std::max(before, until);
  };
  for (const Layers::Boundary& boundary : run_.layers.boundaries())
    slice(run_.program.layers[static_cast<std::size_t>(boundary.layer)].name, boundary.end);
  slice("none", total);
  trace_->finish(total);
}

void RunRecorder::write(Cycle total) {
  if (trace_) write_trace(total);
  if (samples_) samples_->write_csv(files_.stats, names_, total);
  if (changes_) changes_->write(files_.vcd, total);
}

}  // namespace accord::sim
