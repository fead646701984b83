#include "compiler/numerics/convert_float.h"

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/network/constants.h"
#include "compiler/numerics/byte_products.h"
#include "compiler/numerics/expand_softmax.h"
#include "compiler/numerics/hoist_clips.h"
#include "compiler/numerics/rewrite.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/weight_loops.h"
#include "compiler/numerics/write_out.h"

namespace accord {
namespace numerics {
namespace {

/// The values where some are finite and beyond the type: those as the type's greatest. Else empty.
std::vector<float> within(ElementType type, std::span<const float> values) {
  const auto greatest = static_cast<float>(highest(type));
  if (!is_float(type) || largest_value(values.data(), std::ssize(values)).greatest <= greatest) return {};
  std::vector<float> inside(values.begin(), values.end());
  bool beyond = false;
  for (float& value : inside) {
    if (!std::isfinite(value) || std::abs(value) <= greatest) continue;
    value = std::copysign(greatest, value);
    beyond = true;
  }
  return beyond ? inside : std::vector<float>{};
}

/// Bounds of Clips that are finite and beyond the type become its greatest numbers.
void bound_clips(Network& network, ElementType type) {
  const double greatest = highest(type);
  for (Operator& op : network.operators) {
    if (op.type != "Clip" || network.tensor(op.outputs[0]).type != ElementType::fp32) continue;
    for (const char* bound : {"min", "max"}) {
      const double value = attribute(op, bound, 0.0);
      if (!std::isfinite(value) || std::abs(value) <= greatest) continue;
      op.attributes[bound] = std::copysign(greatest, value);
      network.warnings.push_back(fmt::format("{} of '{}' is beyond {}: {:g} stands for it", bound, op.name, name(type),
                                             std::copysign(greatest, value)));
    }
  }
}

class FloatConverter {
 public:
  FloatConverter(Network& from, const Numerics& numerics, AddedSums sums)
      : rewrite_(from),
        from_(from),
        uses_(from),
        numerics_(numerics),
        plan_(plan_roles(from, false, !numerics.parameters.empty(), sums != AddedSums::none)) {
    for (const auto& parameter : numerics.parameters) {
      if (parameter.role() != Numerics::Role::scale) {
        throw Error("requantisation '" + numerics.requantise +
                    "': the only parameter of a float machine is a float `scale`");
      }
    }
  }

  Network run() {
    for (std::size_t i = 0; i < plan_.size(); ++i) emit(from_.operators[i], plan_[i]);
    std::vector<TensorId> outputs;
    for (TensorId id : from_.outputs) outputs.push_back(as_fp32(id));
    rewrite_.set_outputs(outputs);
    return rewrite_.take();
  }

 private:
  void emit(const Operator& op, const PlannedOperator& planned) {
    if (is_exact_in_floats(from_, op, numerics_)) return byte_product(op);
    switch (planned.role) {
      case Role::product: return finish(op, planned, product(op), planned_factor(from_, op, planned));
      case Role::sum: return sum(op, planned);
      case Role::average: return average(op, planned);
      case Role::fused: return;
      default: return elementwise(op);
    }
  }

  bool converts(TensorId id) const { return from_.tensor(id).type == ElementType::fp32; }

  /// The tensor in the storage type; integers and what is fp32 by design stay as they are.
  TensorId as_stored(TensorId id) {
    if (id == no_tensor) return no_tensor;
    if (rewrite_.stored(id) == no_tensor) {
      const Tensor& tensor = from_.tensor(id);
      if (tensor.is_constant()) {
        rewrite_.set_stored(id, converts(id) ? constant(id, numerics_.storage) : rewrite_.add_constant(tensor));
      } else if (!converts(id) || numerics_.storage == ElementType::fp32) {
        rewrite_.set_stored(id, rewrite_.real(id));
      } else {
        const TensorId input = rewrite_.real(id), stored = add_stored(id);
        rewrite_.add_operator("Cast", tensor.name + ".store", {input}, {stored});
      }
    }
    return rewrite_.stored(id);
  }

