#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

bool is_one_dimensional(const Network& network, const Operator& op) {
  if (op.type != "Conv" && op.type != "MaxPool" && op.type != "AveragePool") return false;
  return network.tensor(op.inputs[0]).shape.size() == 3;
}

/// [N, C, L] becomes [N, C, 1, L].
Shape widened(Shape shape) {
  shape.insert(shape.begin() + 2, 1);
  return shape;
}

void widen_attributes(Operator& op) {
  for (const auto* key : {"kernel_shape", "strides", "dilations"}) {
    auto values = attribute(op, key, Integers{1});
    values.insert(values.begin(), 1);
    op.attributes[key] = values;
  }
  const auto pads = attribute(op, "pads", Integers{0, 0});
  op.attributes["pads"] = Integers{0, pads[0], 0, pads[1]};
}

/// Operators that compute each element from those at the same place.
bool is_elementwise(const Operator& op) {
  static const std::set<std::string> types = {
      "Add",       "Sub", "Mul", "Div",      "Min",      "Max", "Clip", "Tanh", "Sigmoid", "HardSigmoid", "HardSwish",
      "LeakyRelu", "Elu", "Erf", "Softplus", "Softsign", "Exp", "Sqrt", "Neg",  "Abs",     "Reciprocal"};
  return types.contains(op.type) && op.outputs.size() == 1;
}

class Widening {
 public:
  explicit Widening(Network& network) : network_(network) {}

  void run() {
    for (auto& op : network_.operators) {
      if (is_one_dimensional(network_, op)) {
        widen_window(std::move(op));
      } else if (follows_wide(op)) {
        give(std::move(op));
      } else {
        operators_.push_back(std::move(op));
      }
    }
    network_.operators = std::move(operators_);
  }

 private:
  /// What stands between two-dimensional operators goes along, or sums would not meet the products that they join.
  bool follows_wide(const Operator& op) const {
    if (!is_elementwise(op)) return false;
    const auto fits = [&](TensorId id) {
      if (wide_.contains(id)) return network_.tensor(id).shape == network_.tensor(op.outputs[0]).shape;
      return id == no_tensor || (network_.tensor(id).is_constant() && element_count(network_.tensor(id).shape) == 1);
    };
    return std::ranges::any_of(op.inputs, [&](TensorId id) { return wide_.contains(id); }) &&
           std::ranges::all_of(op.inputs, fits);
  }

  TensorId add(const Operator& op, const char* suffix, TensorId narrow) {
    Tensor like = network_.tensor(narrow);
    like.name = op.name + suffix;
    like.shape = widened(like.shape);
    return network_.add(std::move(like));
  }

  void widen_window(Operator op) {
    widen_input(op, op.inputs[0], ".x2d", ".widen");
    if (op.type == "Conv") {
      if (network_.tensor(op.inputs[1]).is_constant())
        op.inputs[1] = add(op, ".w2d", op.inputs[1]);
      else
        widen_input(op, op.inputs[1], ".w2d", ".widen_weights");
    }
    widen_attributes(op);
    give(std::move(op));
  }

  void widen_input(const Operator& op, TensorId narrow, const char* suffix, const char* reshape) {
    if (wide_.contains(narrow)) return;
    const TensorId x = add(op, suffix, narrow);
    operators_.push_back({op.name + reshape, "Reshape", {narrow}, {x}, {}});
    wide_[narrow] = x;
  }

  /// The operator on wide tensors, and its result as others read it.
  void give(Operator op) {
    for (TensorId& id : op.inputs) {
      if (const auto wide = wide_.find(id); wide != wide_.end()) id = wide->second;
    }
    const TensorId narrow = op.outputs[0], y = add(op, ".y2d", narrow);
    const std::string name = op.name;
    op.outputs[0] = y;
    operators_.push_back(std::move(op));
    operators_.push_back({name + ".narrow", "Reshape", {y}, {narrow}, {}});
    wide_[narrow] = y;
  }

  Network& network_;
  std::vector<Operator> operators_;
  std::map<TensorId, TensorId> wide_;  ///< by what it is narrow
};

}  // namespace

void widen_to_2d(Network& network) { Widening(network).run(); }

}  // namespace accord
