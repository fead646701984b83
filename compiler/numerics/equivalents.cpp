#include "compiler/numerics/equivalents.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "compiler/network/constants.h"
#include "compiler/network/operator_list.h"
#include "compiler/numerics/expand_softmax.h"

namespace accord::numerics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The operator that is written in terms of others.
class Formula {
 public:
  Formula(Network& network, const Operator& op, std::vector<Operator>& operators)
      : op_(op), list_(network, op.name, operators) {}

  TensorId x() const { return op_.inputs[0]; }
  TensorId result() const { return op_.outputs[0]; }
  double parameter(const char* name, double otherwise) const { return attribute(op_, name, otherwise); }

  /// `what` names the result; none: it is the operator's own.
  TensorId scaled(const char* what, TensorId a, double factor) { return with_number("Mul", what, a, factor); }
  TensorId shifted(const char* what, TensorId a, double term) { return with_number("Add", what, a, term); }
  TensorId raised(const char* what, TensorId a, double power) { return with_number("Pow", what, a, power); }
  TensorId clamped(const char* what, TensorId a, double low, double high) {
    return list_.add("Clip", what, {a}, list_.shape(a), {{"min", low}, {"max", high}}, goes_to(what));
  }
  TensorId unary(const char* type, const char* what, TensorId a) { return list_.unary(type, what, a, goes_to(what)); }
  TensorId binary(const char* type, const char* what, TensorId a, TensorId b) {
    return list_.add(type, what, {a, b}, joined(list_.shape(a), list_.shape(b)), {}, goes_to(what));
  }

  TensorId constant(const char* what, const Shape& shape, const std::vector<float>& values) {
    return list_.constant(what, shape, values);
  }

  TensorId above(TensorId a) { return clamped("above", a, 0, infinity); }
  TensorId below(TensorId a) { return clamped("below", a, -infinity, 0); }

 private:
  TensorId goes_to(const char* what) const { return *what == 0 ? result() : no_tensor; }

  TensorId with_number(const char* type, const char* what, TensorId a, double number) {
    const std::string name = std::string(*what == 0 ? "last" : what) + ".number";
    return binary(type, what, a, list_.scalar(name, static_cast<float>(number)));
  }

  const Operator& op_;
  OperatorList list_;
};

template <void (*write)(Formula&)>
bool always(Network& network, const Operator& op, std::vector<Operator>& operators) {
  Formula formula(network, op, operators);
  write(formula);
  return true;
}

void negated(Formula& f) { f.scaled("", f.x(), -1); }
void reciprocal_by_power(Formula& f) { f.raised("", f.x(), -1); }
void root_by_power(Formula& f) { f.raised("", f.x(), 0.5); }
void size_by_parts(Formula& f) {
  const auto above = f.above(f.x()), below = f.below(f.x());
  f.binary("Sub", "", above, below);
}

void hard_sigmoid(Formula& f) {
  const auto line = f.shifted("line", f.scaled("scaled", f.x(), f.parameter("alpha", 0.2)), f.parameter("beta", 0.5));
  f.clamped("", line, 0, 1);
}

void hard_swish(Formula& f) {
  const auto gate = f.clamped("gate", f.shifted("line", f.scaled("scaled", f.x(), 1.0 / 6), 0.5), 0, 1);
  f.binary("Mul", "", f.x(), gate);
}

void leaky_by_maximum(Formula& f) { f.binary("Max", "", f.x(), f.scaled("leak", f.x(), f.parameter("alpha", 0.01))); }

bool leaky_below_one(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const double alpha = attribute(op, "alpha", 0.01);
  return alpha >= 0 && alpha <= 1 && always<leaky_by_maximum>(network, op, operators);
}

void leaky_by_parts(Formula& f) {
  const auto above = f.above(f.x()), leak = f.scaled("leak", f.below(f.x()), f.parameter("alpha", 0.01));
  f.binary("Add", "", above, leak);
}

bool leaky_per_channel(Network& network, const Operator& op, std::vector<Operator>& operators) {
  Formula f(network, op, operators);
  const auto above = f.above(f.x()), leak = f.binary("Mul", "leak", f.below(f.x()), op.inputs[1]);
  f.binary("Add", "", above, leak);
  return true;
}

/// How many elements of the dimension each window holds.
std::vector<std::int64_t> window_counts(const Operator& op, std::size_t dimension, std::int64_t from, std::int64_t to) {
  const auto at = [&](const char* name, std::size_t i, std::int64_t otherwise) {
    const auto values = attribute(op, name, std::vector<std::int64_t>{});
    return i < values.size() ? values[i] : otherwise;
  };
  std::vector<std::int64_t> counts;
  for (std::int64_t window = 0; window < to; ++window) {
    const std::int64_t first = window * at("strides", dimension, 1) - at("pads", dimension, 0);
    std::int64_t& count = counts.emplace_back(0);
    for (std::int64_t k = 0; k < at("kernel_shape", dimension, 1); ++k) {
      const std::int64_t place = first + k * at("dilations", dimension, 1);
      count += place >= 0 && place < from ? 1 : 0;
    }
  }
  return counts;
}

/// An average of what windows hold inside: one that counts the padding, too, times what that makes it too small by.
bool average_with_padding(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const Shape x = network.tensor(op.inputs[0]).shape, y = network.tensor(op.outputs[0]).shape;
  if (x.size() != 4 || attribute(op, "count_include_pad", std::int64_t{0}) != 0) return false;
  const auto rows = window_counts(op, 0, x[2], y[2]), columns = window_counts(op, 1, x[3], y[3]);
  const auto kernel = attribute(op, "kernel_shape", std::vector<std::int64_t>{});
  std::vector<float> factors;
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) {
      if (row * column == 0) return false;  // no number
      factors.push_back(static_cast<float>(kernel[0] * kernel[1]) / static_cast<float>(row * column));
    }
  }
  auto attributes = op.attributes;
  attributes["count_include_pad"] = std::int64_t{1};
  OperatorList list(network, op.name, operators);
  const TensorId all = list.add("AveragePool", "all", {op.inputs[0]}, y, std::move(attributes));
  list.binary("Mul", "", all, list.constant("factors", {1, 1, y[2], y[3]}, factors), op.outputs[0]);
  return true;
}

/// alpha * (exp(min(x, 0) * steepness) - 1)
TensorId decay(Formula& f, double alpha, double steepness) {
  auto exponent = f.below(f.x());
  if (steepness != 1) exponent = f.scaled("exponent", exponent, steepness);
  const auto below_zero = f.shifted("decay", f.unary("Exp", "powers", exponent), -1);
  return alpha == 1 ? below_zero : f.scaled("scaled", below_zero, alpha);
}

void elu(Formula& f) {
  const auto above = f.above(f.x());
  f.binary("Add", "", above, decay(f, f.parameter("alpha", 1), 1));
}

void celu(Formula& f) {
  const double alpha = f.parameter("alpha", 1);
  const auto above = f.above(f.x());
  f.binary("Add", "", above, decay(f, alpha, 1 / alpha));
}

void selu(Formula& f) {
  const double gamma = f.parameter("gamma", 1.05070102214813232421875);
  const auto above = f.scaled("scaled_above", f.above(f.x()), gamma);
  f.binary("Add", "", above, decay(f, gamma * f.parameter("alpha", 1.67326319217681884765625), 1));
}

void sigmoid_by_tanh(Formula& f) {
  f.shifted("", f.scaled("half", f.unary("Tanh", "tanh", f.scaled("argument", f.x(), 0.5)), 0.5), 0.5);
}

void sigmoid_by_powers(Formula& f) {
  const auto power = f.unary("Exp", "power", f.scaled("argument", f.x(), -1));
  f.unary("Reciprocal", "", f.shifted("total", power, 1));
}

void tanh_by_sigmoid(Formula& f) {
  f.shifted("", f.scaled("twice", f.unary("Sigmoid", "sigmoid", f.scaled("argument", f.x(), 2)), 2), -1);
}

void softsign(Formula& f) { f.binary("Div", "", f.x(), f.shifted("total", f.unary("Abs", "size", f.x()), 1)); }

void softplus(Formula& f) {
  const auto power = f.unary("Exp", "power", f.scaled("argument", f.unary("Abs", "size", f.x()), -1));
  const auto above = f.above(f.x()), log = f.unary("Log", "log", f.shifted("total", power, 1));
  f.binary("Add", "", above, log);
}

bool difference(Network& network, const Operator& op, std::vector<Operator>& operators) {
  Formula f(network, op, operators);
  f.binary("Add", "", f.x(), f.scaled("negated", op.inputs[1], -1));
  return true;
}

bool quotient(Network& network, const Operator& op, std::vector<Operator>& operators) {
  Formula f(network, op, operators);
  f.binary("Mul", "", f.x(), f.unary("Reciprocal", "reciprocal", op.inputs[1]));
  return true;
}

/// Of numbers that products and roots give as exactly.
bool power(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const Tensor& exponent = network.tensor(op.inputs[1]);
  if (!is_float_constant(network, op.inputs[1]) || element_count(exponent.shape) != 1) return false;
  const float number = *constant_data<float>(exponent);
  if (exponent.shape.size() > network.tensor(op.inputs[0]).shape.size()) return false;
  Formula f(network, op, operators);
  if (number == 2) return f.binary("Mul", "", f.x(), f.x()), true;
  if (number == 3) return f.binary("Mul", "", f.binary("Mul", "square", f.x(), f.x()), f.x()), true;
  if (number == 0.5F) return f.unary("Sqrt", "", f.x()), true;
  return false;
}

/// A constant mask chooses between a tensor and constant numbers: x * kept + put, exact where x is finite.
bool masked(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const std::size_t side = network.tensor(op.inputs[1]).is_constant() ? 2 : 1, other = 3 - side;
  const TensorId x = op.inputs[side];
  if (!network.tensor(op.inputs[0]).is_constant() || !is_float_constant(network, op.inputs[other])) return false;
  if (network.tensor(x).type != ElementType::fp32 || network.tensor(x).is_constant()) return false;
  const Tensor &mask = network.tensor(op.inputs[0]), &numbers = network.tensor(op.inputs[other]);
  const Shape kept_shape = mask.shape, put_shape = joined(mask.shape, numbers.shape);
  const auto keeps = [&](double chosen) { return (chosen != 0) == (side == 1); };
  std::vector<float> kept, put;
  for (const double chosen : numbers_of(mask)) kept.push_back(keeps(chosen) ? 1 : 0);
  const std::vector<double> mask_there = broadcast_numbers(mask, put_shape);
  for (const double number : broadcast_numbers(numbers, put_shape))
    put.push_back(keeps(mask_there[put.size()]) ? 0 : static_cast<float>(number));
  Formula f(network, op, operators);
  const auto left = f.binary("Mul", "left", x, f.constant("kept", kept_shape, kept));
  f.binary("Add", "", left, f.constant("put", put_shape, put));
  return true;
}

bool softmax_by_parts(Network& network, const Operator& op, std::vector<Operator>& operators) {
  expand_softmax(network, op, operators);
  return true;
}

}  // namespace

const std::vector<Equivalent>& equivalents(const std::string& type) {
  static const std::map<std::string, std::vector<Equivalent>> table = {
      {"AveragePool", {average_with_padding}},
      {"Neg", {always<negated>}},
      {"Reciprocal", {always<reciprocal_by_power>}},
      {"Sqrt", {always<root_by_power>}},
      {"Abs", {always<size_by_parts>}},
      {"HardSigmoid", {always<hard_sigmoid>}},
      {"HardSwish", {always<hard_swish>}},
      {"LeakyRelu", {leaky_below_one, always<leaky_by_parts>}},
      {"PRelu", {leaky_per_channel}},
      {"Elu", {always<elu>}},
      {"Celu", {always<celu>}},
      {"Selu", {always<selu>}},
      {"Sigmoid", {always<sigmoid_by_tanh>, always<sigmoid_by_powers>}},
      {"Tanh", {always<tanh_by_sigmoid>}},
      {"Softsign", {always<softsign>}},
      {"Softplus", {always<softplus>}},
      {"Sub", {difference}},
      {"Div", {quotient}},
      {"Pow", {power}},
      {"Where", {masked}},
      {"Softmax", {softmax_by_parts}},
  };
  static const std::vector<Equivalent> none;
  const auto found = table.find(type);
  return found == table.end() ? none : found->second;
}

}  // namespace accord::numerics
