#include "compiler/numerics/quantise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/numerics/affine_channels.h"
#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/drop_clips.h"
#include "compiler/numerics/hoist_clips.h"
#include "compiler/numerics/requantiser.h"
#include "compiler/numerics/rewrite.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scales.h"

namespace accord {
namespace numerics {
namespace {

/// An accumulator on its way to the storage type.
struct Accumulator {
  TensorId id = no_tensor;
  std::vector<double> scale;  ///< one, or one per channel
  double bound = 0;           ///< greatest magnitude that can occur
  int axis = 0;               ///< that the scales belong to where there are several
};

/// Integers of one product's weights, in the numeric network.
struct StoredWeights {
  TensorId weights = no_tensor, bias = no_tensor, multiples = no_tensor;
  std::vector<double> scale;  ///< of the weights, per output channel; empty if the addend cannot be accumulated
  double bound = 0;           ///< greatest accumulator magnitude
  std::vector<std::int64_t> bias_values{};  ///< per output channel; empty if there is none
  std::vector<std::int64_t> sums{};         ///< of each output channel's weights; empty where nobody asks
};

/// Operators that stay in float because the requantisation has no values for them, with the reason.
using InFloat = std::map<std::size_t, std::string>;

class Quantiser {
 public:
  Quantiser(const Network& from, const Numerics& numerics, const std::vector<double>& largest, const InFloat& in_float,
            AddedSums sums, QuantiseReport& report)
      : rewrite_(from),
        from_(from),
        numerics_(numerics),
        requantiser_(numerics),
        plan_(plan_roles(from, true, !requantiser_.powers_of_two(), sums != AddedSums::none, in_float)),
        scales_(activation_scales(from, plan_, largest, numerics.storage, requantiser_.powers_of_two())),
        scalar_sums_(sums == AddedSums::scalar),
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
    for (TensorId id : from_.outputs) outputs.push_back(as_real(id));
    rewrite_.set_outputs(outputs);
    warn_of_lost_zeros();
    return rewrite_.take();
  }

 private:
  void warn_of_lost_zeros() {
    std::vector<std::string> names;
    for (std::size_t id = 0; id < scales_.size(); ++id) {
      const Tensor& tensor = from_.tensors[id];
      const bool lost = tensor.quantisation && tensor.quantisation->zero != 0 && scales_[id].zero == 0;
      if (lost && rewrite_.stored(static_cast<TensorId>(id)) != no_tensor) names.push_back(tensor.name);
    }
    if (names.empty()) return;
    rewrite_.warn(fmt::format(
        "{} tensors lose their zero points (the first is '{}'): their range is kept around 0, in steps up to twice as "
        "coarse",
        names.size(), names.front()));
  }

  std::ptrdiff_t products() const { return std::ranges::count(plan_, Role::product, &PlannedOperator::role); }

  static bool may_stay_in_float(const PlannedOperator& planned) {
    return planned.role == Role::product || planned.role == Role::sum || planned.role == Role::average ||
           planned.role == Role::clip;
  }

  void emit(const Operator& op, const PlannedOperator& planned) {
    switch (planned.role) {
      case Role::product: return finish(op, planned, product(op, result_of(op, planned), no_tensor));
      case Role::sum: return sum(op, planned);
      case Role::average: return finish(op, planned, average(op, result_of(op, planned)));
      case Role::carry: return carry(op);
      case Role::clip: return finish(op, planned, clip(op, result_of(op, planned)));
      case Role::floating: return floating(op, planned);
      case Role::fused: return;
    }
  }

  float scale(TensorId id) const { return scales_[static_cast<std::size_t>(id)].scale; }
  int zero(TensorId id) const { return scales_[static_cast<std::size_t>(id)].zero; }

  /// What a requantisation makes of sums.
  struct Result {
    TensorId y = no_tensor;
    double factor = 1;
  };
  Result result_of(const Operator& op, const PlannedOperator& planned) const {
    return {last_of(from_, op, planned).outputs[0], planned_factor(from_, planned)};
  }

  /// What sums of that scale need so that their requantisation gives the result's zero point for 0.
  double zero_in_sums(const Result& result, double sum_scale) const {
    return zero(result.y) == 0 ? 0 : zero(result.y) * double{scale(result.y)} / (sum_scale * result.factor);
  }

