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

}  // namespace accord
