#include "compiler/numerics/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace accord::numerics {
namespace {

constexpr std::array carriers = {"MaxPool",      "Reshape",  "Transpose",     "Concat",   "Slice",   "Split",
                                 "Flatten",      "Squeeze",  "Unsqueeze",     "Identity", "Dropout", "Expand",
                                 "Tile",         "Repeat",   "Gather",        "Pad",      "Resize",  "DepthToSpace",
                                 "SpaceToDepth", "GatherND", "GatherElements"};

bool is_fp32(const Network& network, TensorId id) {
  return id != no_tensor && network.tensor(id).type == ElementType::fp32;
}

bool is_variable(const Network& network, TensorId id) {
  return is_fp32(network, id) && !network.tensor(id).is_constant();
}

bool is_constant(const Network& network, const Operator& op, std::size_t input) {
  return op.inputs.size() <= input || op.inputs[input] == no_tensor || network.tensor(op.inputs[input]).is_constant();
}

bool is_product(const Operator& op) { return op.type == "Conv" || op.type == "Gemm" || op.type == "MatMul"; }

std::string product_obstacle(const Network& network, const Operator& op, bool integers) {
  if (!is_fp32(network, op.inputs[0]) || !is_fp32(network, op.inputs[1])) return "its factors are not fp32";
  if (is_constant(network, op, 0) && is_constant(network, op, 1)) return "its factors are constants";
  if (op.type == "MatMul") return "";
  if (!is_constant(network, op, 2)) return "its bias is computed";
  if (integers && !is_constant(network, op, 1)) return "its weights are computed";
  if (integers && is_constant(network, op, 0)) return "its input is a constant";
  if (op.type == "Conv") return network.tensor(op.inputs[0]).shape.size() == 4 ? "" : "it is not two-dimensional";
  const Shape canonical = {network.tensor(op.outputs[0]).shape.back(), network.tensor(op.inputs[0]).shape.back()};
  return network.tensor(op.inputs[1]).shape == canonical ? "" : "its weights are not in canonical form";
}

std::string sum_obstacle(const Network& network, const Operator& op) {
  const Shape& shape = network.tensor(op.outputs[0]).shape;
  for (TensorId id : op.inputs) {
    if (!is_variable(network, id)) return "an operand is a constant";
    if (network.tensor(id).shape != shape) return "its operands broadcast";
  }
  return op.inputs[0] == op.inputs[1] ? "both operands are one tensor" : "";
}

/// Whether the Clip is what a quantiser of the model makes of one of its inputs.
bool bounds_quantised_input(const Network& network, const Operator& clip) {
  const TensorId x = clip.inputs[0];
  return network.tensor(x).quantisation.has_value() && std::ranges::find(network.inputs, x) != network.inputs.end();
}

bool multiplies_by_number(const Network& network, const Operator& op) {
  return op.type == "Mul" && is_fp32(network, op.inputs[1]) && network.tensor(op.inputs[1]).is_constant() &&
         element_count(network.tensor(op.inputs[1]).shape) == 1 &&
         network.tensor(op.outputs[0]).shape == network.tensor(op.inputs[0]).shape;
}

/// Role without regard to the neighbours.
PlannedOperator classify(const Network& network, const Operator& op, bool integers, bool factors) {
  if (op.inputs.empty() || op.inputs[0] == no_tensor) return {.reason = "it has no input"};
  auto role_unless = [&](Role role, std::string obstacle) {
    const bool is_number = !op.outputs.empty() && network.tensor(op.outputs[0]).shape.empty();
    if (obstacle.empty() && is_number && role != Role::carry) obstacle = "its result has no dimensions";
    return PlannedOperator{.role = obstacle.empty() ? role : Role::floating, .reason = obstacle};
  };
  if (is_product(op)) return role_unless(Role::product, product_obstacle(network, op, integers));
  if (op.type == "Add" || op.type == "Sub") return role_unless(Role::sum, sum_obstacle(network, op));
  if (op.type == "AveragePool") {
    return role_unless(Role::average,
                       constant_pool_count(network, op) ? "" : "its windows differ in their element count");
  }
  if (op.type == "Clip" && is_variable(network, op.inputs[0])) {
    return role_unless(Role::clip, integers && bounds_quantised_input(network, op)
                                       ? "it bounds an input that the host quantises"
                                       : "");
  }
  if (integers && changes_scale_alone(network, op, !factors)) return {.role = Role::rescale};
  if (carries(network, op)) {
    return role_unless(Role::carry, keeps_scale(network, op) ? "" : "the model quantises its tensors differently");
  }
  return {.reason = op.type + " has no integer form"};
}

bool is_integer_role(Role role) { return role == Role::product || role == Role::sum || role == Role::average; }
bool follows_neighbours(Role role) {
  return role == Role::carry || role == Role::clip || role == Role::requantise || role == Role::rescale;
}

/// Multiplies and shifts each channel by itself: what affine_to_depthwise makes.
bool is_affine(const Network& network, const Operator& op) {
  if (op.type != "Conv" || !network.tensor(op.inputs[1]).is_constant()) return false;
  const std::int64_t channels = network.tensor(op.outputs[0]).shape[1];
  return network.tensor(op.inputs[1]).shape == Shape{channels, 1, 1, 1} &&
         attribute(op, "group", std::int64_t{1}) == channels &&
         network.tensor(op.outputs[0]).shape == network.tensor(op.inputs[0]).shape;
}

/// Whether an affine Conv only shifts.
bool only_shifts(const Network& network, const Operator& op) {
  const Tensor& weights = network.tensor(op.inputs[1]);
  const float* values = constant_data<float>(weights);
  return std::all_of(values, values + element_count(weights.shape), [](float value) { return value == 1; });
}

/// Those that the model has for the tensor, or for what a Clip makes of it that alone reads it.
const Quantisation* integers_of_result(const Network& network, const Uses& uses, TensorId id) {
  if (const auto& own = network.tensor(id).quantisation) return &*own;
  if (!uses.sole_consumer(id)) return nullptr;
  const int next = uses.consumers[static_cast<std::size_t>(id)][0];
  const Operator& reader = network.operators[static_cast<std::size_t>(next)];
  return rounds_to_integers(network, reader) ? &*network.tensor(reader.outputs[0]).quantisation : nullptr;
}

/// Why a Mul by a number between such integers is no requantisation of its own, as a Clip is: one makes about one step
/// of a step, which multipliers of few bits tell from others.
std::string factor_obstacle(const Network& network, const Operator& op, const Quantisation& x, const Quantisation& y) {
  constexpr double least = 1.0 / 256, greatest = 8, rounding = 1e-6;  // of the scales, in fp32
  if (network.tensor(op.outputs[0]).shape.empty()) return "its result has no dimensions";
  if (x.scale.size() != 1 || y.scale.size() != 1) return "its channels have scales of their own";
  const double steps = x.scale[0] * number_of_factor(network, op) / y.scale[0];
  if (steps <= 0) return "its number is not positive";
  if (steps >= least * (1 - rounding) && steps <= greatest * (1 + rounding)) return "";
  return fmt::format("it makes {:.3g} steps of its result of one of its input, not 1/256 to 8", steps);
}

void requantise_factors(const Network& network, const Uses& uses, std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (plan[i].role != Role::floating || !multiplies_by_number(network, op)) continue;
    const auto& x = network.tensor(op.inputs[0]).quantisation;
    const Quantisation* const y = integers_of_result(network, uses, op.outputs[0]);
    if (!x || y == nullptr) continue;
    plan[i].reason = factor_obstacle(network, op, *x, *y);
    if (plan[i].reason.empty()) plan[i].role = Role::requantise;
  }
}