  /// The tensor in the storage type, quantised from fp32 where it only exists so.
  TensorId as_stored(TensorId id) {
    if (rewrite_.stored(id) == no_tensor) {
      const Tensor& tensor = from_.tensor(id);
      if (tensor.is_constant()) {
        rewrite_.set_stored(id, stored_constant(tensor, scales_[static_cast<std::size_t>(id)]));
      } else {
        const TensorId stored = add_stored(id);
        rewrite_.add_operator("Quantize", tensor.name + ".quantise", {rewrite_.real(id)}, {stored},
                              scale_attribute(id));
      }
    }
    return rewrite_.stored(id);
  }

  /// The tensor in fp32 (or, if it is none, as it is).
  TensorId as_real(TensorId id) {
    if (id == no_tensor) return no_tensor;
    if (rewrite_.real(id) == no_tensor) {
      const Tensor& tensor = from_.tensor(id);
      if (tensor.is_constant()) {
        rewrite_.set_real(id, rewrite_.add_constant(tensor));
      } else {
        const std::string name = rewrite_.keeps_name_in_fp32(id) ? tensor.name : tensor.name + ".fp32";
        rewrite_.set_real(id, rewrite_.add_tensor(name, ElementType::fp32, tensor.shape));
        rewrite_.add_operator("Dequantize", tensor.name + ".dequantise", {rewrite_.stored(id)}, {rewrite_.real(id)},
                              scale_attribute(id));
      }
    }
    return rewrite_.real(id);
  }

  std::map<std::string, Attribute> scale_attribute(TensorId id) const {
    std::map<std::string, Attribute> attributes = {{"scale", static_cast<double>(scale(id))}};
    if (zero(id) != 0) attributes["zero"] = std::int64_t{zero(id)};
    return attributes;
  }

  TensorId add_stored(TensorId id) {
    const TensorId stored = rewrite_.add_tensor(rewrite_.stored_name(id), numerics_.storage, from_.tensor(id).shape,
                                                Quantisation{{scale(id)}, -1, zero(id)});
    rewrite_.set_stored(id, stored);
    return stored;
  }

  TensorId stored_constant(const Tensor& tensor, const ActivationScale& step) {
    std::vector<double> integers(count_of(tensor.shape));
    const float* values = constant_data<float>(tensor);
    for (std::size_t i = 0; i < integers.size(); ++i)
      integers[i] = std::nearbyint(values[i] / double{step.scale}) + step.zero;
    return rewrite_.add_constant(typed_constant(tensor.name, numerics_.storage, tensor.shape, integers));
  }

  TensorId add_accumulator(const Tensor& like, const char* suffix, const Accumulator& sums) {
    const auto& scales = sums.scale;
    Quantisation quantisation{{scales.begin(), scales.end()}, scales.size() > 1 ? sums.axis : -1};
    return rewrite_.add_tensor(like.name + suffix, numerics_.accumulator, like.shape, std::move(quantisation));
  }

  TensorId integer_constant(const std::string& name, const Shape& shape, const std::vector<std::int64_t>& values) {
    return rewrite_.add_constant(
        typed_constant(name, numerics_.accumulator, shape, std::vector<double>(values.begin(), values.end())));
  }

  /// Conv, Gemm or MatMul into an accumulator, with `addend` accumulated on top. No id where the addend cannot be.
  Accumulator product(const Operator& op, const Result& result, TensorId addend) {
    return op.type == "MatMul" ? variable_product(op) : weighted_product(op, result, addend);
  }

  Accumulator variable_product(const Operator& op) {
    const Tensor& y = from_.tensor(op.outputs[0]);
    const Shape& a = from_.tensor(op.inputs[0]).shape;
    const double limit = greatest_magnitude(numerics_.storage);
    Accumulator result{no_tensor,
                       {double{scale(op.inputs[0])} * double{scale(op.inputs[1])}},
                       limit * limit * static_cast<double>(a.back()),
                       channel_axis(op, y.shape)};
    const TensorId a_stored = as_stored(op.inputs[0]), b_stored = as_stored(op.inputs[1]);
    result.id = add_accumulator(y, ".acc", result);
    rewrite_.add_operator(op.type, op.name, {a_stored, b_stored}, {result.id}, op.attributes);
    return result;
  }

