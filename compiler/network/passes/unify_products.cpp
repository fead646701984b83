#include <algorithm>

#include "compiler/network/constants.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

Tensor scaled(const Tensor& given, float factor) {
  const auto* values = constant_data<float>(given);
  std::vector<float> result(values, values + element_count(given.shape));
  for (auto& value : result) value *= factor;
  return make_constant(given.name, given.shape, result);
}

/// Weights as [N, K], times `factor`. `given` is [K, N], or [N, K] if `transposed`; leading dimensions of 1 go.
TensorId add_weights(Network& network, const Tensor& given, bool transposed, float factor) {
  const auto rank = given.shape.size();
  const Shape shape = transposed ? Shape{given.shape[rank - 2], given.shape[rank - 1]}
                                 : Shape{given.shape[rank - 1], given.shape[rank - 2]};
  auto data = transposed ? given.data : transposed_matrix(given);
  Tensor result{given.name, ElementType::fp32, shape, std::move(data), std::nullopt};
  if (factor != 1.0F) result = scaled(result, factor);
  if (given.quantisation && factor == 1.0F) {
    result.quantisation = given.quantisation;
    const auto columns_axis = static_cast<int>(rank) - 1;
    if (given.quantisation->axis >= 0) {
      // Only a scale per row of the result can stay.
      if ((given.quantisation->axis == columns_axis) == transposed) result.quantisation.reset();
      if (result.quantisation) result.quantisation->axis = 0;
    }
  }
  return network.add(std::move(result));
}

/// Appends the operators that one Gemm becomes.
class GemmRewrite {
 public:
  GemmRewrite(Network& network, Operator op, std::vector<Operator>& operators)
      : network_(network), op_(std::move(op)), operators_(operators), result_(op_.outputs[0]) {
    alpha_ = attribute(op_, "alpha", 1.0);
    beta_ = attribute(op_, "beta", 1.0);
  }

  void run() {
    if (attribute(op_, "transA", std::int64_t{0}) != 0) op_.inputs[0] = transposed(op_.inputs[0]);
    const bool constant = is_float_constant(network_, op_.inputs[1]);
    if (constant)
      multiply_by_constant();
    else
      multiply_by_variable();
  }

 private:
  bool bias_fits() const {
    if (op_.inputs.size() < 3) return true;
    const auto& bias = network_.tensor(op_.inputs[2]);
    const auto columns = network_.tensor(result_).shape[1];
    const auto count = element_count(bias.shape);
    const bool per_column = bias.shape.empty() || bias.shape.back() == count;
    return is_float_constant(network_, op_.inputs[2]) && per_column && (count == 1 || count == columns);
  }

  void multiply_by_constant() {
    const bool transposed_weights = attribute(op_, "transB", std::int64_t{0}) != 0;
    const auto weights = network_.tensor(op_.inputs[1]);
    const bool as_is = transposed_weights && alpha_ == 1.0;
    Operator product{op_.name, "Gemm", {op_.inputs[0], op_.inputs[1]}, {result_}, {{"transB", std::int64_t{1}}}};
    if (!as_is) product.inputs[1] = add_weights(network_, weights, transposed_weights, static_cast<float>(alpha_));
    if (bias_fits()) {
      if (op_.inputs.size() > 2) product.inputs.push_back(bias_per_column());
      operators_.push_back(std::move(product));
      return;
    }
    product.outputs[0] = intermediate(".product");
    operators_.push_back(product);
    add_addend(product.outputs[0]);
  }

  void multiply_by_variable() {
    auto b = op_.inputs[1];
    if (attribute(op_, "transB", std::int64_t{0}) != 0) b = transposed(b);
    const bool addend = op_.inputs.size() > 2;
    const bool scaled = alpha_ != 1.0;
    auto y = addend || scaled ? intermediate(".product") : result_;
    operators_.push_back({op_.name, "MatMul", {op_.inputs[0], b}, {y}, {}});
    if (scaled) {
      const auto next = addend ? intermediate(".scaled") : result_;
      operators_.push_back({op_.name + ".alpha", "Mul", {y, scalar(alpha_)}, {next}, {}});
      y = next;
    }
    if (addend) add_addend(y);
  }

  /// result = y + beta * C
  void add_addend(TensorId y) {
    auto addend = op_.inputs[2];
    if (beta_ != 1.0 && is_float_constant(network_, addend)) {
      addend = network_.add(scaled(network_.tensor(addend), static_cast<float>(beta_)));
    } else if (beta_ != 1.0) {
      const auto product = network_.add(
          {op_.name + ".addend", network_.tensor(addend).type, network_.tensor(addend).shape, nullptr, std::nullopt});
      operators_.push_back({op_.name + ".beta", "Mul", {addend, scalar(beta_)}, {product}, {}});
      addend = product;
    }
    operators_.push_back({op_.name + ".add", "Add", {y, addend}, {result_}, {}});
  }

