#include "compiler/fusion_problem.h"

#include <algorithm>

#include "compiler/mapping/cost_model.h"
#include "compiler/mapping/split.h"

namespace accord {
namespace {

// Schedules know nothing of ports and banks; of turns of hardware loops that begin in order they may miss half of what
// these wait for.
constexpr double doubt_of_schedules = 0.01, doubt_of_loops_in_order = 1.0;

/// Per tensor: the last layer that reads it; past all layers for the network's outputs.
std::vector<int> last_readers(const Compilation& compilation) {
  const int count = static_cast<int>(compilation.layers.size());
  std::vector<int> last(compilation.network.tensors.size(), -1);
  for (int l = 0; l < count; ++l) {
    for (const int op : compilation.layers[l].group.operators) {
      for (const TensorId t : compilation.network.operators[op].inputs) {
        if (t != no_tensor) last[t] = l;
      }
    }
  }
  for (const TensorId t : compilation.network.outputs) last[t] = count;
  return last;
}

/// Cycles of the busiest unit that moves nothing to or from off-chip memory.
double inner_cycles(const Architecture& architecture, const Mapping& mapping, const Cost& cost) {
  ById<double> cycles = cost.unit_cycles;
  for (const auto& use : mapping.uses) {
    if (use.role == UseRole::accumulator || use.depth == 0) continue;
    if (architecture.memories[use.home].off_chip) cycles[hop_at(use, 0).unit] = 0;
  }
  return most_of(cycles);
}

double constant_bytes(const Network& network, const Work& work) {
  double sum = 0;
  for (const auto& operand : work.operands) {
    if (!operand.constant || operand.tensor == no_tensor) continue;
    const Tensor& tensor = network.tensors[operand.tensor];
    sum += static_cast<double>(element_count(tensor.shape) * bytes(tensor.type));
  }
  return sum;
}

/// The layer's mapping that is predicted quickest of those on one element; null where all are divided.
const Mapping* undivided_best(const LayerPlan& layer) {
  const Mapping* best = &layer.mappings[predicted_best(layer)];
  if (best->spatial.empty()) return best;
  best = nullptr;
  for (const Mapping& mapping : layer.mappings) {
    const bool quicker = best == nullptr || mapping.predicted_cycles < best->predicted_cycles;
    if (mapping.spatial.empty() && quicker) best = &mapping;
  }
  return best;
}

/// Of all parts of divided work.
OffChipTraffic off_chip_traffic(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                                const Mapping& mapping) {
  const Machine& machine = shared.of(mapping);
  OffChipTraffic sum;
  for (const Mapping& part : parts_of(compilation.machine, mapping)) {
    Geometry geometry(machine, compilation.network, layer.work, compilation.homes, part);
    const OffChipTraffic traffic = off_chip_traffic_of(machine, geometry, layer.work, part);
    sum.constants += traffic.constants;
    for (const auto& [tensor, bytes] : traffic.tensors) sum.tensors[tensor] += bytes;
  }
  return sum;
}

/// What the layer takes as the mapping does it; of divided work its greatest part.
void take_costs(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer, const Mapping& mapping,
                LayerFacts& facts) {
  const Machine& machine = shared.of(mapping);
  const Mapping part = parts_of(compilation.machine, mapping).front();
  Geometry geometry(machine, compilation.network, layer.work, compilation.homes, part);
  const Cost cost = shipped_cost_model().cost(machine, geometry, layer.work, part);
  facts.cycles = mapping.predicted_cycles;
  facts.inner_cycles = inner_cycles(compilation.architecture, part, cost);
  facts.traffic = off_chip_traffic(compilation, shared, layer, mapping);
}

LayerFacts facts_of(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                    const std::vector<int>& last_reader) {
  static const std::vector<Mapping> none;
  LayerFacts facts;
  facts.work = &layer.work;
  facts.assignments = &none;
  if (layer.placement != Placement::machine) return facts;
  const Mapping& alone = layer.mappings[predicted_best(layer)];
  facts.alone_cycles = alone.predicted_cycles;
  const Mapping* best = undivided_best(layer);
  if (layer.outputs.size() != 1 || best == nullptr) return facts;
  // What is carried comes from off-chip memory, and goes there.
  if (leaves_in_place(compilation.machine.capability(best->steps[0].match))) return facts;
  facts.assignments = &layer.assignments;
  facts.result = layer.outputs[0];
  const bool shares = compilation.homes[facts.result].alias >= 0;
  facts.last_reader = shares ? static_cast<int>(compilation.layers.size()) : last_reader[facts.result];
  take_costs(compilation, shared, layer, *best, facts);
  facts.alone_bytes =
      best == &alone ? facts.traffic.total() : off_chip_traffic(compilation, shared, layer, alone).total();
  facts.constant_bytes = constant_bytes(compilation.network, layer.work);
  return facts;
}

/// Whether each part of the layer's divided work reaches all that chains may keep of what the layer reads and writes.
bool all_reach_kept(const Compilation& compilation, const FusionProblem& problem, const LayerPlan& layer,
                    const Mapping& divided) {
  const std::vector<Mapping> parts = parts_of(compilation.machine, divided);
  return std::ranges::all_of(layer.work.operands, [&](const WorkOperand& operand) {
    if (operand.tensor == no_tensor || operand.constant) return true;
    const int memory = problem.keepers[operand.tensor].memory;
    return memory < 0 || std::ranges::all_of(parts, [&](const Mapping& part) {
             return reaches(compilation.machine, layer.work, operand.tensor, part, memory);
           });
  });
}

void find_keepers(const Compilation& compilation, FusionProblem& problem) {
  problem.keepers.assign(compilation.network.tensors.size(), {});
  std::map<TensorId, std::vector<TensorUser>> users;
  for (const auto& facts : problem.layers) {
    for (const auto& operand : facts.work->operands) {
      if (operand.tensor != no_tensor && !operand.constant) {
        users[operand.tensor].push_back({facts.work, facts.assignments});
      }
    }
  }
  for (const auto& facts : problem.layers) {
    if (facts.result == no_tensor) continue;
    const bool margin = compilation.homes[facts.result].has_margin();
    problem.keepers[facts.result] = keeper_of(compilation.machine, facts.result, users[facts.result], margin);
  }
}

}  // namespace

std::size_t predicted_best(const LayerPlan& layer) {
  const auto& mappings = layer.mappings;
  const bool measured = mappings.size() > 1 && mappings[0].measured_cycles > 0;
  return measured && mappings[1].predicted_cycles < mappings[0].predicted_cycles ? 1 : 0;
}

FusionProblem fusion_problem(const Compilation& compilation) {
  FusionProblem problem{compilation.architecture,
                        compilation.network,
                        compilation.homes,
                        {},
                        {},
                        off_chip_width(compilation.architecture),
                        doubt_of_schedules};
  const Architecture& architecture = compilation.architecture;
  if (architecture.sync.kind == Sync::Kind::in_order && compilation.machine.rolls) {
    problem.doubt = doubt_of_loops_in_order;
  }
  const auto last_reader = last_readers(compilation);
  SharedMachines shared(compilation.machine);
  for (const auto& layer : compilation.layers) {
    problem.layers.push_back(facts_of(compilation, shared, layer, last_reader));
  }
  find_keepers(compilation, problem);
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const LayerPlan& layer = compilation.layers[l];
    if (problem.layers[l].result == no_tensor) continue;
    const Mapping& best = layer.mappings[predicted_best(layer)];
    if (best.spatial.empty() || !all_reach_kept(compilation, problem, layer, best)) continue;
    take_costs(compilation, shared, layer, best, problem.layers[l]);
  }
  return problem;
}

}  // namespace accord