/// Products of two activations have no weights that could take a factor (the scale of an attention's scores). Where a
/// model has integers for the product, they are rounded, and bounded, before the factor.
void fuse_factors(const Network& network, const Uses& uses, std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (plan[i].role != Role::product || op.type != "MatMul" || !uses.sole_consumer(op.outputs[0])) continue;
    if (network.tensor(op.outputs[0]).quantisation) continue;
    const int next = uses.consumers[static_cast<std::size_t>(op.outputs[0])][0];
    PlannedOperator factor{.role = Role::product, .factor = next};
    if (!multiplies_by_number(network, network.operators[static_cast<std::size_t>(next)])) continue;
    if (!(planned_factor(network, op, factor) > 0)) continue;
    plan[i] = factor;
    plan[static_cast<std::size_t>(next)].role = Role::fused;
  }
}

/// Whether a model has integers for the operator's input, and others or none for its result: a rounding of its own.
bool changes_integers(const Network& network, const Operator& op) {
  const auto &x = network.tensor(op.inputs[0]).quantisation, &y = network.tensor(op.outputs[0]).quantisation;
  return x && !(y && same_integers(*x, *y));
}

void fuse_clips(const Network& network, const Uses& uses, std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!is_integer_role(plan[i].role) && plan[i].role != Role::requantise) continue;
    const int last = plan[i].factor == no_operator ? static_cast<int>(i) : plan[i].factor;
    const TensorId result = network.operators[static_cast<std::size_t>(last)].outputs[0];
    if (!uses.sole_consumer(result)) continue;
    const int next = uses.consumers[static_cast<std::size_t>(result)][0];
    if (plan[static_cast<std::size_t>(next)].role != Role::clip) continue;
    if (changes_integers(network, network.operators[static_cast<std::size_t>(next)])) continue;
    plan[i].clip = next;
    plan[static_cast<std::size_t>(next)].role = Role::fused;
  }
}

