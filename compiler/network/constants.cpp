#include "compiler/network/constants.h"

#include "archdsl/tensor/convert.h"

namespace accord {

bool is_float_constant(const Network& network, TensorId id) {
  return id != no_tensor && network.tensor(id).is_constant() && network.tensor(id).type == ElementType::fp32;
}

std::vector<double> numbers_of(const Tensor& constant) {
  std::vector<double> values(count_of(constant.shape));
  const auto size = static_cast<std::size_t>(bytes(constant.type));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = load_element(constant.data->data() + i * size, constant.type);
  return values;
}

std::vector<double> broadcast_numbers(const Tensor& constant, const Shape& to) {
  const auto numbers = numbers_of(constant);
  const Shape& from = constant.shape;
  std::vector<double> result(count_of(to));
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t at = 0, stride = 1;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const auto extent = from[from.size() - 1 - d], position = rest % to[to.size() - 1 - d];
      rest /= to[to.size() - 1 - d];
      at += (extent == 1 ? 0 : position) * stride;
      stride *= extent;
    }
    result[i] = numbers[static_cast<std::size_t>(at)];
  }
  return result;
}

}  // namespace accord
