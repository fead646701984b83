#include "compiler/frontends/onnx_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/strided_view.h"

namespace accord {

namespace {

std::size_t count_of(const Shape& shape) { return static_cast<std::size_t>(element_count(shape)); }

/// Elements as numbers: int64 for integers (wrapping like the hardware), double for floats.
template <typename Number>
std::vector<Number> numbers(const Tensor& tensor, const Shape& target) {
  std::vector<Number> values(count_of(target));
  const auto size = static_cast<std::size_t>(bytes(tensor.type));
  walk(target, broadcast_view(tensor.shape, target), [&](std::size_t i, std::int64_t offset) {
    const auto* at = tensor.data->data() + static_cast<std::size_t>(offset) * size;
    if (tensor.type == ElementType::i64) {
      std::int64_t value;
      std::memcpy(&value, at, sizeof value);
      values[i] = static_cast<Number>(value);
    } else {
      values[i] = static_cast<Number>(load_element(at, tensor.type));
    }
  });
  return values;
}

template <typename Number>
ConstantData pack(const std::vector<Number>& values, ElementType type) {
  const auto size = static_cast<std::size_t>(bytes(type));
  std::vector<std::byte> data(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto* at = data.data() + i * size;
    if (type == ElementType::i64 && std::is_same_v<Number, std::int64_t>) {
      std::memcpy(at, &values[i], size);
    } else {
      store_element(at, type, static_cast<double>(values[i]));
    }
  }
  return std::make_shared<const std::vector<std::byte>>(std::move(data));
}

using FloatBinary = double (*)(double, double);
using IntegerBinary = std::int64_t (*)(std::int64_t, std::int64_t);
struct BinaryFold {
  FloatBinary floats;
  IntegerBinary integers;
};

/// Wrap-around without undefined behaviour.
std::uint64_t u(std::int64_t v) { return static_cast<std::uint64_t>(v); }
std::int64_t s(std::uint64_t v) { return static_cast<std::int64_t>(v); }

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("division by zero in a constant");
  return b == -1 ? s(0 - u(a)) : a / b;
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("division by zero in a constant");
  if (b == -1) return 0;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// As in C: the sign of the dividend.
std::int64_t remainder(std::int64_t a, std::int64_t b) { return s(u(a) - u(divide(a, b)) * u(b)); }

std::int64_t power(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(std::clamp(std::pow(static_cast<double>(a), static_cast<double>(b)), -9e18, 9e18));
}

const std::map<std::string, BinaryFold>& binary_folds() {
  static const std::map<std::string, BinaryFold> table = {
      {"Add", {[](double a, double b) { return a + b; }, [](auto a, auto b) { return s(u(a) + u(b)); }}},
      {"Sub", {[](double a, double b) { return a - b; }, [](auto a, auto b) { return s(u(a) - u(b)); }}},
      {"Mul", {[](double a, double b) { return a * b; }, [](auto a, auto b) { return s(u(a) * u(b)); }}},
      {"Div", {[](double a, double b) { return a / b; }, divide}},
      {"Mod", {[](double a, double b) { return std::fmod(a, b); }, modulo}},
      {"Pow", {[](double a, double b) { return std::pow(a, b); }, power}},
      {"Min", {[](double a, double b) { return std::min(a, b); }, [](auto a, auto b) { return std::min(a, b); }}},
      {"Max", {[](double a, double b) { return std::max(a, b); }, [](auto a, auto b) { return std::max(a, b); }}},
      {"Equal",
       {[](double a, double b) { return double(a == b); }, [](auto a, auto b) { return std::int64_t{a == b}; }}},
      {"Less", {[](double a, double b) { return double(a < b); }, [](auto a, auto b) { return std::int64_t{a < b}; }}},
      {"Greater",
       {[](double a, double b) { return double(a > b); }, [](auto a, auto b) { return std::int64_t{a > b}; }}},
      {"And",
       {[](double a, double b) { return double(a != 0 && b != 0); },
        [](auto a, auto b) { return std::int64_t{a != 0 && b != 0}; }}},
      {"Or",
       {[](double a, double b) { return double(a != 0 || b != 0); },
        [](auto a, auto b) { return std::int64_t{a != 0 || b != 0}; }}},
  };
  return table;
}

template <typename Number, typename Function>
ConstantData apply_binary(const OnnxNode& node, Function function) {
  const auto& x = node.input(0);
  const auto shape = broadcast(x.shape, node.shape(1));
  auto values = numbers<Number>(x, shape);
  const auto others = numbers<Number>(node.input(1), shape);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(values[i], others[i]);
  return pack(values, node.results[0].type);
}

using FloatUnary = double (*)(double);
const std::map<std::string, FloatUnary>& unary_folds() {
  static const std::map<std::string, FloatUnary> table = {{"Sqrt", [](double a) { return std::sqrt(a); }},
                                                          {"Exp", [](double a) { return std::exp(a); }},
                                                          {"Log", [](double a) { return std::log(a); }},
                                                          {"Neg", [](double a) { return -a; }},
                                                          {"Abs", [](double a) { return std::abs(a); }},
                                                          {"Floor", [](double a) { return std::floor(a); }},
                                                          {"Ceil", [](double a) { return std::ceil(a); }},
                                                          {"Reciprocal", [](double a) { return 1 / a; }},
                                                          {"Tanh", [](double a) { return std::tanh(a); }},
                                                          {"Erf", [](double a) { return std::erf(a); }},
                                                          {"Not", [](double a) { return double(a == 0); }},
                                                          {"Relu", [](double a) { return std::max(a, 0.0); }},
                                                          {"Round", [](double a) { return std::nearbyint(a); }},
                                                          {"Sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); }}};
  return table;
}

ConstantData fold_unary(const OnnxNode& node, FloatUnary function) {
  auto values = numbers<double>(node.input(0), node.shape(0));
  for (auto& v : values) v = function(v);
  return pack(values, node.results[0].type);
}

ConstantData fold_cast(const OnnxNode& node) {
  const auto& x = node.input(0);
  if (!is_float(x.type) && !is_float(node.results[0].type)) {
    return pack(numbers<std::int64_t>(x, x.shape), node.results[0].type);
  }
  auto values = numbers<double>(x, x.shape);
  if (node.get_int("to", 0) == onnx::TensorProto::BOOL) {
    for (auto& v : values) v = v != 0;
  }
  return pack(values, node.results[0].type);
}

ConstantData fold_where(const OnnxNode& node) {
  const auto& shape = node.results[0].shape;
  const auto type = node.results[0].type;
  const auto condition = numbers<std::int64_t>(node.input(0), shape);
  const auto pick = [&](auto yes, const auto& no) {
    for (std::size_t i = 0; i < yes.size(); ++i) yes[i] = condition[i] != 0 ? yes[i] : no[i];
    return pack(yes, type);
  };
  if (is_float(type)) return pick(numbers<double>(node.input(1), shape), numbers<double>(node.input(2), shape));
  return pick(numbers<std::int64_t>(node.input(1), shape), numbers<std::int64_t>(node.input(2), shape));
}

ConstantData fold_range(const OnnxNode& node) {
  const auto count = count_of(node.results[0].shape);
  const auto start = node.constant_numbers(0)[0];
  const auto step = node.constant_numbers(2)[0];
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = start + static_cast<double>(i) * step;
  return pack(values, node.results[0].type);
}

/// Reductions of integers (sizes computed from shapes).
ConstantData fold_reduce(const OnnxNode& node) {
  const auto& x = node.input(0);
  auto kept = broadcast_view(x.shape, x.shape);
  Shape result = x.shape;
  for (const auto axis : node.get("axes", std::vector<std::int64_t>{})) result[static_cast<std::size_t>(axis)] = 1;
  kept = broadcast_view(result, x.shape);
  const auto values = numbers<std::int64_t>(x, x.shape);
  const auto& type = node.op.type;
  const std::int64_t first = type == "ReduceProd" ? 1 : 0;
  std::vector<std::int64_t> sums(count_of(result), first);
  std::vector<bool> seen(sums.size(), false);
  walk(x.shape, kept, [&](std::size_t i, std::int64_t offset) {
    const auto at = static_cast<std::size_t>(offset);
    if (type == "ReduceSum")
      sums[at] = s(u(sums[at]) + u(values[i]));
    else if (type == "ReduceProd")
      sums[at] = s(u(sums[at]) * u(values[i]));
    else if (!seen[at])
      sums[at] = values[i];
    else
      sums[at] = type == "ReduceMax" ? std::max(sums[at], values[i]) : std::min(sums[at], values[i]);
    seen[at] = true;
  });
  return pack(sums, x.type);
}

bool is_integer_reduction(const OnnxNode& node) {
  const auto& t = node.op.type;
  return (t == "ReduceSum" || t == "ReduceProd" || t == "ReduceMax" || t == "ReduceMin") &&
         !is_float(node.input(0).type);
}

/// More elements than this are left to the network: constants this large are weights, not shape arithmetic.
constexpr std::int64_t max_folded_arithmetic = 1 << 24;

}  // namespace

std::optional<ConstantData> fold_arithmetic(const OnnxNode& node) {
  if (element_count(node.results[0].shape) > max_folded_arithmetic) return std::nullopt;
  if (element_count(node.shape(0)) > max_folded_arithmetic) return std::nullopt;
  const auto& type = node.op.type;
  const bool floats = is_float(node.input(0).type);
  if (type == "Mod" && !floats && node.get_int("fmod", 0) != 0) return apply_binary<std::int64_t>(node, remainder);
  if (const auto found = binary_folds().find(type); found != binary_folds().end() && node.inputs.size() == 2) {
    return floats ? apply_binary<double>(node, found->second.floats)
                  : apply_binary<std::int64_t>(node, found->second.integers);
  }
  if (const auto found = unary_folds().find(type); found != unary_folds().end()) return fold_unary(node, found->second);
  if (type == "Cast") return fold_cast(node);
  if (type == "Where") return fold_where(node);
  if (type == "Range") return fold_range(node);
  if (is_integer_reduction(node)) return fold_reduce(node);
  return std::nullopt;
}

}  // namespace accord
