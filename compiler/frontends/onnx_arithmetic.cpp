#include "compiler/frontends/onnx_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/strided_view.h"

namespace accord {

namespace {

/// Elements as numbers: int64 for integers, double for floats.
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

/// Numbers beyond an integer type's range become its ends, as in a cast.
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
  return owned(std::move(data));
}

/// Results of integer arithmetic, modulo the type's range as when the network computes them.
ConstantData pack_wrapped(const std::vector<std::int64_t>& values, ElementType type) {
  static_assert(std::endian::native == std::endian::little);
  const auto size = static_cast<std::size_t>(bytes(type));
  std::vector<std::byte> data(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(data.data() + i * size, &values[i], size);
  return owned(std::move(data));
}

using IntegerBinary = std::int64_t (*)(std::int64_t, std::int64_t);

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

const std::map<std::string, IntegerBinary>& binary_folds() {
  static const std::map<std::string, IntegerBinary> table = {
      {"Add", [](auto a, auto b) { return s(u(a) + u(b)); }},
      {"Sub", [](auto a, auto b) { return s(u(a) - u(b)); }},
      {"Mul", [](auto a, auto b) { return s(u(a) * u(b)); }},
      {"Div", divide},
      {"Mod", modulo},
      {"Pow", power},
      {"Min", [](auto a, auto b) { return std::min(a, b); }},
      {"Max", [](auto a, auto b) { return std::max(a, b); }},
      {"Equal", [](auto a, auto b) { return std::int64_t{a == b}; }},
      {"Less", [](auto a, auto b) { return std::int64_t{a < b}; }},
      {"LessOrEqual", [](auto a, auto b) { return std::int64_t{a <= b}; }},
      {"Greater", [](auto a, auto b) { return std::int64_t{a > b}; }},
      {"GreaterOrEqual", [](auto a, auto b) { return std::int64_t{a >= b}; }},
      {"And", [](auto a, auto b) { return std::int64_t{a != 0 && b != 0}; }},
      {"Or", [](auto a, auto b) { return std::int64_t{a != 0 || b != 0}; }},
      {"Xor", [](auto a, auto b) { return std::int64_t{(a != 0) != (b != 0)}; }},
  };
  return table;
}

ConstantData apply_binary(const OnnxNode& node, IntegerBinary function) {
  const auto& x = node.input(0);
  const auto shape = broadcast(x.shape, node.shape(1));
  auto values = numbers<std::int64_t>(x, shape);
  const auto others = numbers<std::int64_t>(node.input(1), shape);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(values[i], others[i]);
  return pack_wrapped(values, node.results[0].type);
}

ConstantData fold_cast(const OnnxNode& node) {
  const auto& x = node.input(0);
  const ElementType type = node.results[0].type;
  const bool to_bool = node.get_int("to", 0) == onnx::TensorProto::BOOL;
  if (!to_bool && !is_float(x.type) && !is_float(type)) return pack(numbers<std::int64_t>(x, x.shape), type);
  auto values = numbers<double>(x, x.shape);
  if (to_bool) std::ranges::transform(values, values.begin(), [](double v) { return v != 0 ? 1.0 : 0.0; });
  return pack(values, type);
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
  return pack_wrapped(sums, x.type);
}

bool is_integer_reduction(const OnnxNode& node) {
  const auto& t = node.op.type;
  return (t == "ReduceSum" || t == "ReduceProd" || t == "ReduceMax" || t == "ReduceMin") &&
         !is_float(node.input(0).type);
}

}  // namespace

std::optional<ConstantData> fold_arithmetic(const OnnxNode& node) {
  const auto& type = node.op.type;
  const bool integers = !is_float(node.input(0).type);
  if (integers && type == "Mod" && node.get_int("fmod", 0) != 0) return apply_binary(node, remainder);
  if (const auto found = binary_folds().find(type);
      integers && found != binary_folds().end() && node.inputs.size() == 2) {
    // An integer's power may be a real number's.
    if (!is_float(node.input(1).type)) return apply_binary(node, found->second);
  }
  if (type == "Cast") return fold_cast(node);
  if (type == "Where") return fold_where(node);
  if (type == "Range") return fold_range(node);
  if (is_integer_reduction(node)) return fold_reduce(node);
  return std::nullopt;
}

}  // namespace accord