  /// A network output: fp32 under the network's name.
  TensorId as_fp32(TensorId id) {
    if (rewrite_.real(id) == no_tensor) {
      const Tensor& tensor = from_.tensor(id);
      if (tensor.is_constant()) {
        rewrite_.set_real(id, rewrite_.add_constant(tensor));
      } else if (!is_wider_than_storage(id)) {
        rewrite_.set_real(id, rewrite_.stored(id));
      } else {
        rewrite_.set_real(id, rewrite_.add_tensor(tensor.name, ElementType::fp32, tensor.shape));
        rewrite_.add_operator("Cast", tensor.name + ".load", {rewrite_.stored(id)}, {rewrite_.real(id)});
      }
    }
    return rewrite_.real(id);
  }

  bool is_wider_than_storage(TensorId id) const { return converts(id) && numerics_.storage != ElementType::fp32; }

  TensorId add_stored(TensorId id) {
    const Tensor& tensor = from_.tensor(id);
    const std::string name = is_wider_than_storage(id) ? rewrite_.stored_name(id) : tensor.name;
    rewrite_.set_stored(id, rewrite_.add_tensor(name, converts(id) ? numerics_.storage : tensor.type, tensor.shape));
    return rewrite_.stored(id);
  }

  /// The constant in another type, once for all who use it. A number that the type does not reach becomes its greatest:
  /// masks of the lowest fp32 would be infinite, and 0 times that is no number.
  TensorId constant(TensorId id, ElementType type) {
    const auto [entry, fresh] = constants_.try_emplace({id, type}, no_tensor);
    if (fresh) {
      const Tensor& tensor = from_.tensor(id);
      std::span values(constant_data<float>(tensor), count_of(tensor.shape));
      const std::vector<float> inside = within(type, values);
      if (!inside.empty()) {
        rewrite_.warn(fmt::format("constant '{}' has finite numbers beyond {}: {:g} stands for them", tensor.name,
                                  name(type), highest(type)));
        values = inside;
      }
      entry->second = rewrite_.add_constant(typed_constant(tensor.name, type, tensor.shape, values));
      if (uses_.sole_consumer(id)) from_.tensor(id).data.reset();  // its memory does for the next one
    }
    return entry->second;
  }

  TensorId add_accumulator(const Tensor& like, const char* suffix) {
    return rewrite_.add_tensor(like.name + suffix, numerics_.accumulator, like.shape);
  }

  TensorId product(const Operator& op) {
    std::vector<TensorId> inputs = {as_stored(op.inputs[0])};
    const TensorId w = op.inputs[1];
    inputs.push_back(from_.tensor(w).is_constant() ? constant(w, numerics_.weight) : as_stored(w));
    if (op.inputs.size() > 2 && op.inputs[2] != no_tensor) {
      inputs.push_back(constant(op.inputs[2], numerics_.accumulator));
    }
    const TensorId result = add_accumulator(from_.tensor(op.outputs[0]), ".acc");
    rewrite_.add_operator(op.type, op.name, inputs, {result}, op.attributes);
    return result;
  }

  /// Bytes as they are, in floats; the sums are integers again.
  void byte_product(const Operator& op) {
    const TensorId x = op.inputs[0], y = op.outputs[0];
    const auto [entry, fresh] = constants_.try_emplace({x, numerics_.storage}, no_tensor);
    if (fresh) {
      const TensorId integers = as_stored(x);
      entry->second = rewrite_.add_tensor(from_.tensor(x).name + ".real", numerics_.storage, from_.tensor(x).shape);
      rewrite_.add_operator("Cast", from_.tensor(x).name + ".real", {integers}, {entry->second});
    }
    std::vector<TensorId> inputs = {entry->second, integers_in(op.inputs[1], numerics_.weight)};
    if (op.inputs.size() > 2) inputs.push_back(integers_in(op.inputs[2], numerics_.accumulator));
    const TensorId sums = add_accumulator(from_.tensor(y), ".acc");
    rewrite_.add_operator(op.type, op.name, inputs, {sums}, op.attributes);
    rewrite_.add_operator("Cast", op.name + ".integers", {sums}, {add_stored(y)});
  }

