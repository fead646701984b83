#include <limits>

#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();

bool is_float_constant(const Network& network, TensorId id) {
  return id != no_tensor && network.tensor(id).is_constant() && network.tensor(id).type == ElementType::fp32;
}

/// x op constant becomes x op' f(constant).
void replace_constant(Network& network, Operator& op, const char* type, float (*function)(float)) {
  const auto& old = network.tensor(op.inputs[1]);
  const auto* values = constant_data<float>(old);
  std::vector<float> changed(static_cast<std::size_t>(element_count(old.shape)));
  for (std::size_t i = 0; i < changed.size(); ++i) changed[i] = function(values[i]);
  op.inputs[1] = network.add(make_constant(old.name, old.shape, changed));
  op.type = type;
}

void make_clip(Operator& op, double low, double high) {
  op.type = "Clip";
  op.inputs.resize(1);
  op.attributes = {{"min", low}, {"max", high}};
}

/// Min or Max of a tensor and a constant scalar.
void bound_to_clip(Network& network, Operator& op) {
  if (op.inputs.size() != 2) return;
  if (is_float_constant(network, op.inputs[0])) std::swap(op.inputs[0], op.inputs[1]);
  const auto& x = network.tensor(op.inputs[0]);
  const auto& bound = network.tensor(op.inputs[1]);
  if (x.type != ElementType::fp32 || x.is_constant() || !is_float_constant(network, op.inputs[1])) return;
  if (element_count(bound.shape) != 1 || bound.shape.size() > x.shape.size()) return;
  const double value = *constant_data<float>(bound);
  if (op.type == "Max")
    make_clip(op, value, infinity);
  else
    make_clip(op, -infinity, value);
}

void unify(Network& network, Operator& op) {
  if (op.type == "Relu") return make_clip(op, 0, infinity);
  if (op.type == "Min" || op.type == "Max") return bound_to_clip(network, op);
  if (op.inputs.size() != 2 || op.inputs[0] == no_tensor) return;
  const bool commutes = op.type == "Add" || op.type == "Mul";
  const bool constant_first = network.tensor(op.inputs[0]).is_constant() && !network.tensor(op.inputs[1]).is_constant();
  if (commutes && constant_first) std::swap(op.inputs[0], op.inputs[1]);
  if (!is_float_constant(network, op.inputs[1])) return;
  if (op.type == "Sub") replace_constant(network, op, "Add", [](float v) { return -v; });
  if (op.type == "Div") replace_constant(network, op, "Mul", [](float v) { return 1.0F / v; });
}

/// Sum of n tensors becomes n - 1 additions from left to right.
void expand_sum(Network& network, Operator sum, std::vector<Operator>& operators) {
  const auto result = sum.outputs[0];
  const auto shape = network.tensor(result).shape;
  auto left = sum.inputs[0];
  for (std::size_t i = 1; i < sum.inputs.size(); ++i) {
    const bool last = i + 1 == sum.inputs.size();
    auto y = result;
    if (!last) y = network.add({sum.name + ".sum", network.tensor(result).type, shape, nullptr, std::nullopt});
    const auto name = last ? sum.name : sum.name + "." + std::to_string(i);
    operators.push_back({name, "Add", {left, sum.inputs[i]}, {y}, {}});
    left = y;
  }
}

/// Intermediate shapes of a chain of additions are known without broadcasting rules only in this case.
bool has_equal_inputs(const Network& network, const Operator& op) {
  for (const auto id : op.inputs) {
    if (network.tensor(id).shape != network.tensor(op.outputs[0]).shape) return false;
  }
  return true;
}

}  // namespace

void unify_elementwise(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    const bool sum = op.type == "Sum" && op.inputs.size() > 1;
    if (sum && (op.inputs.size() == 2 || has_equal_inputs(network, op))) {
      expand_sum(network, std::move(op), operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
  for (auto& op : network.operators) unify(network, op);
}

void merge_clips(Network& network) {
  const GraphIndex index(network);
  for (auto& op : network.operators) {
    if (op.type != "Clip") continue;
    const auto before = index.producer(op.inputs[0]);
    if (before < 0) continue;
    const auto& first = network.operators[static_cast<std::size_t>(before)];
    const auto low = attribute(op, "min", -infinity);
    const auto high = attribute(op, "max", infinity);
    if (first.type != "Clip" || low > high) continue;
    const auto bounded = [&](double v) { return std::min(std::max(v, low), high); };
    make_clip(op, bounded(attribute(first, "min", -infinity)), bounded(attribute(first, "max", infinity)));
    op.inputs[0] = first.inputs[0];
  }
}

}  // namespace accord
