#include "compiler/numerics/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "archdsl/source/error.h"

namespace accord::numerics {

double greatest_sum(std::int64_t terms, const StoredRange& a, const StoredRange& b) {
  return a.reach() * b.reach() * static_cast<double>(terms);
}

std::string overflow_error(std::int64_t terms, std::string_view of, const Numerics& numerics) {
  return fmt::format("sums of {} {}{} can overflow {}", terms, of, name(numerics.storage), name(numerics.accumulator));
}

/// What sums of that scale need so that their requantisation gives the result's zero point for 0.
double Sums::zero_in_sums(const Requantised& result, double sum_scale) const {
  return tensors_.zero(result.y) == 0
             ? 0
             : tensors_.zero(result.y) * double{tensors_.scale(result.y)} / (sum_scale * result.factor);
}

TensorId Sums::add_accumulator(const Tensor& like, const char* suffix, const Accumulator& sums) {
  const auto& scales = sums.scale;
  Quantisation quantisation{{scales.begin(), scales.end()}, scales.size() > 1 ? sums.axis : -1};
  return rewrite_.add_tensor(like.name + suffix, numerics_.accumulator, like.shape, std::move(quantisation));
}

Accumulator Sums::product(const Operator& op, const Requantised& result, TensorId addend) {
  return op.type == "MatMul" ? variable_product(op) : weighted_product(op, result, addend);
}

Accumulator Sums::variable_product(const Operator& op) {
  const Tensor& y = tensor(op.outputs[0]);
  const Shape& a = tensor(op.inputs[0]).shape;
  Accumulator result{no_tensor,
                     {double{tensors_.scale(op.inputs[0])} * double{tensors_.scale(op.inputs[1])}},
                     greatest_sum(a.back(), tensors_.range(op.inputs[0]), tensors_.range(op.inputs[1])),
                     channel_axis(op, y.shape)};
  if (result.bound > greatest_count(numerics_.accumulator))
    throw Error(overflow_error(a.back(), "products of ", numerics_));
  const TensorId a_stored = tensors_.as_stored(op.inputs[0]), b_stored = tensors_.as_stored(op.inputs[1]);
  result.id = add_accumulator(y, ".acc", result);
  rewrite_.add_operator(op.type, op.name, {a_stored, b_stored}, {result.id}, op.attributes);
  return result;
}

/// What the zero points of the addend and the result add to a product's results.
double Sums::offset_of(const Requantised& result, TensorId addend) const {
  const double others = addend == no_tensor ? 0 : tensors_.zero(addend) * double{tensors_.scale(addend)};
  return zero_in_sums(result, 1) - others;
}

/// What zero points add to a product's sums, per output channel: x's times the weights, and the offset.
std::vector<double> Sums::zeros_in_product(const Operator& op, const Accumulator& sums, const StoredWeights& stored,
                                           double offset) const {
  std::vector<double> zeros(sums.scale.size());
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    zeros[k] = offset / sums.scale[k];
    if (!stored.sums.empty()) zeros[k] -= static_cast<double>(tensors_.zero(op.inputs[0]) * stored.sums[k]);
  }
  return zeros;
}

/// The bias that a product adds instead of its own, with what zero points make of the sums.
TensorId Sums::bias_with_zeros(const Operator& op, const StoredWeights& stored, const std::vector<double>& zeros) {
  if (std::ranges::all_of(zeros, [](double zero) { return zero == 0; })) return stored.bias;
  std::vector<std::int64_t> values = stored.bias_values;
  values.resize(zeros.size());
  for (std::size_t k = 0; k < zeros.size(); ++k) values[k] += std::llround(zeros[k]);
  return tensors_.integer_constant(op.name + ".bias", {static_cast<std::int64_t>(values.size())}, values);
}

/// Sums with what zero points add to them.
void Sums::widen(const Tensor& y, Accumulator& sums, double zeros) const {
  sums.bound += std::ceil(std::abs(zeros));
  if (sums.bound <= greatest_count(numerics_.accumulator)) return;
  throw Error(fmt::format("'{}': sums with zero points can overflow {}", y.name, name(numerics_.accumulator)));
}

