#include "compiler/measured_program.h"

#include <algorithm>

#include "archdsl/source/error.h"
#include "compiler/mapping_schedule.h"
#include "compiler/measured_choice.h"

namespace accord {
namespace {

std::ptrdiff_t on_machine(const std::vector<LayerPlan>& layers) {
  return std::ranges::count(layers, Placement::machine, &LayerPlan::placement);
}

}  // namespace

bool may_measure_program(const Compilation& compilation) {
  double operations = 0, cycles = 0;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement != Placement::machine || layer.mappings.empty()) continue;
    const Mapping& mapping = layer.mappings.front();
    operations += expected_operations(compilation, layer, mapping);
    cycles += mapping.predicted_cycles;
  }
  return compilation.options.measure && measuring_effort(operations, cycles) <= most_measuring_effort;
}

std::optional<double> measured_program(const Compilation& compilation) {
  static const CompileOptions quietly;
  Compilation whole(compilation.architecture, compilation.network, quietly);
  whole.keeps_constants = false;
  whole.homes = compilation.homes;
  whole.layers = compilation.layers;
  whole.strips = compilation.strips;
  whole.chains = compilation.chains;
  whole.takes_turns = compilation.takes_turns;
  try {
    plan_pass(whole);
    const Program program = generate_pass(whole);
    if (on_machine(whole.layers) < on_machine(compilation.layers)) return std::nullopt;
    return static_cast<double>(compilation.options.measure(compilation.architecture, program));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace accord
