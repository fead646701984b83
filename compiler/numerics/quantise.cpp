#include "compiler/numerics/quantise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/numerics/affine_channels.h"
#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/drop_clips.h"
#include "compiler/numerics/free_saturated.h"
#include "compiler/numerics/hoist_clips.h"
#include "compiler/numerics/kept_in_float.h"
#include "compiler/numerics/part_scales.h"
#include "compiler/numerics/requantiser.h"
#include "compiler/numerics/rewrite.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scales.h"
#include "compiler/numerics/sums.h"
#include "compiler/numerics/write_out.h"

namespace accord {
namespace numerics {
namespace {

class Quantiser {
 public:
  Quantiser(const Network& from, const Numerics& numerics, const std::vector<double>& largest, const InFloat& in_float,
            AddedSums sums, QuantiseReport& report)
      : rewrite_(from),
        from_(from),
        numerics_(numerics),
        requantiser_(numerics),
        plan_(plan_roles(from, true, !requantiser_.powers_of_two(), sums != AddedSums::none, in_float)),
        tensors_(rewrite_, numerics, plan_,
                 activation_scales(from, plan_, largest, numerics.storage, requantiser_.powers_of_two())),
        sums_(rewrite_, tensors_, numerics,
              {requantiser_.per_channel(), requantiser_.powers_of_two(), sums == AddedSums::scalar}),
        report_(report) {}

  /// Nothing where an operator turns out to have to stay in float: it is added to `in_float`.
  std::optional<Network> run(InFloat& in_float) {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      try {
        emit(from_.operators[i], plan_[i]);
      } catch (const Error& error) {
        if (!may_stay_in_float(plan_[i])) throw;
        // A machine whose requantisation can do none of the products is of no use.
        if (plan_[i].role == Role::product && products() == 1) throw;
        in_float.emplace(i, error.what());
        return std::nullopt;
      }
    }
    std::vector<TensorId> outputs;
    for (TensorId id : from_.outputs) outputs.push_back(tensors_.as_real(id));
    rewrite_.set_outputs(outputs);
    tensors_.warn_of_lost_integers();
    sums_.warn_of_losses();
    if (std::string overflows = requantiser_.overflows(); !overflows.empty()) rewrite_.warn(std::move(overflows));
    return rewrite_.take();
  }

 private:
  std::ptrdiff_t products() const { return std::ranges::count(plan_, Role::product, &PlannedOperator::role); }

  static bool may_stay_in_float(const PlannedOperator& planned) {
    return planned.role == Role::product || planned.role == Role::sum || planned.role == Role::average ||
           planned.role == Role::clip || planned.role == Role::requantise;
  }

  void emit(const Operator& op, const PlannedOperator& planned) {
    switch (planned.role) {
      case Role::product: return finish(op, planned, sums_.product(op, result_of(op, planned), no_tensor));
      case Role::sum: return sum(op, planned);
      case Role::average: return finish(op, planned, sums_.average(op, result_of(op, planned)));
      case Role::carry: return carry(op);
      case Role::rescale: return rescale(op);
      case Role::clip:
      case Role::requantise: return finish(op, planned, sums_.clip(op, result_of(op, planned), bias_of(op, planned)));
      case Role::floating: return floating(op, planned);
      case Role::fused: return;
    }
  }

  Requantised result_of(const Operator& op, const PlannedOperator& planned) const {
    return {last_of(from_, op, planned).outputs[0], planned_factor(from_, op, planned)};
  }

  void sum(const Operator& op, const PlannedOperator& planned) {
    if (planned.product != no_operator) {
      const Operator& producer = from_.operators[static_cast<std::size_t>(planned.product)];
      const TensorId other = op.inputs[op.inputs[0] == producer.outputs[0] ? 1 : 0];
      if (const Accumulator fused = sums_.product(producer, result_of(op, planned), other); fused.id != no_tensor) {
        ++report_.fused_additions;
        return finish(op, planned, fused);
      }
      finish(producer, {}, sums_.product(producer, result_of(producer, {}), no_tensor));
    }
    finish(op, planned, sums_.sum(op, result_of(op, planned), bias_of(op, planned)));
  }

  Sums::Bias bias_of(const Operator& op, const PlannedOperator& planned) {
    return [this, &op, &planned](const Accumulator& sums) {
      const Requantisation wanted = requantisation(op, planned, sums);
      return requantiser_.bias(wanted.multipliers, sums.bound, wanted.lo, wanted.hi);
    };
  }

  /// What sums are multiplied by, per channel, and what bounds the result.
  struct Requantisation {
    std::vector<double> multipliers;
    double lo, hi;
  };

  /// Bounded by the operator's fused (or own) Clip.
  Requantisation requantisation(const Operator& op, const PlannedOperator& planned, const Accumulator& sums) const {
    const Operator& last = last_of(from_, op, planned);
    const TensorId y = last.outputs[0];
    const StoredRange bounds = bounds_of(last, tensors_.step(y), numerics_.storage);
    Requantisation wanted{{}, bounds.low, bounds.high};
    for (double s : sums.scale)
      wanted.multipliers.push_back(s * planned_factor(from_, op, planned) / tensors_.scale(y));
    return wanted;
  }