/// Padding stands for 0.
std::map<std::string, Attribute> Sums::padded_attributes(const Operator& op) const {
  auto attributes = op.attributes;
  if (op.type != "Gemm" && tensors_.zero(op.inputs[0]) != 0)
    attributes["outside"] = double(tensors_.zero(op.inputs[0]));
  return attributes;
}

Accumulator Sums::weighted_product(const Operator& op, const Requantised& result, TensorId addend) {
  const double offset = offset_of(result, addend);
  const StoredWeights& stored = weights_.of(op, addend, offset);
  if (stored.scale.empty()) return {};
  const Tensor& y = tensor(op.outputs[0]);
  Accumulator sums{no_tensor, {}, stored.bound, channel_axis(op, y.shape)};
  for (double step : stored.scale) sums.scale.push_back(step * tensors_.scale(op.inputs[0]));
  const TensorId bias = bias_with_zeros(op, stored, zeros_in_product(op, sums, stored, offset));
  std::vector<TensorId> inputs = {tensors_.as_stored(op.inputs[0]), stored.weights};
  if (bias != no_tensor) inputs.push_back(bias);
  sums.id = add_accumulator(y, ".acc", sums);
  rewrite_.add_operator(op.type, op.name, inputs, {sums.id}, padded_attributes(op));
  if (addend == no_tensor) return sums;
  return accumulate(y, op.name + ".accumulate", std::move(sums), addend, stored.multiples);
}

Accumulator Sums::accumulate(const Tensor& y, const std::string& name, Accumulator start, TensorId addend,
                             TensorId multiples) {
  const TensorId sum = add_accumulator(y, ".sum", start);
  rewrite_.add_operator("Accumulate", name, {start.id, tensors_.as_stored(addend), multiples}, {sum},
                        {{"axis", std::int64_t{start.axis}}});
  start.id = sum;
  return start;
}

/// By how much a stored value may be multiplied in an accumulator that adds two of them: 2^14, whose error is 2^-15
/// of the value, and 2 * 2^14 * 2^7 stays far below 2^31.
double Sums::greatest_multiple() const {
  const double limit = greatest_magnitude(numerics_.storage);
  const double most = std::min(16384.0, std::floor(greatest_count(numerics_.accumulator) / (2 * limit)));
  return powers_of_two_ ? std::exp2(std::floor(std::log2(most))) : most;
}

/// By which integers the operands are multiplied.
struct Sums::Multiples {
  double unit;  ///< scale of the sums
  std::int64_t a, b;
};

Sums::Multiples Sums::multiples(const Operator& op, const Requantised& whole, double most) const {
  const double a = tensors_.scale(op.inputs[0]), b = tensors_.scale(op.inputs[1]);
  const double unit = a == b && tensors_.zero(whole.y) == 0 ? a : std::max(a, b) / most;
  return {unit, std::llround(a / unit), std::llround(b / unit) * (op.type == "Sub" ? -1 : 1)};
}

/// The greatest, which is the finest, whose results are right on average; else that of least bias.
double Sums::best_multiple(const std::function<double(double)>& bias) const {
  constexpr double fewest = 64;
  constexpr double right = 1.0 / 24;  // a mean over few results is not known to less than 1/32
  double best = greatest_multiple(), least = bias(best);
  for (double multiple = best / 2; multiple >= fewest && least > right; multiple /= 2) {
    const double now = bias(multiple);
    if (now >= least) continue;
    best = multiple;
    least = now;
  }
  return best;
}

Accumulator Sums::sum(const Operator& op, const Requantised& whole, const Bias& of) {
  const Tensor& y = tensor(op.outputs[0]);
  const auto sums_by = [&](const Multiples& by) {
    const auto most = static_cast<double>(by.a + std::abs(by.b));
    return Accumulator{no_tensor, {by.unit}, greatest_magnitude(numerics_.storage) * most, channel_axis(op, y.shape)};
  };
  const auto zeros_of = [&](const Multiples& by) {
    const std::int64_t zeros = by.a * tensors_.zero(op.inputs[0]) + by.b * tensors_.zero(op.inputs[1]);
    return zero_in_sums(whole, by.unit) - static_cast<double>(zeros);
  };
  const Multiples by = multiples(op, whole, best_multiple([&](double most) {
                                   const Multiples tried = multiples(op, whole, most);
                                   return rounding(op, whole, tried) + bias_of(sums_by(tried), zeros_of(tried), of);
                                 }));
  Accumulator result = sums_by(by);
  const TensorId multiple = tensors_.integer_constant(y.name + ".multiple_a", {}, {by.a});
  start({op.name + ".scale", "Scale", {tensors_.as_stored(op.inputs[0]), multiple}, {}, {}}, y, zeros_of(by), result);
  return accumulate(y, op.name, std::move(result), op.inputs[1],
                    tensors_.integer_constant(y.name + ".multiple_b", {}, {by.b}));
}

