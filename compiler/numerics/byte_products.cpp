#include "compiler/numerics/byte_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "archdsl/tensor/convert.h"
#include "compiler/network/constants.h"

namespace accord::numerics {
namespace {

bool has_all_bytes(ElementType type) {
  return lowest(type) <= lowest(ElementType::i8) && greatest_count(type) >= highest(ElementType::i8);
}

double greatest_sum(const Tensor& weights, const Tensor* bias) {
  const auto values = numbers_of(weights);
  const auto channels = static_cast<std::size_t>(weights.shape[0]);
  auto sums = bias == nullptr ? std::vector<double>(channels) : numbers_of(*bias);
  for (double& sum : sums) sum = std::abs(sum);
  const double greatest_byte = -lowest(ElementType::i8);
  for (std::size_t i = 0; i < values.size(); ++i)
    sums[i * channels / values.size()] += std::abs(values[i]) * greatest_byte;
  return *std::ranges::max_element(sums);
}

}  // namespace

bool is_exact_in_floats(const Network& network, const Operator& op, const Numerics& numerics) {
  if ((op.type != "Conv" && op.type != "Gemm") || op.inputs.size() < 2) return false;
  const Tensor &x = network.tensor(op.inputs[0]), &w = network.tensor(op.inputs[1]);
  const bool bytes = x.type == ElementType::i8 && w.type == ElementType::i8 && w.is_constant() && !x.is_constant();
  const bool planes = op.type == "Gemm" || x.shape.size() == 4;
  if (!bytes || !planes || !has_all_bytes(numerics.storage) || !has_all_bytes(numerics.weight)) return false;
  const Tensor* bias = op.inputs.size() > 2 ? &network.tensor(op.inputs[2]) : nullptr;
  if (bias != nullptr && !bias->is_constant()) return false;
  return greatest_sum(w, bias) <= greatest_count(numerics.accumulator);
}

}  // namespace accord::numerics
