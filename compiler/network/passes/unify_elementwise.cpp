#include <cmath>
#include <limits>
#include <span>

#include "compiler/network/constants.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t onnx_bool = 9;  // TensorProto.BOOL

/// x op constant becomes x op' f(constant).
void replace_constant(Network& network, Operator& op, const char* type, float (*function)(float)) {
  const auto& old = network.tensor(op.inputs[1]);
  const auto* values = constant_data<float>(old);
  std::vector<float> changed(count_of(old.shape));
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
  if (std::isnan(value)) return;
  if (op.type == "Max")
    make_clip(op, value, infinity);
  else
    make_clip(op, -infinity, value);
}

/// The inverse of a subnormal number may be infinite, and 0 times that is no number.
bool has_finite_inverses(const Tensor& tensor) {
  const std::span values(constant_data<float>(tensor), count_of(tensor.shape));
  return std::ranges::none_of(values, [](float v) { return v != 0 && std::isinf(1.0F / v); });
}

void unify(Network& network, Operator& op) {
  if (op.type == "Relu") return make_clip(op, 0, infinity);
  if (op.type == "Min" || op.type == "Max") return bound_to_clip(network, op);
  if (op.type == "Mod" && attribute(op, "fmod", std::int64_t{0}) != 0) {
    op.type = "Remainder";
    op.attributes.clear();
  }
  if (op.inputs.size() != 2 || op.inputs[0] == no_tensor) return;
  const bool commutes = op.type == "Add" || op.type == "Mul";
  const bool constant_first = network.tensor(op.inputs[0]).is_constant() && !network.tensor(op.inputs[1]).is_constant();
  if (commutes && constant_first) std::swap(op.inputs[0], op.inputs[1]);
  if (!is_float_constant(network, op.inputs[1])) return;
  if (op.type == "Sub") replace_constant(network, op, "Add", [](float v) { return -v; });
  if (op.type == "Div" && has_finite_inverses(network.tensor(op.inputs[1])))
    replace_constant(network, op, "Mul", [](float v) { return 1.0F / v; });
}

/// What combines two tensors where the operator combines any number.
const char* pairwise(const Operator& op) {
  if (op.type == "Sum" || op.type == "Mean") return "Add";
  return op.type == "Min" || op.type == "Max" ? op.type.c_str() : nullptr;
}

/// n - 1 operators of two inputs from left to right; a Mean divides at the end.
void expand_chain(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const std::string type = pairwise(op);
  const auto result = op.outputs[0];
  const auto element = network.tensor(result).type;
  const bool mean = op.type == "Mean";
  auto left = op.inputs[0];
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    const bool last = i + 1 == op.inputs.size() && !mean;
    const auto shape = joined(network.tensor(left).shape, network.tensor(op.inputs[i]).shape);
    const auto y = last ? result : network.add({op.name + ".part", element, shape, nullptr, std::nullopt});
    operators.push_back({last ? op.name : op.name + "." + std::to_string(i), type, {left, op.inputs[i]}, {y}, {}});
    left = y;
  }
  if (!mean) return;
  const auto count = static_cast<float>(op.inputs.size());
  const auto divisor = network.add(make_constant(op.name + ".count", {}, std::vector{count}));
  operators.push_back({op.name, "Div", {left, divisor}, {result}, {}});
}

/// A bool is 0 or 1, so the cast compares with 0.
void cast_to_bool(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto shape = network.tensor(op.outputs[0]).shape;
  const auto no = network.add({op.name + ".not", ElementType::u8, shape, nullptr, std::nullopt});
  operators.push_back({op.name + ".not", "Not", op.inputs, {no}, {}});
  operators.push_back({op.name, "Not", {no}, op.outputs, {}});
}

}  // namespace

void unify_elementwise(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    const auto count = op.inputs.size();
    const bool chain = pairwise(op) != nullptr && count > 1 && (count > 2 || op.type == "Sum" || op.type == "Mean");
    if (pairwise(op) != nullptr && count == 1) {
      operators.push_back({op.name, "Identity", op.inputs, op.outputs, {}});
    } else if (chain) {
      expand_chain(network, op, operators);
    } else if (op.type == "Cast" && attribute(op, "to", std::int64_t{0}) == onnx_bool) {
      cast_to_bool(network, op, operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
  for (auto& op : network.operators) unify(network, op);
}

namespace {

/// Whether a model rounds to integers of its own between two Clips; the second keeps those of the first otherwise.
bool rounds_between(Network& network, const Operator& first, const Operator& second) {
  const auto& between = network.tensor(first.outputs[0]).quantisation;
  auto& result = network.tensor(second.outputs[0]).quantisation;
  if (rounds_to_integers(network, first) && !result) result = between;
  return has_own_integers(network.tensor(first.outputs[0]), network.tensor(second.outputs[0]));
}

}  // namespace

void merge_clips(Network& network) {
  const GraphIndex index(network);
  for (auto& op : network.operators) {
    if (op.type != "Clip") continue;
    const auto before = index.producer(op.inputs[0]);
    if (before < 0) continue;
    const auto& first = network.operators[static_cast<std::size_t>(before)];
    const auto low = attribute(op, "min", -infinity);
    const auto high = attribute(op, "max", infinity);
    if (first.type != "Clip" || low > high || rounds_between(network, first, op)) continue;
    const auto bounded = [&](double v) { return std::min(std::max(v, low), high); };
    const bool rounds = rounds_to_integers(network, first) || rounds_to_integers(network, op);
    make_clip(op, bounded(attribute(first, "min", -infinity)), bounded(attribute(first, "max", infinity)));
    if (rounds) op.attributes[rounds_attribute] = std::int64_t{1};
    op.inputs[0] = first.inputs[0];
  }
}

}  // namespace accord