  TensorId integers_in(TensorId id, ElementType type) {
    const Tensor& tensor = from_.tensor(id);
    return rewrite_.add_constant(typed_constant(tensor.name, type, tensor.shape, numbers_of(tensor)));
  }

  void sum(const Operator& op, const PlannedOperator& planned) {
    const Operator& producer = from_.operators[static_cast<std::size_t>(planned.product)];
    const TensorId other = op.inputs[op.inputs[0] == producer.outputs[0] ? 1 : 0];
    const TensorId start = product(producer), result = add_accumulator(from_.tensor(producer.outputs[0]), ".sum");
    rewrite_.add_operator("Accumulate", op.name, {start, as_stored(other)}, {result});
    finish(op, planned, result, 1);
  }

  void average(const Operator& op, const PlannedOperator& planned) {
    const Tensor& y = from_.tensor(op.outputs[0]);
    const double factor = 1 / static_cast<double>(constant_pool_count(from_, op));
    const TensorId x = as_stored(op.inputs[0]), total = add_accumulator(y, ".acc");
    rewrite_.add_operator("SumPool", op.name, {x}, {total}, op.attributes);
    if (!numerics_.parameters.empty()) return finish(op, planned, total, factor);
    const TensorId scaled = add_accumulator(y, ".mean");
    const TensorId m =
        rewrite_.add_constant(typed_constant(y.name + ".factor", numerics_.accumulator, {}, std::vector{factor}));
    rewrite_.add_operator("Scale", op.name + ".scale", {total, m}, {scaled});
    finish(op, planned, scaled, 1);
  }

  /// Requantize to the storage type, bounded by the operator's fused Clip.
  void finish(const Operator& op, const PlannedOperator& planned, TensorId accumulator, double factor) {
    const int done = planned.clip == no_operator ? planned.factor : planned.clip;
    const Operator& last = done == no_operator ? op : from_.operators[static_cast<std::size_t>(done)];
    const Tensor& y = from_.tensor(last.outputs[0]);
    const bool clips = last.type == "Clip";
    const int axis = channel_axis(op, y.shape);
    std::vector<TensorId> inputs = {accumulator};
    std::string names;
    for (const auto& parameter : numerics_.parameters) {
      names += (names.empty() ? "" : ",") + parameter.name;
      const Shape shape = parameter.per_channel ? Shape{y.shape[static_cast<std::size_t>(axis)]} : Shape{};
      const std::vector<double> values(count_of(shape), factor);
      inputs.push_back(
          rewrite_.add_constant(typed_constant(y.name + "." + parameter.name, parameter.type, shape, values)));
    }
    rewrite_.add_operator("Requantize", last.name + ".requantise", inputs, {add_stored(last.outputs[0])},
                          {{"expression", numerics_.requantise},
                           {"parameters", names},
                           {"axis", std::int64_t{axis}},
                           {"lo", clips ? attribute(last, "min", -INFINITY) : -INFINITY},
                           {"hi", clips ? attribute(last, "max", INFINITY) : INFINITY}});
  }

  void elementwise(const Operator& op) {
    std::vector<TensorId> inputs, outputs;
    for (TensorId id : op.inputs) inputs.push_back(as_stored(id));
    for (TensorId id : op.outputs) outputs.push_back(id == no_tensor ? no_tensor : add_stored(id));
    rewrite_.add_operator(op.type, op.name, inputs, outputs, op.attributes);
  }

  Rewrite rewrite_;
  Network& from_;
  Uses uses_;
  const Numerics& numerics_;
  std::vector<PlannedOperator> plan_;
  std::map<std::pair<TensorId, ElementType>, TensorId> constants_;  ///< and bytes, in another type
};

}  // namespace
}  // namespace numerics

Network convert_float(Network canonical, const Numerics& numerics, AddedSums sums,
                      const std::function<bool(const Network&)>& capable) {
  numerics::bound_clips(canonical, numerics.storage);
  numerics::hoist_clips(canonical);
  numerics::expand_softmax(canonical);
  if (capable) {
    numerics::write_out(canonical,
                        [&](Network alone) { return capable(numerics::FloatConverter(alone, numerics, sums).run()); });
  }
  return numerics::FloatConverter(canonical, numerics, sums).run();
}

}  // namespace accord
