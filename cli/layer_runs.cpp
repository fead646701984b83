#include "cli/layer_runs.h"

#include <cmath>

#include "cli/measure.h"
#include "compiler/layer_alone.h"

namespace accord {

std::optional<LayerRun> run_layer(const Compilation& compilation, const LayerChoices& layer) {
  if (layer.choices.empty() || !layer.choices[0].found) return std::nullopt;
  const Mapping& mapping = layer.choices[0].mapping;
  const double cycles = LayerAlone(compilation, layer.plan, measure_cycles).cycles(mapping);
  LayerRun run;
  run.predicted = std::llround(mapping.predicted_cycles);
  if (std::isfinite(cycles)) {
    run.simulated = std::llround(cycles);
  } else {
    run.failure = "the instruction set cannot express it";
  }
  return run;
}

}  // namespace accord