/// The product that a sum can be added to: its result is read by the sum alone. Of two, the later one, since the
/// other's result is there by then.
void fuse_sums(const Network& network, const Uses& uses, std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].role != Role::sum || network.operators[i].type == "Sub") continue;
    for (TensorId id : network.operators[i].inputs) {
      const int producer = uses.producer[static_cast<std::size_t>(id)];
      if (producer == no_operator || !uses.sole_consumer(id)) continue;
      const Operator& op = network.operators[static_cast<std::size_t>(producer)];
      if (plan[static_cast<std::size_t>(producer)].role == Role::product && op.type != "MatMul") {
        plan[i].product = std::max(plan[i].product, producer);
      }
    }
    if (plan[i].product != no_operator) plan[static_cast<std::size_t>(plan[i].product)].role = Role::fused;
  }
}

/// Keeps in float what lies between float operators: a sum or carry is done in integers only where an operand comes as
/// one or (carries) an integer operator waits for the result.
class FormChoice {
 public:
  FormChoice(const Network& network, const Uses& uses, std::vector<PlannedOperator>& plan)
      : network_(network),
        uses_(uses),
        plan_(plan),
        wanted_(network.tensors.size()),
        available_(network.tensors.size()),
        read_in_float_(network.tensors.size()) {}

  void run() {
    for (std::size_t i = plan_.size(); i-- > 0;) mark_wanted(i);
    for (std::size_t i = plan_.size(); i-- > 0;) {
      for (const TensorId id : network_.operators[i].outputs) look_at_readers(id);
      choose_for_shift(i);
    }
    for (std::size_t i = 0; i < plan_.size(); ++i) choose(i);
  }

 private:
  bool any(const std::vector<bool>& flags, const std::vector<TensorId>& ids) const {
    return std::ranges::any_of(ids,
                               [&](TensorId id) { return id != no_tensor && flags[static_cast<std::size_t>(id)]; });
  }

  void mark(std::vector<bool>& flags, const std::vector<TensorId>& ids) const {
    for (TensorId id : ids) {
      if (is_variable(network_, id)) flags[static_cast<std::size_t>(id)] = true;
    }
  }

  bool is_quantised(TensorId id) const { return network_.tensor(id).quantisation.has_value(); }

  void mark_wanted(std::size_t i) {
    const Operator& op = network_.operators[i];
    const Role role = plan_[i].role;
    const bool product = role == Role::product || role == Role::average ||
                         (role == Role::fused && op.type != "Clip" && op.type != "Mul");
    if (product || (follows_neighbours(role) && any(wanted_, op.outputs))) mark(wanted_, op.inputs);
  }

  void choose(std::size_t i) {
    const Operator& op = network_.operators[i];
    PlannedOperator& planned = plan_[i];
    const bool fed = any(available_, op.inputs);
    if (planned.role == Role::sum && !fed && planned.product == no_operator)
      demote(i, "its operands are float results");
    if (follows_neighbours(planned.role) && !fed && !any(wanted_, op.outputs)) demote(i, "its neighbours are in float");
    if (is_read_in_float(op.outputs[0]) && gains_in_float(op, planned, fed)) demote(i, "what reads it is in float");
    const bool integers =
        rounds_to_integers(network_, op) || (op.type == "DequantizeLinear" && is_quantised(op.outputs[0]));
    if (planned.role != Role::floating || integers) mark(available_, op.outputs);
  }

