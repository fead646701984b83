#include "compiler/frontends/not_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

namespace accord {
namespace {

constexpr std::array products = {"Conv", "ConvTranspose", "Gemm", "MatMul"};

/// Large models have a hundred million weights: one look at each, which tells almost always.
bool all_finite(std::span<const std::byte> data) {
  constexpr std::uint32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
  std::uint32_t largest = 0;
  for (std::size_t at = 0; at + sizeof(float) <= data.size(); at += sizeof(float)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, data.data() + at, sizeof bits);
    largest = std::max(largest, bits & magnitude);
  }
  return largest < infinity;
}

struct Count {
  std::int64_t nans = 0, infinite = 0;
};

Count not_finite(const Tensor& constant) {
  Count count;
  const std::span<const std::byte> data = constant.data->in_any_order();
  if (all_finite(data)) return count;
  for (std::size_t at = 0; at + sizeof(float) <= data.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, data.data() + at, sizeof value);
    count.nans += std::isnan(value) ? 1 : 0;
    count.infinite += std::isinf(value) ? 1 : 0;
  }
  return count;
}

}  // namespace

void warn_of_not_numbers(Network& network) {
  std::set<TensorId> seen;
  for (const Operator& op : network.operators) {
    const bool multiplies = std::ranges::find(products, op.type) != products.end();
    for (const TensorId id : op.inputs) {
      if (id == no_tensor || !seen.insert(id).second) continue;
      const Tensor& tensor = network.tensor(id);
      if (!tensor.is_constant() || tensor.type != ElementType::fp32) continue;
      const Count count = not_finite(tensor);
      if (count.nans > 0)
        network.warnings.push_back(
            fmt::format("constant '{}': {} of its elements are no numbers (NaN)", tensor.name, count.nans));
      if (multiplies && count.infinite > 0)
        network.warnings.push_back(fmt::format("constant '{}', a factor of '{}': {} of its elements are infinite",
                                               tensor.name, op.name, count.infinite));
    }
  }
}

}  // namespace accord