  IntegerWeights integer_weights(const Operator& op, TensorId addend) const {
    const Tensor& w = from_.tensor(op.inputs[1]);
    const bool has_bias = op.inputs.size() > 2 && op.inputs[2] != no_tensor;
    WeightRequest request;
    request.weights = constant_data<float>(w);
    request.bias = has_bias ? constant_data<float>(from_.tensor(op.inputs[2])) : nullptr;
    request.channels = w.shape[0];
    request.length = element_count(w.shape) / std::max<std::int64_t>(1, w.shape[0]);
    request.x_scale = scale(op.inputs[0]);
    request.addend_scale = addend == no_tensor ? 0 : scale(addend);
    request.per_channel = requantiser_.per_channel() && !(scalar_sums_ && addend != no_tensor);
    request.powers_of_two = requantiser_.powers_of_two();
    if (w.quantisation && w.quantisation->axis <= 0) request.given = w.quantisation->scale;
    return quantise_weights(request, numerics_);
  }

  StoredWeights store(const Operator& op, const IntegerWeights& integers) {
    const Tensor& w = from_.tensor(op.inputs[1]);
    StoredWeights stored{no_tensor, no_tensor, no_tensor, integers.scale, integers.bound};
    if (integers.scale.empty()) return stored;
    Tensor weights = typed_constant(w.name, numerics_.weight, w.shape, std::span<const float>(integers.weights));
    weights.quantisation = Quantisation{{integers.scale.begin(), integers.scale.end()}, 0};
    stored.weights = rewrite_.add_constant(std::move(weights));
    if (!integers.bias.empty()) {
      stored.bias = integer_constant(from_.tensor(op.inputs[2]).name, {w.shape[0]}, integers.bias);
      stored.bias_values = integers.bias;
    }
    if (zero(op.inputs[0]) != 0) stored.sums = sums_of(integers, w.shape[0]);
    if (!integers.addend.empty()) {
      stored.multiples = scalar_sums_ ? integer_constant(w.name + ".multiple", {}, {integers.addend[0]})
                                      : integer_constant(w.name + ".multiples", {w.shape[0]}, integers.addend);
    }
    return stored;
  }

  static std::vector<std::int64_t> sums_of(const IntegerWeights& integers, std::int64_t channels) {
    const auto length = static_cast<std::ptrdiff_t>(integers.weights.size()) / channels;
    std::vector<std::int64_t> sums;
    for (auto at = integers.weights.begin(); at != integers.weights.end(); at += length) {
      sums.push_back(std::accumulate(at, at + length, std::int64_t{0}, [](std::int64_t sum, float weight) {
        return sum + static_cast<std::int64_t>(weight);
      }));
    }
    return sums;
  }

  /// Operators that multiply by one constant, from and onto the same scales, share its integers.
  const StoredWeights& stored_weights(const Operator& op, TensorId addend) {
    const TensorId bias = op.inputs.size() > 2 ? op.inputs[2] : no_tensor;
    const std::tuple key(op.inputs[1], bias, scale(op.inputs[0]), addend == no_tensor ? 0 : scale(addend));
    const auto [entry, fresh] = stored_weights_.try_emplace(key);
    if (fresh) entry->second = store(op, integer_weights(op, addend));
    return entry->second;
  }

  /// What zero points add to a product's sums, per output channel: x's times the weights, the addend's, the result's.
  std::vector<double> zeros_in_product(const Operator& op, const Accumulator& sums, const StoredWeights& stored,
                                       const Result& result, TensorId addend) const {
    std::vector<double> zeros(sums.scale.size());
    for (std::size_t k = 0; k < zeros.size(); ++k) {
      zeros[k] = zero_in_sums(result, sums.scale[k]);
      if (!stored.sums.empty()) zeros[k] -= static_cast<double>(zero(op.inputs[0]) * stored.sums[k]);
      if (addend != no_tensor) zeros[k] -= zero(addend) * scale(addend) / sums.scale[k];
    }
    return zeros;
  }

  /// The bias that a product adds instead of its own, with what zero points make of the sums.
  TensorId bias_with_zeros(const Operator& op, const StoredWeights& stored, const std::vector<double>& zeros,
                           Accumulator& sums) {
    if (std::ranges::all_of(zeros, [](double zero) { return zero == 0; })) return stored.bias;
    std::vector<std::int64_t> values = stored.bias_values;
    values.resize(zeros.size());
    for (std::size_t k = 0; k < zeros.size(); ++k) values[k] += std::llround(zeros[k]);
    widen(sums, zeros);
    return integer_constant(op.name + ".bias", {static_cast<std::int64_t>(values.size())}, values);
  }

