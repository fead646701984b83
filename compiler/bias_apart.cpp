#include "compiler/bias_apart.h"

#include <algorithm>
#include <utility>

#include "compiler/codelets/codelet.h"

namespace accord {
namespace {

struct Bias {
  std::size_t input = 0;  ///< of the operator
  std::size_t axis = 0;   ///< of the sums' index that counts it
};

/// Whether the second statement adds to what the first sets.
bool sums_up(const TensorProgram& program) {
  if (program.statements.size() < 2) return false;
  const Statement &start = program.statements[0], &sum = program.statements[1];
  return start.reduction == Reduction::assign && sum.reduction == Reduction::add && sum.target == start.target;
}

/// The vector that the operator's sums begin with.
std::optional<Bias> bias_of(const Network& network, const Operator& op, const Work& work) {
  if (!sums_up(work.program)) return {};
  const Statement& start = work.program.statements.front();
  if (start.value->op != ExprOp::access || looks_up(start)) return {};
  const Access& read = start.accesses.front();
  const TensorId tensor = work.operands[read.operand].tensor;
  const auto input = std::ranges::find(op.inputs, tensor);
  if (tensor == no_tensor || read.indices.size() != 1 || std::ranges::count(op.inputs, tensor) != 1) return {};
  const Shape& sums = network.tensor(op.outputs[0]).shape;
  Bias bias{static_cast<std::size_t>(input - op.inputs.begin()), sums.size()};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool counts = start.target.indices[i] == read.indices[0] && sums[i] == network.tensor(tensor).shape[0];
    if (counts) bias.axis = i;
  }
  return bias.axis < sums.size() ? std::optional(bias) : std::nullopt;
}

/// Lies as the operator's sums would.
TensorId add_sums(Compilation& compilation, TensorId as) {
  Tensor sums = compilation.network.tensor(as);
  sums.name += "/sums";
  Home home;
  home.order = compilation.homes[as].order;
  settle(home, sums.shape, sums.type);
  compilation.homes.push_back(std::move(home));
  return compilation.network.add(std::move(sums));
}

}  // namespace

std::optional<BiasApart> BiasApart::of(Compilation& compilation, const LayerPlan& layer) {
  Network& network = compilation.network;
  const int first = layer.group.operators.front();
  if (CodeletLibrary::shipped().find(network.operators[first].type) == nullptr) return {};
  const Work alone = instantiate(network, {first}, CodeletLibrary::shipped());
  const auto bias = bias_of(network, network.operators[first], alone);
  if (!bias) return {};
  BiasApart apart;
  apart.before_ = network.operators[first];
  const TensorId sums = add_sums(compilation, apart.before_.outputs[0]);
  Operator summing = apart.before_;
  summing.name += "/sums";
  summing.outputs = {sums};
  summing.inputs[bias->input] = no_tensor;
  network.operators.push_back(std::move(summing));
  network.operators[first] = {apart.before_.name,
                              "AddBias",
                              {sums, apart.before_.inputs[bias->input]},
                              apart.before_.outputs,
                              {{"axis", static_cast<std::int64_t>(bias->axis)}}};
  apart.operators_ = layer.group.operators;
  apart.operators_.insert(apart.operators_.begin(), static_cast<int>(network.operators.size()) - 1);
  return apart;
}

void BiasApart::undo(Compilation& compilation) {
  Network& network = compilation.network;
  network.operators.pop_back();
  network.operators[operators_[1]] = std::move(before_);
  compilation.forget(network.tensors.size() - 1);
}

}  // namespace accord
