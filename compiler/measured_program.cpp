#include "compiler/measured_program.h"

#include "archdsl/source/error.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
bool may_measure_program(const Compilation& compilation) {
  constexpr double most = 4000;  // instructions of main statements: others are as many, transfers a few times
  double instructions = 0;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement != Placement::machine || layer.mappings.empty()) continue;
    instructions += static_cast<double>(main_instructions(compilation.machine, layer.mappings.front()));
  }
  return compilation.options.measure && instructions <= most;
}

std::optional<double> measured_program(const Compilation& compilation) {
  static const CompileOptions quietly;
  Compilation whole(compilation.architecture, compilation.network, quietly);
  whole.keeps_constants = false;
  whole.homes = compilation.homes;
  whole.layers = compilation.layers;
  whole.strips = compilation.strips;
  whole.chains = compilation.chains;
  try {
    plan_pass(whole);
    return static_cast<double>(compilation.options.measure(compilation.architecture, generate_pass(whole)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace accord
