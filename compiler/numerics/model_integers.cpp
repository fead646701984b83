#include "compiler/numerics/model_integers.h"

#include <algorithm>
#include <cmath>

#include "compiler/network/constants.h"

namespace accord::numerics {
namespace {

/// Of a type's integers from `lowest` to `highest`.
Range held_by(double scale, double zero, double lowest, double highest) {
  return {scale * (lowest - zero - 0.5), scale * (highest - zero + 0.5)};
}

Range held_by(const Quantisation& quantisation) {
  const std::int64_t reach = quantisation.reach == 0 ? signed_byte_reach : quantisation.reach, zero = quantisation.zero;
  const auto half = static_cast<double>(zero >= 0 ? reach - zero : reach + zero + 1);
  return held_by(quantisation.scale[0], static_cast<double>(zero), -half, half - 1);
}

/// Of a QuantizeLinear with one constant scale and zero point.
std::optional<Range> made_by(const Network& network, const Operator& quantiser) {
  const auto number = [&](std::size_t input, double otherwise) {
    if (quantiser.inputs.size() <= input || quantiser.inputs[input] == no_tensor) return otherwise;
    const Tensor& tensor = network.tensor(quantiser.inputs[input]);
    return tensor.is_constant() && element_count(tensor.shape) == 1 ? numbers_of(tensor)[0] : NAN;
  };
  const double scale = number(1, NAN), zero = number(2, 0);
  if (std::isnan(scale) || std::isnan(zero)) return std::nullopt;
  const ElementType type = network.tensor(quantiser.outputs[0]).type;
  return held_by(static_cast<float>(scale), zero, lowest(type), highest(type));
}

bool has_integers(const Tensor& tensor) {
  return !tensor.is_constant() && tensor.quantisation && tensor.quantisation->scale.size() == 1;
}

/// By movers that may keep integers, and by constants that several products share.
ScaleGroups tied_whatever_the_plan(const Network& network) {
  std::vector<PlannedOperator> plan(network.operators.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (carries(network, op) && keeps_scale(network, op)) plan[i].role = Role::carry;
  }
  return {network, plan};
}

}  // namespace

ModelIntegers::ModelIntegers(const Network& network)
    : network_(network), uses_(network), groups_(tied_whatever_the_plan(network)), bounds_(network.tensors.size()) {
  for (const Operator& op : network.operators) note_bounds(op);
  for (TensorId id = 0; id < std::ssize(network.tensors); ++id) {
    if (has_integers(network.tensor(id))) add(id);
  }
}

void ModelIntegers::add(TensorId id) {
  const Quantisation& own = *network_.tensor(id).quantisation;
  auto& all = tied_[groups_.of(id)];
  auto tied = std::ranges::find_if(all, [&](const auto& known) { return same_integers(known.quantisation, own); });
  if (tied == all.end()) tied = all.insert(tied, {own, held_by(own), groups_.of(id), {}});
  if (is_within(id, tied->held)) {
    tied->has_rounded = true;
  } else {
    tied->given.push_back(id);
  }
}

/// Of what comes from a pair of the model's quantisers, or a Clip, and is moved.
void ModelIntegers::note_bounds(const Operator& op) {
  const Tensor& first = network_.tensor(op.outputs[0]);
  std::optional<Range> bounds;
  if (op.type == "Clip") {
    bounds = {attribute(op, "min", -INFINITY), attribute(op, "max", INFINITY)};
  } else if (op.type == "DequantizeLinear" && has_integers(first)) {
    bounds = held_by(*first.quantisation);
  } else if (carries(network_, op)) {
    bounds = Range{0, 0};  // what movers add
    for (const TensorId x : carried_inputs(op)) {
      const auto& moved = bounds_[static_cast<std::size_t>(x)];
      if (!moved) return;
      bounds = {std::min(bounds->low, moved->low), std::max(bounds->high, moved->high)};
    }
  }
  for (const TensorId y : op.outputs) {
    if (y != no_tensor) bounds_[static_cast<std::size_t>(y)] = bounds;
  }
}

bool ModelIntegers::is_within(TensorId id, const Range& range) const {
  const auto& bounds = bounds_[static_cast<std::size_t>(id)];
  return bounds && range.holds(*bounds);
}

std::vector<const TiedIntegers*> ModelIntegers::wanted_in(TensorId id) {
  std::vector<const TiedIntegers*> result;
  const auto found = tied_.find(groups_.of(id));
  if (found == tied_.end() || network_.tensor(id).is_constant()) return result;
  for (const TiedIntegers& tied : found->second) {
    if (!is_within(id, tied.held) && !read_by_quantisers_alone(id, tied)) result.push_back(&tied);
  }
  return result;
}

bool ModelIntegers::read_by_quantisers_alone(TensorId id, const TiedIntegers& tied) {
  const auto [known, fresh] = quantised_alone_.try_emplace({id, &tied}, !uses_.is_output[static_cast<std::size_t>(id)]);
  if (!fresh || !known->second) return known->second;
  return known->second = std::ranges::all_of(uses_.consumers[static_cast<std::size_t>(id)], [&](int reader) {
           return quantises(network_.operators[static_cast<std::size_t>(reader)], tied);
         });
}

/// To integers that hold no more, at once or behind movers.
bool ModelIntegers::quantises(const Operator& reader, const TiedIntegers& tied) {
  if (reader.type == "QuantizeLinear") {
    const auto made = made_by(network_, reader);
    return made && tied.held.holds(*made);
  }
  if (rounds_to_integers(network_, reader)) {
    const Tensor& result = network_.tensor(reader.outputs[0]);
    return has_integers(result) && tied.held.holds(held_by(*result.quantisation));
  }
  return carries(network_, reader) && std::ranges::all_of(reader.outputs, [&](TensorId y) {
           return y == no_tensor || read_by_quantisers_alone(y, tied);
         });
}

/// To what may lie beyond the integers: a mover's result, or what products by the same constant read.
std::vector<TensorId> ModelIntegers::tied_inputs(const Operator& op, const Range& held) const {
  if (carries(network_, op)) {
    return is_within(op.outputs[0], held) ? std::vector<TensorId>() : carried_inputs(op);
  }
  if ((op.type != "Conv" && op.type != "Gemm") || network_.tensor(op.inputs[0]).is_constant()) return {};
  const bool shares = uses_.consumers[static_cast<std::size_t>(op.inputs[1])].size() > 1;
  return shares ? std::vector{op.inputs[0]} : std::vector<TensorId>();
}

std::set<Reading> ModelIntegers::readings_within(const TiedIntegers& tied) const {
  std::set<Reading> result;
  for (std::size_t i = 0; i < network_.operators.size(); ++i) {
    for (const TensorId x : tied_inputs(network_.operators[i], tied.held)) {
      if (groups_.of(x) == tied.group && is_within(x, tied.held)) result.insert({i, x});
    }
  }
  return result;
}

}  // namespace accord::numerics
