#include "cli/report.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "archdsl/graph/components.h"
#include "archdsl/graph/rates.h"
#include "cli/host_bytes.h"

namespace accord {

namespace {

bool is_multiply_accumulate(const TensorProgram& program) {
  return std::any_of(program.statements.begin(), program.statements.end(), [](const Statement& statement) {
    return statement.reduction == Reduction::add && statement.value->op == ExprOp::mul;
  });
}

/// Multiply-accumulates per reference cycle at most; 0 where the capability does others.
double multiplies_per_cycle(const Unit& unit, const Capability& capability) {
  if (!is_multiply_accumulate(capability.program)) return 0;
  return peak_points(capability) * static_cast<double>(unit.period.denominator) /
         static_cast<double>(unit.period.numerator);
}

LayerReport make_layer(const Layer& layer, const LayerResult& result) {
  LayerReport report;
  report.name = layer.name;
  report.op = layer.op;
  report.placed_on = layer.placed_on;
  report.capability = layer.capability;
  report.reason = layer.reason;
  report.cycles = result.cycles;
  report.overlap_cycles = result.overlap;
  report.bound_cycles = std::max<std::int64_t>(
      {layer.bound_cycles - result.overlap - result.queued, layer.compute_cycles - result.compute_overlap, 0});
  report.macs = layer.macs;
  report.lane_macs = result.lane_macs;
  report.energy_pj = result.energy_pj;
  report.energy_shares = result.energy_shares;
  report.link_bytes = result.link_bytes;
  report.off_chip_bytes = result.off_chip_bytes;
  report.fusion = layer.fusion;
  if (const auto unit = result.stalls.find(layer.placed_on); unit != result.stalls.end()) report.stalls = unit->second;
  return report;
}

}  // namespace

double LayerReport::efficiency() const {
  return cycles > 0 ? static_cast<double>(bound_cycles) / static_cast<double>(cycles) : 0;
}

double LayerReport::utilisation(double lanes) const {
  const double offered = static_cast<double>(cycles) * lanes;
  return offered > 0 ? static_cast<double>(macs) / offered : 0;
}

bool RunReport::right() const {
  const auto is_finite = [](const OutputDistance& distance) { return distance.not_finite == 0; };
  return verified.value_or(true) && hazards.empty() && broken_invariants.empty() &&
         std::ranges::all_of(distances, is_finite);
}

double multiply_lanes(const Architecture& architecture) {
  std::map<double, double> together;  // by what one unit reaches
  for (const auto& unit : architecture.units) {
    double widest = 0;
    for (const auto& capability : unit.capabilities) widest = std::max(widest, multiplies_per_cycle(unit, capability));
    if (unit.kind == UnitKind::compute) together[widest] += widest;
  }
  double lanes = 0;
  for (const auto& [widest, all] : together) lanes = std::max(lanes, all);
  return lanes;
}

RunReport make_report(const Architecture& architecture, const Program& program, const SimulateResult& result) {
  RunReport report;
  report.arch = architecture.name;
  report.clock_hz = architecture.clock_hz;
  report.lanes = multiply_lanes(architecture);
  report.timed = result.timed;
  report.total_cycles = result.total_cycles;
  report.instructions = result.instructions;
  report.explanation = result.explanation;
  report.energy_pj = result.energy_pj;
  report.static_energy_pj = result.static_energy_pj;
  report.energy_shares = result.energy_shares;
  for (const ComponentCost& component : component_costs(architecture)) {
    if (component.area_um2 > 0) report.areas[component.name] = component.area_um2;
  }
  report.broken_invariants = result.broken_invariants;
  report.hazards = result.hazards;
  report.link_bytes = result.link_bytes;
  report.off_chip_bytes = result.off_chip_bytes;
  report.stalls = result.stalls;
  report.memory = memory_use(architecture, program);
  const std::vector<std::int64_t> of_host = host_bytes(program);
  for (std::size_t i = 0; i < program.layers.size() && i < result.layers.size(); ++i) {
    report.layers.push_back(make_layer(program.layers[i], result.layers[i]));
    report.layers.back().host_bytes = of_host[i];
    report.host_bytes += of_host[i];
    if (!result.cut_short) report.bound_cycles += report.layers.back().bound_cycles;
  }
  return report;
}

}  // namespace accord