  /// Sums with what zero points add to them.
  void widen(Accumulator& sums, const std::vector<double>& zeros) const {
    double most = 0;
    for (const double zero : zeros) most = std::max(most, std::ceil(std::abs(zero)));
    sums.bound += most;
    if (sums.bound <= highest(numerics_.accumulator)) return;
    throw Error(fmt::format("sums with zero points can overflow {}", name(numerics_.accumulator)));
  }

  /// Padding stands for 0.
  std::map<std::string, Attribute> padded_attributes(const Operator& op) const {
    auto attributes = op.attributes;
    if (op.type != "Gemm" && zero(op.inputs[0]) != 0) attributes["outside"] = double(zero(op.inputs[0]));
    return attributes;
  }

  Accumulator weighted_product(const Operator& op, const Result& result, TensorId addend) {
    const StoredWeights& stored = stored_weights(op, addend);
    if (stored.scale.empty()) return {};
    const Tensor& y = from_.tensor(op.outputs[0]);
    Accumulator sums{no_tensor, {}, stored.bound, channel_axis(op, y.shape)};
    for (double step : stored.scale) sums.scale.push_back(step * scale(op.inputs[0]));
    const TensorId bias = bias_with_zeros(op, stored, zeros_in_product(op, sums, stored, result, addend), sums);
    std::vector<TensorId> inputs = {as_stored(op.inputs[0]), stored.weights};
    if (bias != no_tensor) inputs.push_back(bias);
    sums.id = add_accumulator(y, ".acc", sums);
    rewrite_.add_operator(op.type, op.name, inputs, {sums.id}, padded_attributes(op));
    if (addend == no_tensor) return sums;
    return accumulate(y, op.name + ".accumulate", std::move(sums), addend, stored.multiples);
  }

  Accumulator accumulate(const Tensor& y, const std::string& name, Accumulator start, TensorId addend,
                         TensorId multiples) {
    const TensorId sum = add_accumulator(y, ".sum", start);
    rewrite_.add_operator("Accumulate", name, {start.id, as_stored(addend), multiples}, {sum},
                          {{"axis", std::int64_t{start.axis}}});
    start.id = sum;
    return start;
  }

  void sum(const Operator& op, const PlannedOperator& planned) {
    if (planned.product != no_operator) {
      const Operator& producer = from_.operators[static_cast<std::size_t>(planned.product)];
      const TensorId other = op.inputs[op.inputs[0] == producer.outputs[0] ? 1 : 0];
      if (const Accumulator fused = product(producer, result_of(op, planned), other); fused.id != no_tensor) {
        ++report_.fused_additions;
        return finish(op, planned, fused);
      }
      finish(producer, {}, product(producer, result_of(producer, {}), no_tensor));
    }
    finish(op, planned, separate_sum(op, result_of(op, planned)));
  }

  /// By how much a stored value may be multiplied in an accumulator that adds two of them: 2^14, whose error is 2^-15
  /// of the value, and 2 * 2^14 * 2^7 stays far below 2^31.
  double greatest_multiple() const {
    const double limit = greatest_magnitude(numerics_.storage);
    const double most = std::min(16384.0, std::floor(highest(numerics_.accumulator) / (2 * limit)));
    return requantiser_.powers_of_two() ? std::exp2(std::floor(std::log2(most))) : most;
  }

  /// Both operands as integer multiples of one small scale.
  Accumulator separate_sum(const Operator& op, const Result& whole) {
    const Tensor& y = from_.tensor(op.outputs[0]);
    const double a = scale(op.inputs[0]), b = scale(op.inputs[1]);
    const double unit = a == b && zero(whole.y) == 0 ? a : std::max(a, b) / greatest_multiple();
    const auto m_a = std::llround(a / unit), m_b = std::llround(b / unit);
    Accumulator result{no_tensor,
                       {unit},
                       greatest_magnitude(numerics_.storage) * static_cast<double>(m_a + m_b),
                       channel_axis(op, y.shape)};
    const auto zeros = static_cast<double>(m_a * zero(op.inputs[0]) + m_b * zero(op.inputs[1]));
    const TensorId multiple = integer_constant(y.name + ".multiple_a", {}, {m_a});
    start({op.name + ".scale", "Scale", {as_stored(op.inputs[0]), multiple}, {}, {}}, y,
          zero_in_sums(whole, unit) - zeros, result);
    return accumulate(y, op.name, std::move(result), op.inputs[1], integer_constant(y.name + ".multiple_b", {}, {m_b}));
  }