  void demote(std::size_t i, const char* reason) {
    const int clip = plan_[i].clip;
    plan_[i] = {.reason = reason};
    if (clip != no_operator) plan_[static_cast<std::size_t>(clip)].role = Role::clip;
  }

  /// An epsilon is less than the integers' step.
  void choose_for_shift(std::size_t i) {
    const Operator& op = network_.operators[i];
    const bool shift = plan_[i].role == Role::product && is_affine(network_, op) && only_shifts(network_, op);
    if (shift && !is_quantised(op.outputs[0]) && is_read_in_float(op.outputs[0]))
      demote(i, "what reads it is in float");
  }

  /// Whether the operator, whose result is read in float, would only round: a multiplication by a number; a mean or an
  /// affine Conv of what an operator in float gives, where the model has no integers for its result.
  bool gains_in_float(const Operator& op, const PlannedOperator& planned, bool fed) const {
    if (planned.role == Role::rescale) return true;
    const bool given = fed || uses_.producer[static_cast<std::size_t>(op.inputs[0])] == no_operator;
    const bool affine = planned.role == Role::product && is_affine(network_, op);
    return (affine || planned.role == Role::average) && !given && !is_quantised(op.outputs[0]);
  }

  /// By the form that its readers have before they are looked at themselves.
  bool is_read_in_float(TensorId id) const { return read_in_float_[static_cast<std::size_t>(id)]; }

  /// What only moves the tensor is as its own readers are.
  void look_at_readers(TensorId id) {
    if (id == no_tensor || uses_.is_output[static_cast<std::size_t>(id)]) return;
    const auto& readers = uses_.consumers[static_cast<std::size_t>(id)];
    read_in_float_[static_cast<std::size_t>(id)] = !readers.empty() && std::ranges::all_of(readers, [&](int reader) {
      const Role role = plan_[static_cast<std::size_t>(reader)].role;
      const auto& results = network_.operators[static_cast<std::size_t>(reader)].outputs;
      return role == Role::floating || (role == Role::carry && std::ranges::all_of(results, [&](TensorId result) {
                                          return result == no_tensor || is_read_in_float(result);
                                        }));
    });
  }

  const Network& network_;
  const Uses& uses_;
  std::vector<PlannedOperator>& plan_;
  std::vector<bool> wanted_, available_, read_in_float_;
};

/// Float machines do sums and clips that are not fused as they stand.
void keep_in_float(std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const bool lone_sum = plan[i].role == Role::sum && plan[i].product == no_operator;
    if (lone_sum && plan[i].clip != no_operator) plan[static_cast<std::size_t>(plan[i].clip)].role = Role::floating;
    if (lone_sum || follows_neighbours(plan[i].role)) plan[i] = {};
  }
}

}  // namespace

Uses::Uses(const Network& network)
    : consumers(network.tensors.size()),
      producer(network.tensors.size(), no_operator),
      is_output(network.tensors.size()) {
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    for (TensorId id : network.operators[i].inputs) {
      if (id != no_tensor) consumers[static_cast<std::size_t>(id)].push_back(static_cast<int>(i));
    }
    for (TensorId id : network.operators[i].outputs) {
      if (id != no_tensor) producer[static_cast<std::size_t>(id)] = static_cast<int>(i);
    }
  }
  for (TensorId id : network.outputs) is_output[static_cast<std::size_t>(id)] = true;
}

bool Uses::sole_consumer(TensorId id) const {
  return consumers[static_cast<std::size_t>(id)].size() == 1 && !is_output[static_cast<std::size_t>(id)];
}

std::vector<PlannedOperator> plan_roles(const Network& network, bool integers, bool factors, bool sums,
                                        const std::map<std::size_t, std::string>& in_float) {
  const Uses uses(network);
  std::vector<PlannedOperator> plan;
  for (const Operator& op : network.operators) plan.push_back(classify(network, op, integers, factors));
  if (integers && factors) requantise_factors(network, uses, plan);
  for (const auto& [index, reason] : in_float) plan[index] = {.reason = reason};
  if (factors) fuse_factors(network, uses, plan);
  fuse_clips(network, uses, plan);
  if (sums) fuse_sums(network, uses, plan);
  if (integers) {
    FormChoice(network, uses, plan).run();
  } else {
    keep_in_float(plan);
  }
  return plan;
}

