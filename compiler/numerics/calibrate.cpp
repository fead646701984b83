#include "compiler/numerics/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "archdsl/source/error.h"
#include "compiler/numerics/quantise.h"
#include "compiler/numerics/weight_loops.h"
#include "compiler/reference/execute.h"

namespace accord {
namespace numerics {
namespace {

double largest_magnitude(std::span<const std::byte> data) {
  const auto known = largest_value(data);
  return known.numbers ? known.greatest : INFINITY;
}

}  // namespace

std::vector<double> calibrate(const Network& network, const std::vector<Values>& inputs) {
  std::vector<double> largest(network.tensors.size());
  auto observe = [&](TensorId id, const std::vector<std::byte>& data) {
    const Tensor& tensor = network.tensor(id);
    if (tensor.type != ElementType::fp32) return;
    double& seen = largest[static_cast<std::size_t>(id)];
    seen = std::max(seen, largest_magnitude(data));
  };
  for (std::size_t id = 0; id < network.tensors.size(); ++id) {
    if (network.tensors[id].is_constant() && network.tensors[id].type == ElementType::fp32) {
      largest[id] = largest_magnitude(network.tensors[id].data->in_any_order());
    }
  }
  ExecuteOptions options;
  options.observer = [&](const Operator& op, const std::vector<Value*>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr) observe(op.outputs[i], outputs[i]->data);
    }
  };
  for (const Values& values : inputs) {
    for (TensorId id : network.inputs) {
      if (auto found = values.find(network.tensor(id).name); found != values.end()) observe(id, found->second.data);
    }
    execute(network, values, options);
  }
  return largest;
}

}  // namespace numerics

Values seeded_inputs(const Network& network, unsigned seed) {
  Values values;
  std::mt19937 engine(seed);
  for (TensorId id : network.inputs) {
    const Tensor& tensor = network.tensor(id);
    const auto count = count_of(tensor.shape);
    Value value{tensor.type, tensor.shape,
                std::vector<std::byte>(count * static_cast<std::size_t>(bytes(tensor.type)))};
    for (std::size_t i = 0; tensor.type == ElementType::fp32 && i < count; ++i) {
      // The sum of twelve uniform numbers is normal enough and, unlike std::normal_distribution, the same everywhere.
      float sum = -6;
      for (int term = 0; term < 12; ++term) sum += static_cast<float>(engine()) / 4294967296.0f;
      std::memcpy(&value.data[i * sizeof sum], &sum, sizeof sum);
    }
    values[tensor.name] = std::move(value);
  }
  return values;
}

}  // namespace accord