  /// Adds the operator that begins the sums of `y`: with what zero points add to them.
  void start(Operator first, const Tensor& y, double zeros, Accumulator& sums) {
    if (const std::int64_t bias = std::llround(zeros); bias != 0) {
      widen(sums, {zeros});
      const std::vector<std::int64_t> channels(static_cast<std::size_t>(y.shape[static_cast<std::size_t>(sums.axis)]),
                                               bias);
      first.inputs.push_back(integer_constant(y.name + ".zero", {std::ssize(channels)}, channels));
      first.attributes["axis"] = std::int64_t{sums.axis};
    }
    sums.id = add_accumulator(y, ".acc", sums);
    rewrite_.add_operator(first.type, first.name, first.inputs, {sums.id}, first.attributes);
  }

  Accumulator average(const Operator& op, const Result& whole) {
    const Tensor& y = from_.tensor(op.outputs[0]);
    const auto count = static_cast<double>(constant_pool_count(from_, op));
    Accumulator result{no_tensor,
                       {scale(op.inputs[0]) / count},
                       greatest_magnitude(numerics_.storage) * count,
                       channel_axis(op, y.shape)};
    start({op.name, "SumPool", {as_stored(op.inputs[0])}, {}, padded_attributes(op)}, y,
          zero_in_sums(whole, result.scale[0]) - count * zero(op.inputs[0]), result);
    return result;
  }

  /// A Clip of its own: multiplied into the accumulator type, where a requantisation can bound it. By 1 but where that
  /// leaves a zero point between two integers.
  Accumulator clip(const Operator& op, const Result& whole) {
    const Tensor& y = from_.tensor(op.outputs[0]);
    const double zero_of_y = zero_in_sums(whole, scale(op.inputs[0]));
    const double multiple = zero_of_y == std::nearbyint(zero_of_y) ? 1 : greatest_multiple();
    Accumulator result{no_tensor,
                       {scale(op.inputs[0]) / multiple},
                       greatest_magnitude(numerics_.storage) * multiple,
                       channel_axis(op, y.shape)};
    const TensorId m = integer_constant(y.name + ".multiple", {}, {std::llround(multiple)});
    start({op.name, "Scale", {as_stored(op.inputs[0]), m}, {}, {}}, y, multiple * (zero_of_y - zero(op.inputs[0])),
          result);
    return result;
  }

  /// Requantize, bounded by the operator's fused (or own) Clip.
  void finish(const Operator& op, const PlannedOperator& planned, const Accumulator& accumulator) {
    const Operator& last = last_of(from_, op, planned);
    const TensorId y = last.outputs[0];
    const double step = scale(y);
    auto bound = [&](const char* key, double limit) {
      const double value = last.type == "Clip" ? attribute(last, key, limit * INFINITY) : limit * INFINITY;
      const double integer = std::nearbyint(value / step) + zero(y);
      return std::clamp(integer, lowest(numerics_.storage), highest(numerics_.storage));
    };
    const double lo = bound("min", -1), hi = bound("max", 1);
    std::vector<double> multipliers;
    for (double s : accumulator.scale) multipliers.push_back(s * planned_factor(from_, planned) / step);
    const int axis = accumulator.axis;
    const std::int64_t channels = from_.tensor(y).shape[static_cast<std::size_t>(axis)];
    std::vector<TensorId> inputs = {accumulator.id};
    for (Tensor& parameter :
         requantiser_.solve(multipliers, channels, accumulator.bound, lo, hi, from_.tensor(y).name)) {
      inputs.push_back(rewrite_.add_constant(std::move(parameter)));
    }
    rewrite_.add_operator("Requantize", last.name + ".requantise", inputs, {add_stored(y)},
                          {{"expression", numerics_.requantise},
                           {"parameters", requantiser_.parameter_names()},
                           {"axis", std::int64_t{axis}},
                           {"lo", lo},
                           {"hi", hi}});
  }

  void carry(const Operator& op) {
    const auto carried = carried_inputs(op);
    std::vector<TensorId> inputs, outputs;
    for (TensorId id : op.inputs) {
      const bool moves = std::ranges::find(carried, id) != carried.end();
      inputs.push_back(moves ? as_stored(id) : as_real(id));
    }
    for (TensorId id : op.outputs) outputs.push_back(id == no_tensor ? no_tensor : add_stored(id));
    auto attributes = op.attributes;
    if (op.type == "Pad" && zero(op.inputs[0]) != 0) attributes["value"] = double(zero(op.inputs[0]));
    rewrite_.add_operator(op.type, op.name, inputs, outputs, attributes);
  }