bool is_bounded(const Operator& clip) {
  return std::isfinite(attribute(clip, "min", -INFINITY)) || std::isfinite(attribute(clip, "max", INFINITY));
}

const Operator& last_of(const Network& network, const Operator& op, const PlannedOperator& planned) {
  const int last = planned.clip == no_operator ? planned.factor : planned.clip;
  return last == no_operator ? op : network.operators[static_cast<std::size_t>(last)];
}

std::vector<TensorId> carried_inputs(const Operator& op) {
  if (op.type == "Concat") return op.inputs;
  return {op.inputs[0]};
}

bool is_integer_product(const Network& network, const Operator& op) {
  return is_product(op) && product_obstacle(network, op, true).empty();
}

std::int64_t constant_pool_count(const Network& network, const Operator& op) {
  const Shape &x = network.tensor(op.inputs[0]).shape, &y = network.tensor(op.outputs[0]).shape;
  const std::size_t rank = x.size() < 2 ? 0 : x.size() - 2;
  const auto kernel = attribute(op, "kernel_shape", std::vector<std::int64_t>{});
  const auto strides = attribute(op, "strides", std::vector<std::int64_t>(rank, 1));
  const auto dilations = attribute(op, "dilations", std::vector<std::int64_t>(rank, 1));
  const auto pads = attribute(op, "pads", std::vector<std::int64_t>(2 * rank, 0));
  const bool include_pad = attribute(op, "count_include_pad", std::int64_t{0}) != 0;
  if (rank == 0 || kernel.size() != rank || strides.size() != rank || dilations.size() != rank ||
      pads.size() != 2 * rank)
    return 0;
  std::int64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t end = (y[d + 2] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1;
    const bool inside_pads = end <= x[d + 2] + pads[d] + pads[rank + d];
    const bool inside_plane = pads[d] == 0 && end <= x[d + 2];
    if (!inside_plane && !(include_pad && inside_pads)) return 0;
    count *= kernel[d];
  }
  return count;
}

bool carries(const Network& network, const Operator& op) {
  if (std::ranges::find(carriers, op.type) == carriers.end() || !is_variable(network, op.inputs[0])) return false;
  if (op.type == "MaxPool" && op.outputs.size() > 1) return false;
  if (op.type == "Resize") return attribute(op, "mode", std::string("nearest")) == "nearest";
  if (op.type == "Pad") return attribute(op, "value", 0.0) == 0 && op.inputs.size() == 1;
  return true;
}

bool keeps_scale(const Network& network, const Operator& op) {
  const Quantisation* known = nullptr;
  auto ids = carried_inputs(op);
  ids.insert(ids.end(), op.outputs.begin(), op.outputs.end());
  for (TensorId id : ids) {
    if (id == no_tensor || !network.tensor(id).quantisation || network.tensor(id).is_constant()) continue;
    const Quantisation& own = *network.tensor(id).quantisation;
    if (known && !same_integers(*known, own)) return false;
    known = &own;
  }
  return true;
}

double planned_factor(const Network& network, const Operator& op, const PlannedOperator& planned) {
  if (planned.role == Role::requantise) return number_of_factor(network, op);
  if (planned.factor == no_operator) return 1;
  return number_of_factor(network, network.operators[static_cast<std::size_t>(planned.factor)]);
}

double number_of_factor(const Network& network, const Operator& op) {
  return *constant_data<float>(network.tensor(op.inputs[1]));
}

bool changes_scale_alone(const Network& network, const Operator& op, bool powers_of_two) {
  constexpr double least = 1e-6, greatest = 1e6;  // far from where a scale would be no number of fp32
  if (!multiplies_by_number(network, op) || !is_variable(network, op.inputs[0])) return false;
  if (network.tensor(op.inputs[0]).quantisation || network.tensor(op.outputs[0]).quantisation) return false;
  const double number = number_of_factor(network, op);
  int exponent = 0;
  return number >= least && number <= greatest && (!powers_of_two || std::frexp(number, &exponent) == 0.5);
}

int channel_axis(const Operator& op, const Shape& shape) {
  const bool image = shape.size() == 4 && op.type != "Gemm";
  return image ? 1 : static_cast<int>(shape.size()) - 1;
}

}  // namespace accord::numerics
