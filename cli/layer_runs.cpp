#include "cli/layer_runs.h"

#include <algorithm>
#include <cmath>

#include "cli/inputs.h"
#include "compiler/layer_alone.h"
#include "compiler/network/extract.h"
#include "simulator/simulate.h"

namespace accord {
namespace {

/// Gives tiles, order and buffers that are known already to the assignment they belong to. Of a layer whose input lies
/// with rows side by side only that form has the assignment, so that the compiler, left the choice, takes it.
class Known : public Searcher {
 public:
  Known(const Mapping& mapping, bool interleaved) : mapping_(mapping), interleaved_(interleaved) {}

  bool leaves_choice() const override { return interleaved_; }

  SearchResult search(const SearchProblem& problem) const override {
    SearchResult result;
    for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
      if (!is_same_assignment(problem.assignments[i])) continue;
      Mapping mapping = problem.assignments[i];
      mapping.spatial = mapping_.spatial;
      mapping.tile = mapping_.tile;
      mapping.order = mapping_.order;
      mapping.copies = mapping_.copies;
      mapping.predicted_cycles = mapping_.predicted_cycles;
      result.found.push_back({i, std::move(mapping)});
      break;
    }
    return result;
  }

 private:
  bool is_same_assignment(const Mapping& other) const {
    if (other.extent != mapping_.extent || main_capability(other) != main_capability(mapping_)) return false;
    if (other.steps.size() != mapping_.steps.size() || other.uses.size() != mapping_.uses.size()) return false;
    for (std::size_t s = 0; s < other.steps.size(); ++s) {
      if (other.steps[s].chains != mapping_.steps[s].chains) return false;
    }
    for (std::size_t u = 0; u < other.uses.size(); ++u) {
      if (other.uses[u].windowed != mapping_.uses[u].windowed) return false;
    }
    return true;
  }

  const Mapping& mapping_;
  bool interleaved_;
};

/// Whether the layer reads tensors that the model does not have.
bool is_interleaved(const Work& work, const Network& numeric) {
  return std::ranges::any_of(work.operands, [&](const WorkOperand& operand) {
    return operand.tensor >= static_cast<TensorId>(numeric.tensors.size());
  });
}

/// Lays the tensors as they lie beside the other layers, without what is between their rows there.
void lay_out(Compilation& alone, const LayerChoices& layer) {
  for (std::size_t t = 0; t < alone.homes.size(); ++t) {
    const Tensor& tensor = alone.network.tensors[t];
    const auto known = layer.strides.find(tensor.name);
    if (known == layer.strides.end()) continue;
    alone.homes[t].order = order_of(tensor.shape, known->second);
    settle(alone.homes[t], tensor.shape, tensor.type);
  }
}

/// Whether the model has the layer's operators: sums that were divided are others.
bool is_of(const Network& numeric, const Network& compiled, const LayerChoices& layer) {
  return std::ranges::all_of(layer.plan.group.operators, [&](int op) {
    const auto number = static_cast<std::size_t>(op);
    return number < numeric.operators.size() && numeric.operators[number].type == compiled.operators[number].type;
  });
}

std::optional<LayerRun> run_rewritten(const Compilation& explored, const LayerChoices& layer) {
  if (!explored.options.measure) return std::nullopt;
  LayerAlone alone(explored, layer.plan);
  const Mapping& mapping = layer.choices[0].mapping;
  const double cycles = alone.cycles(mapping);
  LayerRun run;
  run.predicted = std::llround(mapping.predicted_cycles);
  if (std::isfinite(cycles)) run.simulated = std::llround(cycles);
  if (!std::isfinite(cycles)) run.failure = "the instruction set cannot express it";
  return run;
}

}  // namespace

std::optional<LayerRun> run_layer(const Compilation& explored, const Network& numeric, const LayerChoices& layer) {
  if (layer.choices.empty() || !layer.choices[0].found) return std::nullopt;
  if (!is_of(numeric, explored.network, layer)) return run_rewritten(explored, layer);
  const Architecture& architecture = explored.architecture;
  const Network alone = extract(numeric, layer.plan.group.operators);
  CompileOptions options;
  options.searcher = std::make_shared<Known>(layer.choices[0].mapping, is_interleaved(layer.plan.work, numeric));
  Compilation compilation(architecture, alone, options);
  lay_out(compilation, layer);
  const Program program = compile_layers(compilation);
  LayerRun run;
  run.predicted = std::llround(layer.choices[0].mapping.predicted_cycles);
  for (const auto& compiled : program.layers) {
    if (compiled.placed_on == "host" && !compiled.outputs.empty())
      run.failure = compiled.reason;  // not a gatherer of rows
  }
  if (run.failure.empty()) run.simulated = simulate(architecture, program, seeded_inputs_of(alone, 0)).total_cycles;
  return run;
}

}  // namespace accord
