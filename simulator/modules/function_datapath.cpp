#include "simulator/modules/function_datapath.h"

#include <fmt/format.h>

namespace accord::sim {

void InstantUnit::begin(Operation& operation, Time at) {
  operation.done = at;
  if (!run_.read_list(operation, at)) return;
  run_.evaluator.evaluate(operation);
  resolve(operation);
}

FunctionDatapath::FunctionDatapath(RunState& run) {
  for (std::size_t u = 0; u < run.architecture.units.size(); ++u) {
    units_.push_back(std::make_unique<InstantUnit>(fmt::format("unit_{}", u).c_str(), run, static_cast<int>(u),
                                                   std::span<MemoryModule* const>(), account_of(run)));
  }
}

}  // namespace accord::sim
