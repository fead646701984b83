#include "compiler/numerics/stored_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

namespace accord::numerics {

namespace {

constexpr double least_said = 1.2;  ///< times the steps: less lies within what a search for them leaves

std::vector<std::int64_t> sums_of(const IntegerWeights& integers, std::int64_t channels) {
  const auto length = static_cast<std::ptrdiff_t>(integers.weights.size()) / channels;
  std::vector<std::int64_t> sums;
  for (auto at = integers.weights.begin(); at != integers.weights.end(); at += length) {
    sums.push_back(std::accumulate(at, at + length, std::int64_t{0}, [](std::int64_t sum, float weight) {
      return sum + static_cast<std::int64_t>(weight);
    }));
  }
  return sums;
}

}  // namespace

/// Greatest magnitude of the integers, and of the zero points beside images, that the weights are multiplied by.
double WeightStore::greatest_factor(TensorId weights) const {
  double most = 0;
  for (const int reader : uses_.consumers[static_cast<std::size_t>(weights)]) {
    const TensorId x = rewrite_.from().operators[static_cast<std::size_t>(reader)].inputs[0];
    if (x == no_tensor) continue;
    most = std::max({most, tensors_.range(x).reach(), std::abs(static_cast<double>(tensors_.zero(x)))});
  }
  return most;
}

IntegerWeights WeightStore::integer_weights(const Operator& op, TensorId addend, double offset) const {
  const Tensor& w = rewrite_.from().tensor(op.inputs[1]);
  const bool has_bias = op.inputs.size() > 2 && op.inputs[2] != no_tensor;
  const std::shared_ptr<const std::byte> values = w.data->lend();
  WeightRequest request;
  request.weights = reinterpret_cast<const float*>(values.get());
  request.bias = has_bias ? constant_data<float>(rewrite_.from().tensor(op.inputs[2])) : nullptr;
  request.channels = w.shape[0];
  request.length = element_count(w.shape) / std::max<std::int64_t>(1, w.shape[0]);
  request.x_scale = tensors_.scale(op.inputs[0]);
  request.x_zero = tensors_.zero(op.inputs[0]);
  request.x_reach = greatest_factor(op.inputs[1]);
  if (addend != no_tensor) {
    request.addend_scale = tensors_.scale(addend);
    request.addend_reach = tensors_.range(addend).reach();
  }
  request.offset = offset;
  request.per_channel = scaling_.per_channel && !(scaling_.scalar_sums && addend != no_tensor);
  request.powers_of_two = scaling_.powers_of_two;
  if (w.quantisation && w.quantisation->axis <= 0) request.given = w.quantisation->scale;
  return quantise_weights(request, numerics_);
}

StoredWeights WeightStore::store(const Operator& op, const IntegerWeights& integers) {
  const Tensor& w = rewrite_.from().tensor(op.inputs[1]);
  StoredWeights stored{no_tensor, no_tensor, no_tensor, integers.scale, integers.bound};
  if (integers.scale.empty()) return stored;
  if (integers.rounded_anew) rounded_anew_.push_back(w.name);
  if (integers.coarsened >= least_said) coarsened_.emplace_back(w.name, integers.coarsened);
  Tensor weights = typed_constant(w.name, numerics_.weight, w.shape, std::span<const float>(integers.weights));
  weights.quantisation = Quantisation{{integers.scale.begin(), integers.scale.end()}, 0};
  stored.weights = rewrite_.add_constant(std::move(weights));
  if (!integers.bias.empty()) {
    stored.bias = tensors_.integer_constant(rewrite_.from().tensor(op.inputs[2]).name, {w.shape[0]}, integers.bias);
    stored.bias_values = integers.bias;
  }
  if (tensors_.zero(op.inputs[0]) != 0) stored.sums = sums_of(integers, w.shape[0]);
  if (!integers.addend.empty()) {
    stored.multiples = scaling_.scalar_sums
                           ? tensors_.integer_constant(w.name + ".multiple", {}, {integers.addend[0]})
                           : tensors_.integer_constant(w.name + ".multiples", {w.shape[0]}, integers.addend);
  }
  return stored;
}

const StoredWeights& WeightStore::of(const Operator& op, TensorId addend, double offset) {
  const TensorId bias = op.inputs.size() > 2 ? op.inputs[2] : no_tensor;
  const std::tuple key(op.inputs[1], bias, tensors_.scale(op.inputs[0]), double(tensors_.zero(op.inputs[0])),
                       addend == no_tensor ? 0 : tensors_.scale(addend),
                       addend == no_tensor ? 0 : tensors_.range(addend).reach(), offset);
  const auto [entry, fresh] = stored_.try_emplace(key);
  if (fresh) entry->second = store(op, integer_weights(op, addend, offset));
  return entry->second;
}

void WeightStore::warn_of_losses() {
  if (!rounded_anew_.empty()) {
    rewrite_.warn(fmt::format(
        "weights of {} products are rounded anew (the first is '{}'): the machine cannot have the model's own integers "
        "and scales",
        rounded_anew_.size(), rounded_anew_.front()));
  }
  if (coarsened_.empty()) return;
  const auto& [first, times] = *std::ranges::max_element(coarsened_, {}, &std::pair<std::string, double>::second);
  rewrite_.warn(
      fmt::format("weights of {} products have greater steps, lest sums overflow {} (most: '{}', {:.1f} times)",
                  coarsened_.size(), name(numerics_.accumulator), first, times));
}

}  // namespace accord::numerics