/// Of the greatest operands, by their multiples' own rounding, in units of the result.
double Sums::rounding(const Operator& op, const Requantised& whole, const Multiples& by) const {
  const auto missed = [&](TensorId id, std::int64_t multiple) {
    return std::abs(tensors_.scale(id) - by.unit * static_cast<double>(std::abs(multiple)));
  };
  return greatest_magnitude(numerics_.storage) * (missed(op.inputs[0], by.a) + missed(op.inputs[1], by.b)) *
         whole.factor / tensors_.scale(whole.y);
}

/// Of sums that zero points are added to.
double Sums::bias_of(Accumulator sums, double zeros, const Bias& of) const {
  sums.bound += std::ceil(std::abs(zeros));
  return sums.bound <= greatest_count(numerics_.accumulator) ? of(sums) : INFINITY;
}

/// Adds the operator that begins the sums of `y`: with what zero points add to them.
void Sums::start(Operator first, const Tensor& y, double zeros, Accumulator& sums) {
  if (const std::int64_t bias = std::llround(zeros); bias != 0) {
    widen(y, sums, zeros);
    const std::vector<std::int64_t> channels(static_cast<std::size_t>(y.shape[static_cast<std::size_t>(sums.axis)]),
                                             bias);
    first.inputs.push_back(tensors_.integer_constant(y.name + ".zero", {std::ssize(channels)}, channels));
    first.attributes["axis"] = std::int64_t{sums.axis};
  }
  sums.id = add_accumulator(y, ".acc", sums);
  rewrite_.add_operator(first.type, first.name, first.inputs, {sums.id}, first.attributes);
}

Accumulator Sums::average(const Operator& op, const Requantised& whole) {
  const Tensor& y = tensor(op.outputs[0]);
  const auto count = static_cast<double>(constant_pool_count(rewrite_.from(), op));
  Accumulator result{no_tensor,
                     {tensors_.scale(op.inputs[0]) / count},
                     greatest_magnitude(numerics_.storage) * count,
                     channel_axis(op, y.shape)};
  start({op.name, "SumPool", {tensors_.as_stored(op.inputs[0])}, {}, padded_attributes(op)}, y,
        zero_in_sums(whole, result.scale[0]) - count * tensors_.zero(op.inputs[0]), result);
  return result;
}

Accumulator Sums::clip(const Operator& op, const Requantised& whole, const Bias& of) {
  const Tensor& y = tensor(op.outputs[0]);
  const double x_scale = tensors_.scale(op.inputs[0]), zero_of_y = zero_in_sums(whole, x_scale);
  const auto sums_by = [&](double multiple) {
    const double bound = greatest_magnitude(numerics_.storage) * multiple;
    return Accumulator{no_tensor, {x_scale / multiple}, bound, channel_axis(op, y.shape)};
  };
  const auto zeros_of = [&](double multiple) { return multiple * (zero_of_y - tensors_.zero(op.inputs[0])); };
  const auto bias_by = [&](double multiple) { return bias_of(sums_by(multiple), zeros_of(multiple), of); };
  const double multiple = zero_of_y == std::nearbyint(zero_of_y) ? 1 : best_multiple(bias_by);
  Accumulator result = sums_by(multiple);
  const TensorId m = tensors_.integer_constant(y.name + ".multiple", {}, {std::llround(multiple)});
  start({op.name, "Scale", {tensors_.as_stored(op.inputs[0]), m}, {}, {}}, y, zeros_of(multiple), result);
  return result;
}

}  // namespace accord::numerics
