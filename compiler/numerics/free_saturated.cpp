#include "compiler/numerics/free_saturated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "compiler/network/constants.h"
#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scale_groups.h"

namespace accord::numerics {
namespace {

/// Between which values lie, or what integers of the model hold.
struct Range {
  double low = 0, high = 0;
  bool holds(const Range& other) const { return other.low >= low && other.high <= high; }
};

/// With half a step beyond: what rounds to the last ones.
Range held_by(const Quantisation& quantisation) {
  const std::int64_t reach = quantisation.reach == 0 ? signed_byte_reach : quantisation.reach, zero = quantisation.zero;
  const std::int64_t half = zero >= 0 ? reach - zero : reach + zero + 1;  // of the type's integers, from -half on
  const double scale = quantisation.scale[0];
  return {scale * (static_cast<double>(-half - zero) - 0.5), scale * (static_cast<double>(half - 1 - zero) + 0.5)};
}

/// Whether the QuantizeLinear makes these integers.
bool has_parameters_of(const Network& network, const Operator& quantiser, const Quantisation& integers) {
  const auto number = [&](std::size_t input, double otherwise) {
    if (quantiser.inputs.size() <= input || quantiser.inputs[input] == no_tensor) return otherwise;
    const Tensor& tensor = network.tensor(quantiser.inputs[input]);
    return tensor.is_constant() && element_count(tensor.shape) == 1 ? numbers_of(tensor)[0] : NAN;
  };
  const double middle = middle_of(network.tensor(quantiser.outputs[0]).type);
  return static_cast<float>(number(1, NAN)) == integers.scale[0] && number(2, 0) - middle == integers.zero;
}

/// Of tensors that movers tie to one scale.
ScaleGroups tied_by_movers(const Network& network) {
  std::vector<PlannedOperator> plan(network.operators.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (carries(network, network.operators[i])) plan[i].role = Role::carry;
  }
  return {network, plan};
}

/// The model's integers that tensors tied to each other have, and which of these have them.
struct Integers {
  Quantisation quantisation;
  Range held;
  std::vector<TensorId> tensors;
};

/// Finds tensors that some want as they are, and which would be stored in integers of the model.
class Readers {
 public:
  explicit Readers(const Network& network)
      : network_(network), uses_(network), tied_(tied_by_movers(network)), bounds_(network.tensors.size()) {
    for (const Operator& op : network.operators) note_bounds(op);
    for (TensorId id = 0; id < std::ssize(network.tensors); ++id) {
      const Tensor& tensor = network.tensor(id);
      if (!tensor.is_constant() && tensor.quantisation && tensor.quantisation->scale.size() == 1) add(id);
    }
  }

  /// Of each tensor that may have values beyond them, the integers that it would be stored in.
  std::map<TensorId, std::vector<const Integers*>> wanted() {
    std::map<TensorId, std::vector<const Integers*>> result;
    for (TensorId id = 0; id < std::ssize(network_.tensors); ++id) {
      const auto found = integers_.find(tied_.of(id));
      if (found == integers_.end() || network_.tensor(id).is_constant()) continue;
      const auto& bounds = bounds_[static_cast<std::size_t>(id)];
      for (const Integers& integers : found->second) {
        if (bounds && integers.held.holds(*bounds)) continue;
        if (!read_by_quantisers_alone(id, integers)) result[id].push_back(&integers);
      }
    }
    return result;
  }

 private:
  /// What comes from quantisers is rounded to its integers in float, too.
  void add(TensorId id) {
    const Quantisation& quantisation = *network_.tensor(id).quantisation;
    const auto& bounds = bounds_[static_cast<std::size_t>(id)];
    if (bounds && held_by(quantisation).holds(*bounds)) return;
    auto& known = integers_[tied_.of(id)];
    auto same = std::ranges::find_if(
        known, [&](const Integers& integers) { return same_integers(integers.quantisation, quantisation); });
    if (same == known.end()) same = known.insert(same, {quantisation, held_by(quantisation), {}});
    same->tensors.push_back(id);
  }

  /// Of what comes from a pair of the model's quantisers, or a Clip, and is moved.
  void note_bounds(const Operator& op) {
    const Tensor& first = network_.tensor(op.outputs[0]);
    std::optional<Range> bounds;
    if (op.type == "Clip") {
      bounds = {attribute(op, "min", -INFINITY), attribute(op, "max", INFINITY)};
    } else if (op.type == "DequantizeLinear" && first.quantisation && first.quantisation->scale.size() == 1) {
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

  bool read_by_quantisers_alone(TensorId id, const Integers& integers) {
    const auto [known, fresh] =
        quantised_alone_.try_emplace({id, &integers}, !uses_.is_output[static_cast<std::size_t>(id)]);
    if (!fresh || !known->second) return known->second;
    return known->second = std::ranges::all_of(uses_.consumers[static_cast<std::size_t>(id)], [&](int reader) {
             return quantises(network_.operators[static_cast<std::size_t>(reader)], integers);
           });
  }

  /// Into these integers, at once or behind movers.
  bool quantises(const Operator& reader, const Integers& integers) {
    const auto has_them = [&](TensorId id) {
      const auto& own = network_.tensor(id).quantisation;
      return own && same_integers(integers.quantisation, *own);
    };
    if (reader.type == "QuantizeLinear") return has_parameters_of(network_, reader, integers.quantisation);
    if (rounds_to_integers(network_, reader)) return has_them(reader.outputs[0]);
    return carries(network_, reader) && std::ranges::all_of(reader.outputs, [&](TensorId y) {
             return y == no_tensor || read_by_quantisers_alone(y, integers);
           });
  }

  const Network& network_;
  const Uses uses_;
  const ScaleGroups tied_;
  std::vector<std::optional<Range>> bounds_;               ///< known without a run
  std::map<std::size_t, std::vector<Integers>> integers_;  ///< by group
  std::map<std::pair<TensorId, const Integers*>, bool> quantised_alone_;
};

bool saturates(const Range& held, std::span<const std::byte> fp32_values) {
  for (std::size_t at = 0; at < fp32_values.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &fp32_values[at], sizeof value);
    if (value < held.low || value > held.high) return true;
  }
  return false;
}

}  // namespace

void free_saturated(Network& network, const std::vector<Values>& inputs) {
  Readers readers(network);
  const auto wanted = readers.wanted();
  if (wanted.empty()) return;
  std::vector<TensorId> saturated;
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) {
    const auto found = wanted.find(id);
    if (found == wanted.end()) return;
    for (const Integers* integers : found->second) {
      if (saturates(integers->held, values))
        saturated.insert(saturated.end(), integers->tensors.begin(), integers->tensors.end());
    }
  });
  for (const TensorId id : saturated) network.tensor(id).quantisation.reset();
}

}  // namespace accord::numerics
