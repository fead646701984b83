#include "compiler/numerics/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/numerics/quantise.h"
#include "compiler/numerics/reduced_rows.h"
#include "compiler/numerics/weight_loops.h"
#include "compiler/reference/execute.h"

namespace accord {
namespace numerics {
namespace {

double largest_magnitude(std::span<const std::byte> data) {
  const auto known = largest_value(data);
  return known.numbers ? known.greatest : INFINITY;
}

class Calibrator {
 public:
  explicit Calibrator(const Network& network)
      : network_(network), result_{std::vector<double>(network.tensors.size()), {}}, reduced_(network.tensors.size()) {
    for (const Operator& op : network.operators) {
      if (reduces_rows(network, op)) add_reduction(op);
    }
    for (std::size_t id = 0; id < network.tensors.size(); ++id) {
      const Tensor& tensor = network.tensors[id];
      if (tensor.is_constant() && tensor.type == ElementType::fp32)
        result_.largest[id] = largest_magnitude(tensor.data->in_any_order());
    }
  }

  void see(TensorId id, std::span<const std::byte> data) {
    const Tensor& tensor = network_.tensor(id);
    if (tensor.type != ElementType::fp32) return;
    double& seen = result_.largest[static_cast<std::size_t>(id)];
    seen = std::max(seen, largest_magnitude(data));
    for (const auto& axes : reduced_[static_cast<std::size_t>(id)]) {
      double& low = result_.low_rows.emplace(id, INFINITY).first->second;
      low = std::min(low, low_row(data, tensor.shape, axes));
    }
  }

  Calibration take() { return std::move(result_); }

 private:
  void add_reduction(const Operator& op) {
    const Tensor& x = network_.tensor(op.inputs[0]);
    if (x.is_constant() || x.shape.empty()) return;  // a number has no rows
    reduced_[static_cast<std::size_t>(op.inputs[0])].insert(reduced_axes(op, x.shape.size()));
  }

  const Network& network_;
  Calibration result_;
  std::vector<std::set<std::vector<bool>>> reduced_;  ///< along which readers work
};

}  // namespace

void observe(const Network& network, const std::vector<Values>& inputs,
             const std::function<void(TensorId, std::span<const std::byte>)>& see) {
  ExecuteOptions options;
  options.observer = [&](const Operator& op, const std::vector<Value*>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr) see(op.outputs[i], outputs[i]->data);
    }
  };
  for (const Values& values : inputs) {
    for (TensorId id : network.inputs) {
      if (auto found = values.find(network.tensor(id).name); found != values.end()) see(id, found->second.data);
    }
    execute(network, values, options);
  }
}

Calibration calibrate(const Network& network, const std::vector<Values>& inputs) {
  Calibrator calibrator(network);
  observe(network, inputs, [&](TensorId id, std::span<const std::byte> values) { calibrator.see(id, values); });
  return calibrator.take();
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