  /// Throws Error where no values of the parameters make what is wanted of the sums.
  void finish(const Operator& op, const PlannedOperator& planned, const Accumulator& sums) {
    const Operator& last = last_of(from_, op, planned);
    const Tensor& y = from_.tensor(last.outputs[0]);
    const Requantisation wanted = requantisation(op, planned, sums);
    std::vector<TensorId> inputs = {sums.id};
    for (Tensor& parameter : requantiser_.solve(wanted.multipliers, y.shape[static_cast<std::size_t>(sums.axis)],
                                                sums.bound, wanted.lo, wanted.hi, y.name))
      inputs.push_back(rewrite_.add_constant(std::move(parameter)));
    rewrite_.add_operator("Requantize", last.name + ".requantise", inputs, {tensors_.add_stored(last.outputs[0])},
                          {{"expression", numerics_.requantise},
                           {"parameters", requantiser_.parameter_names()},
                           {"axis", std::int64_t{sums.axis}},
                           {"lo", wanted.lo},
                           {"hi", wanted.hi}});
  }

  void carry(const Operator& op) {
    const auto carried = carried_inputs(op);
    std::vector<TensorId> inputs, outputs;
    for (TensorId id : op.inputs) {
      const bool moves = std::ranges::find(carried, id) != carried.end();
      inputs.push_back(moves ? tensors_.as_stored(id) : tensors_.as_real(id));
    }
    for (TensorId id : op.outputs) outputs.push_back(id == no_tensor ? no_tensor : tensors_.add_stored(id));
    auto attributes = op.attributes;
    if (op.type == "Pad" && tensors_.zero(op.inputs[0]) != 0) attributes["value"] = double(tensors_.zero(op.inputs[0]));
    rewrite_.add_operator(op.type, op.name, inputs, outputs, attributes);
  }

  void rescale(const Operator& op) { rewrite_.set_stored(op.outputs[0], tensors_.as_stored(op.inputs[0])); }

  void floating(const Operator& op, const PlannedOperator& planned) {
    std::vector<TensorId> inputs, outputs;
    for (TensorId id : op.inputs) inputs.push_back(tensors_.as_real(id));
    const bool rounded = rounds_to_integers(from_, op);
    for (TensorId id : op.outputs) {
      if (id != no_tensor) {
        const Tensor& tensor = from_.tensor(id);
        rewrite_.set_real(id, rewrite_.add_tensor(tensor.name + (rounded ? ".real" : ""), tensor.type, tensor.shape));
      }
      outputs.push_back(id == no_tensor ? no_tensor : rewrite_.real(id));
    }
    rewrite_.add_operator(op.type, op.name, inputs, outputs, op.attributes).in_float = planned.reason;
    if (!rounded) return;
    tensors_.as_stored(op.outputs[0]);
    rewrite_.set_real(op.outputs[0], no_tensor);  // whoever wants it gets what is stored
  }

  Rewrite rewrite_;
  const Network& from_;
  const Numerics& numerics_;
  Requantiser requantiser_;
  std::vector<PlannedOperator> plan_;
  StoredTensors tensors_;
  Sums sums_;
  QuantiseReport& report_;
};

/// What stays in float and the machine does not do becomes such that it does, where there are. The results of that.
std::set<TensorId> write_out_floats(Network& network, const Numerics& numerics, AddedSums sums,
                                    const std::function<bool(const Network&)>& capable) {
  const auto plan = first_plan(network, numerics, {}, sums);
  std::set<TensorId> floats;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].role == Role::floating) floats.insert(network.operators[i].outputs.front());
  }
  return write_out(network, capable, floats);
}

}  // namespace
}  // namespace numerics

Network quantise(Network canonical, const Numerics& numerics, const std::vector<Values>& calibration_inputs,
                 QuantiseReport* report, AddedSums sums, const std::function<bool(const Network&)>& capable) {
  if (lowest(numerics.storage) >= 0) {
    throw Error(fmt::format("storage {}: activations are quantised symmetrically around 0, which takes a signed type",
                            name(numerics.storage)));
  }
  if (lowest(numerics.weight) >= 0) {
    throw Error(fmt::format("weight {}: weights are quantised symmetrically around 0, which takes a signed type",
                            name(numerics.weight)));
  }
  std::vector<Values> inputs = calibration_inputs;
  if (inputs.empty()) inputs = {seeded_inputs(canonical, 1), seeded_inputs(canonical, 2)};
  numerics::free_saturated(canonical, inputs);
  numerics::affine_to_depthwise(canonical, numerics::Requantiser(numerics).powers_of_two());
  numerics::drop_clips_of_storage(canonical, numerics);
  numerics::hoist_clips(canonical);
  std::set<TensorId> parts;
  if (capable) parts = numerics::write_out_floats(canonical, numerics, sums, capable);
  QuantiseReport unused;
  QuantiseReport& filled = report ? *report : unused;
  numerics::Calibration seen = numerics::calibrate(canonical, inputs);
  std::vector<double>& largest = seen.largest;
  const auto kept = [&] { return numerics::kept_in_float(canonical, numerics, seen, parts, sums); };
  numerics::give_parts_scales(canonical, numerics::first_plan(canonical, numerics, kept(), sums), largest);
  for (std::size_t id = 0; id < largest.size(); ++id) {
    if (!canonical.tensors[id].is_constant()) filled.largest[canonical.tensors[id].name] = largest[id];
  }
  numerics::InFloat in_float = kept();
  for (;;) {
    filled.fused_additions = 0;
    if (auto network = numerics::Quantiser(canonical, numerics, largest, in_float, sums, filled).run(in_float)) {
      return std::move(*network);
    }
  }
}

}  // namespace accord