  TensorId bias_per_column() {
    const auto& given = network_.tensor(op_.inputs[2]);
    const Shape shape = {network_.tensor(result_).shape[1]};
    if (beta_ == 1.0 && given.shape == shape) return op_.inputs[2];
    const auto count = count_of(given.shape);
    const auto* values = constant_data<float>(given);
    std::vector<float> bias(static_cast<std::size_t>(shape[0]));
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = values[i % count] * static_cast<float>(beta_);
    return network_.add(make_constant(given.name, shape, bias));
  }

  TensorId transposed(TensorId id) {
    const auto& x = network_.tensor(id);
    const auto y = network_.add({x.name + ".transposed", x.type, {x.shape[1], x.shape[0]}, nullptr, std::nullopt});
    operators_.push_back(
        {network_.tensor(y).name, "Transpose", {id}, {y}, {{"perm", std::vector<std::int64_t>{1, 0}}}});
    return y;
  }

  TensorId intermediate(const char* suffix) {
    const auto& y = network_.tensor(result_);
    return network_.add({op_.name + suffix, y.type, y.shape, nullptr, std::nullopt});
  }

  TensorId scalar(double value) {
    return network_.add(make_constant(op_.name + ".factor", {}, std::vector{static_cast<float>(value)}));
  }

  Network& network_;
  Operator op_;
  std::vector<Operator>& operators_;
  TensorId result_;
  double alpha_ = 1;
  double beta_ = 1;
};

/// MatMul by a constant matrix is a Gemm that keeps the leading dimensions of x.
bool multiplies_matrix(const Network& network, const Operator& op) {
  if (op.type != "MatMul" || !is_float_constant(network, op.inputs[1])) return false;
  const auto& x = network.tensor(op.inputs[0]).shape;
  const auto& w = network.tensor(op.inputs[1]).shape;
  return w.size() >= 2 && x.size() >= w.size() && element_count(w) == w[w.size() - 1] * w[w.size() - 2];
}

/// A Gemm that keeps leading dimensions is one already, and one of integers that says no more than transB and a bias.
bool is_canonical(const Network& network, const Operator& gemm) {
  if (network.tensor(gemm.inputs[0]).shape.size() != 2) return true;
  const Tensor& y = network.tensor(gemm.outputs[0]);
  const bool plain = attribute(gemm, "transB", std::int64_t{0}) != 0 && attribute(gemm, "transA", std::int64_t{0}) == 0;
  const bool biased = gemm.inputs.size() > 2 && gemm.inputs[2] != no_tensor;
  const bool per_column = !biased || network.tensor(gemm.inputs[2]).shape == Shape{y.shape[1]};
  return y.type != ElementType::fp32 && plain && per_column;
}

/// A bias that is computed is added to the convolution's results by an Add: accumulators begin with constants.
bool add_computed_bias(Network& network, const Operator& conv, std::vector<Operator>& operators) {
  if (conv.type != "Conv" || conv.inputs.size() < 3 || conv.inputs[2] == no_tensor) return false;
  const Tensor& bias = network.tensor(conv.inputs[2]);
  if (bias.is_constant() || bias.type != ElementType::fp32) return false;
  const TensorId y = conv.outputs[0];
  const Shape result = network.tensor(y).shape;
  Shape per_channel(result.size(), 1);
  per_channel[1] = result[1];
  OperatorList list(network, conv.name, operators);
  const TensorId product = list.add("Conv", "product", {conv.inputs[0], conv.inputs[1]}, result, conv.attributes);
  list.add("Add", "add", {product, list.reshape("bias", conv.inputs[2], per_channel)}, result, {}, y);
  return true;
}

}  // namespace

void unify_products(Network& network) {
  const GraphIndex index(network);
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Gemm" && !is_canonical(network, op)) {
      GemmRewrite(network, std::move(op), operators).run();
      continue;
    }
    if (add_computed_bias(network, op, operators)) continue;
    if (multiplies_matrix(network, op)) {
      const auto given = op.inputs[1];
      op.type = "Gemm";
      op.inputs[1] = add_weights(network, Tensor(network.tensor(given)), false, 1.0F);
      if (index.uses(given) == 1) network.tensor(given).data.reset();
      op.attributes = {{"transB", std::int64_t{1}}};
    }
    operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord
