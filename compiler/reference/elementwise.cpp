#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/network/parallel.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

constexpr std::int64_t grain = 1 << 14;

/// Results of integer arithmetic, modulo the type's range as machines have them.
template <typename T>
void store_results(const OperatorCall& call, const std::vector<T>& results) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    store_all(call.outputs[0], std::vector<std::uint64_t>(results.begin(), results.end()));
  } else {
    store_all(call.outputs[0], results);
  }
}

float plus(float a, float b) { return a + b; }
float minus(float a, float b) { return a - b; }
float times(float a, float b) { return a * b; }
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// y = f(x) per element, in fp32. `F` gets the element and the operator's attributes as two floats.
template <typename F>
OperatorFunction unary(F function, const char* first = "alpha", double first_default = 0, const char* second = "beta",
                       double second_default = 0) {
  return [=](const OperatorCall& call) {
    const auto a = static_cast<float>(attribute(call.op, first, first_default));
    const auto b = static_cast<float>(attribute(call.op, second, second_default));
    const std::int64_t count = element_count(call.inputs[0].shape);
    parallel_ranges(call.threads, count, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> values(static_cast<std::size_t>(end - begin));
      load_range(call.inputs[0], begin, end - begin, values.data());
      for (float& value : values) value = function(value, a, b);
      store_range<float>(call.outputs[0], begin, values);
    });
  };
}

/// The same for operators that integers have too.
template <typename F, typename G>
OperatorFunction unary_any(F floating, G integer) {
  const OperatorFunction of_float = unary(floating);
  return [of_float, integer](const OperatorCall& call) {
    if (is_float(call.inputs[0].type)) return of_float(call);
    auto values = load_as<std::int64_t>(call.inputs[0]);
    for (std::int64_t& value : values) value = integer(value);
    store_results(call, values);
  };
}

template <typename T, typename F>
void combine(const OperatorCall& call, const TensorView& a, const TensorView& b, F function) {
  const Shape& shape = call.outputs[0].shape;
  const auto x = load_as<T>(a), y = load_as<T>(b);
  std::vector<T> result(count_of(shape));
  if (a.shape == shape && b.shape == shape) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(x[i], y[i]);
  } else {
    const auto xi = broadcast_indices(a.shape, shape), yi = broadcast_indices(b.shape, shape);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = function(x[static_cast<std::size_t>(xi[i])], y[static_cast<std::size_t>(yi[i])]);
    }
  }
  store_results(call, result);
}

/// Binary operators with broadcasting; several inputs (Sum, Max, Min) fold from the left.
template <typename F>
OperatorFunction binary(F function) {
  return [function](const OperatorCall& call) {
    auto once = [&](const TensorView& a, const TensorView& b) {
      if (is_float(a.type)) return combine<float>(call, a, b, function);
      combine<std::int64_t>(call, a, b, function);
    };
    if (call.inputs.size() == 1) return once(call.inputs[0], call.inputs[0]);
    once(call.inputs[0], call.inputs[1]);
    for (std::size_t i = 2; i < call.inputs.size(); ++i) {
      const Value so_far = call.outputs[0];
      once(view(so_far), call.inputs[i]);
    }
  };
}

void sum(const OperatorCall& call) {
  if (call.inputs.size() == 1) return store_all(call.outputs[0], load_as<float>(call.inputs[0]));
  binary([](auto a, auto b) { return plus(a, b); })(call);
}

void mean(const OperatorCall& call) {
  sum(call);
  auto values = load_as<float>(view(call.outputs[0]));
  for (float& value : values) value /= static_cast<float>(call.inputs.size());
  store_all(call.outputs[0], values);
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("integer division by zero");
  return b == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : a / b;
}
float divide(float a, float b) { return a / b; }

/// The base keeps its type; an integer exponent of a float base (and the reverse) is converted.
void pow_operator(const OperatorCall& call) {
  if (is_float(call.inputs[0].type)) {
    return combine<float>(call, call.inputs[0], call.inputs[1], [](float a, float b) { return std::pow(a, b); });
  }
  combine<double>(call, call.inputs[0], call.inputs[1], [](double a, double b) { return std::trunc(std::pow(a, b)); });
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("division by zero");
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Of the division that cuts its fraction off.
void remainder_operator(const OperatorCall& call) {
  const TensorView &a = call.inputs[0], &b = call.inputs[1];
  if (is_float(a.type)) return combine<float>(call, a, b, [](float x, float y) { return std::fmod(x, y); });
  combine<std::int64_t>(call, a, b, [](std::int64_t x, std::int64_t y) {
    if (y == 0) throw Error("division by zero");
    return y == -1 ? std::int64_t{0} : x % y;
  });
}

void mod_operator(const OperatorCall& call) {
  if (attribute(call.op, "fmod", std::int64_t{0}) != 0) return remainder_operator(call);
  combine<std::int64_t>(call, call.inputs[0], call.inputs[1], modulo);
}

/// As statements have it: NaN gives the lower bound.
template <typename T>
T clamp(T x, T low, T high) {
  const T raised = x > low ? x : low;
  return raised < high ? raised : high;
}

void clip(const OperatorCall& call) {
  const double lo = attribute(call.op, "min", -INFINITY), hi = attribute(call.op, "max", INFINITY);
  if (is_float(call.inputs[0].type)) {
    const auto low = static_cast<float>(lo), high = static_cast<float>(hi);
    return unary([low, high](float x, float, float) { return clamp(x, low, high); })(call);
  }
  auto values = load_as<double>(call.inputs[0]);
  for (double& value : values) value = clamp(value, lo, hi);
  store_all(call.outputs[0], values);
}

void where(const OperatorCall& call) {
  const Shape& shape = call.outputs[0].shape;
  const auto condition = load_as<std::int64_t>(call.inputs[0]);
  const auto x = load_as<double>(call.inputs[1]), y = load_as<double>(call.inputs[2]);
  const auto ci = broadcast_indices(call.inputs[0].shape, shape), xi = broadcast_indices(call.inputs[1].shape, shape),
             yi = broadcast_indices(call.inputs[2].shape, shape);
  std::vector<double> result(ci.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = condition[static_cast<std::size_t>(ci[i])] != 0 ? x[static_cast<std::size_t>(xi[i])]
                                                                : y[static_cast<std::size_t>(yi[i])];
  }
  store_all(call.outputs[0], result);
}

/// To a boolean, which is a u8 here, whatever is not 0 is 1.
void cast(const OperatorCall& call) {
  constexpr std::int64_t to_bool = 9;  // onnx.proto, TensorProto.DataType
  if (attribute(call.op, "to", std::int64_t{0}) == to_bool) {
    auto values = load_as<double>(call.inputs[0]);
    for (double& value : values) value = value != 0 ? 1 : 0;
    return store_all(call.outputs[0], values);
  }
  if (call.inputs[0].type == call.outputs[0].type || !is_float(call.inputs[0].type)) {
    if (is_float(call.outputs[0].type)) return store_all(call.outputs[0], load_as<float>(call.inputs[0]));
    return store_all(call.outputs[0], load_as<std::int64_t>(call.inputs[0]));
  }
  store_all(call.outputs[0], load_as<double>(call.inputs[0]));
}

float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }
float gelu_by_tanh(float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); }
float softplus(float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); }
float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

void add_rectifiers(OperatorTable& table) {
  table["Relu"] = unary_any([](float x, float, float) { return x > 0 ? x : 0.0f; },
                            [](std::int64_t x) { return std::max<std::int64_t>(x, 0); });
  table["LeakyRelu"] = unary([](float x, float a, float) { return x < 0 ? a * x : x; }, "alpha", 0.01);
  table["ThresholdedRelu"] = unary([](float x, float a, float) { return x > a ? x : 0.0f; }, "alpha", 1.0);
  table["Elu"] = unary([](float x, float a, float) { return x < 0 ? a * (std::exp(x) - 1.0f) : x; }, "alpha", 1.0);
  table["Celu"] =
      unary([](float x, float a, float) { return std::max(0.0f, x) + std::min(0.0f, a * (std::exp(x / a) - 1.0f)); },
            "alpha", 1.0);
  table["Selu"] = unary([](float x, float a, float g) { return g * (x > 0 ? x : a * std::exp(x) - a); }, "alpha",
                        1.67326319217681884765625, "gamma", 1.05070102214813232421875);
  table["PRelu"] = binary([](auto x, auto slope) { return x < 0 ? times(slope, x) : x; });
}

void add_activations(OperatorTable& table) {
  table["Sigmoid"] = unary([](float x, float, float) { return sigmoid(x); });
  table["HardSigmoid"] =
      unary([](float x, float a, float b) { return clamp(a * x + b, 0.0f, 1.0f); }, "alpha", 0.2, "beta", 0.5);
  table["HardSwish"] = unary([](float x, float, float) { return x * clamp(x / 6.0f + 0.5f, 0.0f, 1.0f); });
  table["Gelu"] = [exact = unary([](float x, float, float) { return gelu(x); }),
                   by_tanh = unary([](float x, float, float) { return gelu_by_tanh(x); })](const OperatorCall& call) {
    attribute(call.op, "approximate", std::string("none")) == "tanh" ? by_tanh(call) : exact(call);
  };
  table["Softplus"] = unary([](float x, float, float) { return softplus(x); });
  table["Mish"] = unary([](float x, float, float) { return x * std::tanh(softplus(x)); });
  table["Softsign"] = unary([](float x, float, float) { return x / (1.0f + std::abs(x)); });
  table["Shrink"] =
      unary([](float x, float bias, float lambda) { return x < -lambda  ? x + bias
                                                           : x > lambda ? x - bias
                                                                        : 0.0f; },
            "bias", 0.0, "lambd", 0.5);
  table["Clip"] = clip;
}

void add_functions(OperatorTable& table) {
#define ACCORD_UNARY(type, expression) table[type] = unary([](float x, float, float) -> float { return expression; });
  ACCORD_UNARY("Acos", std::acos(x))
  ACCORD_UNARY("Acosh", std::acosh(x))
  ACCORD_UNARY("Asin", std::asin(x))
  ACCORD_UNARY("Asinh", std::asinh(x))
  ACCORD_UNARY("Atan", std::atan(x))
  ACCORD_UNARY("Atanh", std::atanh(x))
  ACCORD_UNARY("Ceil", std::ceil(x))
  ACCORD_UNARY("Cos", std::cos(x))
  ACCORD_UNARY("Cosh", std::cosh(x))
  ACCORD_UNARY("Erf", std::erf(x))
  ACCORD_UNARY("Exp", std::exp(x))
  ACCORD_UNARY("Floor", std::floor(x))
  ACCORD_UNARY("Log", std::log(x))
  ACCORD_UNARY("Reciprocal", 1.0f / x)
  ACCORD_UNARY("Round", std::nearbyint(x))
  ACCORD_UNARY("Sin", std::sin(x))
  ACCORD_UNARY("Sinh", std::sinh(x))
  ACCORD_UNARY("Sqrt", std::sqrt(x))
  ACCORD_UNARY("Tan", std::tan(x))
  ACCORD_UNARY("Tanh", std::tanh(x))
  ACCORD_UNARY("IsNaN", std::isnan(x) ? 1.0f : 0.0f)
#undef ACCORD_UNARY
  table["IsInf"] = unary(
      [](float x, float positive, float negative) {
        return (positive != 0 && x == INFINITY) || (negative != 0 && x == -INFINITY) ? 1.0F : 0.0F;
      },
      "detect_positive", 1, "detect_negative", 1);
  table["Abs"] = unary_any([](float x, float, float) { return std::abs(x); },
                           [](std::int64_t x) { return x < 0 ? divide(x, std::int64_t{-1}) : x; });
  table["Neg"] =
      unary_any([](float x, float, float) { return -x; }, [](std::int64_t x) { return divide(x, std::int64_t{-1}); });
  table["Sign"] = unary_any([](float x, float, float) { return static_cast<float>((x > 0) - (x < 0)); },
                            [](std::int64_t x) { return static_cast<std::int64_t>((x > 0) - (x < 0)); });
  table["Not"] = unary_any([](float x, float, float) { return x == 0 ? 1.0f : 0.0f; },
                           [](std::int64_t x) { return static_cast<std::int64_t>(x == 0); });
}

void add_binary(OperatorTable& table) {
#define ACCORD_BINARY(type, expression) \
  table[type] = binary([](auto a, auto b) { return static_cast<decltype(a)>(expression); });
  ACCORD_BINARY("Add", plus(a, b))
  ACCORD_BINARY("Sub", minus(a, b))
  ACCORD_BINARY("Mul", times(a, b))
  ACCORD_BINARY("Div", divide(a, b))
  ACCORD_BINARY("Max", a > b ? a : b)
  ACCORD_BINARY("Min", a < b ? a : b)
  ACCORD_BINARY("Equal", a == b)
  ACCORD_BINARY("Less", a < b)
  ACCORD_BINARY("LessOrEqual", a <= b)
  ACCORD_BINARY("Greater", a > b)
  ACCORD_BINARY("GreaterOrEqual", a >= b)
  ACCORD_BINARY("And", a != 0 && b != 0)
  ACCORD_BINARY("Or", a != 0 || b != 0)
  ACCORD_BINARY("Xor", (a != 0) != (b != 0))
#undef ACCORD_BINARY
  table["Pow"] = pow_operator;
  table["Mod"] = mod_operator;
  table["Remainder"] = remainder_operator;
  table["Sum"] = sum;
  table["Mean"] = mean;
  table["Where"] = where;
  table["Cast"] = cast;
}

}  // namespace

void add_elementwise(OperatorTable& table) {
  add_rectifiers(table);
  add_activations(table);
  add_functions(table);
  add_binary(table);
}

}  // namespace accord::reference