  void floating(const Operator& op, const PlannedOperator& planned) {
    std::vector<TensorId> inputs, outputs;
    for (TensorId id : op.inputs) inputs.push_back(as_real(id));
    const bool rounded = rounds(from_, op);
    for (TensorId id : op.outputs) {
      if (id != no_tensor) {
        const Tensor& tensor = from_.tensor(id);
        rewrite_.set_real(id, rewrite_.add_tensor(tensor.name + (rounded ? ".real" : ""), tensor.type, tensor.shape));
      }
      outputs.push_back(id == no_tensor ? no_tensor : rewrite_.real(id));
    }
    rewrite_.add_operator(op.type, op.name, inputs, outputs, op.attributes).in_float = planned.reason;
    if (!rounded) return;
    as_stored(op.outputs[0]);
    rewrite_.set_real(op.outputs[0], no_tensor);  // whoever wants it gets what is stored
  }

  Rewrite rewrite_;
  const Network& from_;
  const Numerics& numerics_;
  Requantiser requantiser_;
  std::vector<PlannedOperator> plan_;
  std::vector<ActivationScale> scales_;
  std::map<std::tuple<TensorId, TensorId, float, float>, StoredWeights> stored_weights_;
  bool scalar_sums_;
  QuantiseReport& report_;
};

/// Products of activations, whose scales follow their values, that no accumulator of the machine can hold.
InFloat overflowing_products(const Network& network, const Numerics& numerics) {
  InFloat result;
  const double limit = greatest_magnitude(numerics.storage);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    if (op.type != "MatMul") continue;
    const auto terms = static_cast<double>(network.tensor(op.inputs[0]).shape.back());
    if (limit * limit * terms > highest(numerics.accumulator)) {
      result.emplace(i, fmt::format("sums of {} products of {} can overflow {}", terms, name(numerics.storage),
                                    name(numerics.accumulator)));
    }
  }
  return result;
}

/// Masks add an infinity, which no integer stands for.
void keep_infinities_in_float(const Network& network, const std::vector<double>& largest, InFloat& in_float) {
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    auto ids = op.inputs;
    ids.insert(ids.end(), op.outputs.begin(), op.outputs.end());
    const auto infinite = std::ranges::find_if(
        ids, [&](TensorId id) { return id != no_tensor && std::isinf(largest[static_cast<std::size_t>(id)]); });
    if (infinite == ids.end()) continue;
    in_float.emplace(i,
                     fmt::format("'{}' has values that are infinite or not a number", network.tensor(*infinite).name));
  }
}

}  // namespace
}  // namespace numerics

Network quantise(Network canonical, const Numerics& numerics, const std::vector<Values>& calibration_inputs,
                 QuantiseReport* report, AddedSums sums) {
  if (lowest(numerics.storage) >= 0) {
    throw Error(fmt::format("storage {}: activations are quantised symmetrically around 0, which takes a signed type",
                            name(numerics.storage)));
  }
  if (lowest(numerics.weight) >= 0) {
    throw Error(fmt::format("weight {}: weights are quantised symmetrically around 0, which takes a signed type",
                            name(numerics.weight)));
  }
  numerics::affine_to_depthwise(canonical);
  numerics::drop_clips_of_storage(canonical, numerics.storage);
  numerics::hoist_clips(canonical);
  QuantiseReport unused;
  QuantiseReport& filled = report ? *report : unused;
  std::vector<Values> inputs = calibration_inputs;
  if (inputs.empty()) inputs = {seeded_inputs(canonical, 1), seeded_inputs(canonical, 2)};
  const std::vector<double> largest = numerics::calibrate(canonical, inputs);
  for (std::size_t id = 0; id < largest.size(); ++id) {
    if (!canonical.tensors[id].is_constant()) filled.largest[canonical.tensors[id].name] = largest[id];
  }
  numerics::InFloat in_float = numerics::overflowing_products(canonical, numerics);
  numerics::keep_infinities_in_float(canonical, largest, in_float);
  for (;;) {
    filled.fused_additions = 0;
    if (auto network = numerics::Quantiser(canonical, numerics, largest, in_float, sums, filled).run(in_float)) {
      return std::move(*network);
    }
  }
}

}  // namespace accord
