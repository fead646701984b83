#include "archdsl/tensor/scalar.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "archdsl/tensor/convert.h"

namespace accord {
namespace {

// Two's complement wrap-around to the width of the type.
std::int64_t wrap(ElementType type, std::uint64_t value) {
  switch (type) {
    case ElementType::i4: return static_cast<std::int64_t>(value << 60) >> 60;
    case ElementType::i8: return static_cast<std::int8_t>(value);
    case ElementType::u8: return static_cast<std::uint8_t>(value);
    case ElementType::i16: return static_cast<std::int16_t>(value);
    case ElementType::i32: return static_cast<std::int32_t>(value);
    default: return static_cast<std::int64_t>(value);
  }
}

int width(ElementType type) { return type == ElementType::i4 ? 4 : bits(type); }

std::int64_t shift_left(std::int64_t value, std::int64_t count, int limit) {
  if (count <= 0) return value;
  return count >= limit ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(a)) : a / b;
}

Scalar apply_integer(ExprOp op, ElementType type, const Scalar* args) {
  const std::int64_t a = args[0].integer;
  const std::int64_t b = args[1].integer;
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const auto result = [&](std::uint64_t value) { return Scalar{type, wrap(type, value), 0}; };
  switch (op) {
    case ExprOp::add: return result(ua + ub);
    case ExprOp::sub: return result(ua - ub);
    case ExprOp::mul: return result(ua * ub);
    case ExprOp::div: return result(static_cast<std::uint64_t>(divide(a, b)));
    case ExprOp::remainder: return result(ua - static_cast<std::uint64_t>(divide(a, b)) * ub);
    case ExprOp::min: return result(a < b ? ua : ub);
    case ExprOp::max: return result(a > b ? ua : ub);
    case ExprOp::neg: return result(-ua);
    case ExprOp::abs: return result(a < 0 ? -ua : ua);
    case ExprOp::shift_left: return result(static_cast<std::uint64_t>(shift_left(a, b, width(type))));
    case ExprOp::shift_right: return result(static_cast<std::uint64_t>(a >> std::clamp<std::int64_t>(b, 0, 63)));
    default: return result(ua);  // rounding an integer leaves it
  }
}

float compute(ExprOp op, float a, float b) {
  switch (op) {
    case ExprOp::add: return a + b;
    case ExprOp::sub: return a - b;
    case ExprOp::mul: return a * b;
    case ExprOp::div: return a / b;
    case ExprOp::min: return a < b ? a : b;
    case ExprOp::max: return a > b ? a : b;
    case ExprOp::neg: return -a;
    case ExprOp::abs: return std::fabs(a);
    case ExprOp::round: return std::nearbyint(a);
    case ExprOp::round_away: return std::round(a);
    case ExprOp::floor: return std::floor(a);
    case ExprOp::ceil: return std::ceil(a);
    case ExprOp::exp: return std::exp(a);
    case ExprOp::log: return std::log(a);
    case ExprOp::sqrt: return std::sqrt(a);
    case ExprOp::tanh: return std::tanh(a);
    case ExprOp::erf: return std::erf(a);
    case ExprOp::sin: return std::sin(a);
    case ExprOp::cos: return std::cos(a);
    case ExprOp::tan: return std::tan(a);
    case ExprOp::asin: return std::asin(a);
    case ExprOp::acos: return std::acos(a);
    case ExprOp::atan: return std::atan(a);
    case ExprOp::sinh: return std::sinh(a);
    case ExprOp::cosh: return std::cosh(a);
    case ExprOp::asinh: return std::asinh(a);
    case ExprOp::acosh: return std::acosh(a);
    case ExprOp::atanh: return std::atanh(a);
    case ExprOp::pow: return std::pow(a, b);
    case ExprOp::remainder: return std::fmod(a, b);
    default: assert(false); return 0;
  }
}

bool is_true(const Scalar& value) { return is_float(value.type) ? value.real != 0 : value.integer != 0; }

bool holds(ExprOp op, const Scalar& a, const Scalar& b) {
  if (is_float(a.type)) return op == ExprOp::less ? a.real < b.real : a.real == b.real;
  return op == ExprOp::less ? a.integer < b.integer : a.integer == b.integer;
}

}  // namespace

Scalar make_scalar(ElementType type, double value) {
  std::byte memory[8];
  store_element(memory, type, value);
  return load_scalar(memory, type);
}

Scalar load_scalar(const std::byte* at, ElementType type) {
  if (is_float(type)) return {type, 0, static_cast<float>(load_element(at, type))};
  if (type != ElementType::i64) return {type, static_cast<std::int64_t>(load_element(at, type)), 0};
  Scalar result{type, 0, 0};
  std::memcpy(&result.integer, at, sizeof result.integer);
  return result;
}

void store_scalar(std::byte* at, const Scalar& value) {
  if (value.type == ElementType::i64)
    std::memcpy(at, &value.integer, sizeof value.integer);
  else
    store_element(at, value.type, to_double(value));
}

double to_double(const Scalar& value) {
  return is_float(value.type) ? static_cast<double>(value.real) : static_cast<double>(value.integer);
}

Scalar cast_scalar(const Scalar& value, ElementType type) {
  if (value.type == type) return value;
  if (!is_float(value.type) && type == ElementType::i64) return {type, value.integer, 0};
  if (value.type == ElementType::i64 && type == ElementType::fp32) return {type, 0, static_cast<float>(value.integer)};
  return make_scalar(type, to_double(value));
}

Scalar apply_scalar(ExprOp op, ElementType result, const Scalar* args) {
  if (op == ExprOp::select) return is_true(args[0]) ? args[1] : args[2];
  if (op == ExprOp::less || op == ExprOp::equal) return {result, holds(op, args[0], args[1]) ? 1 : 0, 0};
  if (!is_float(result)) return apply_integer(op, result, args);
  return {result, 0, round_to(result, compute(op, args[0].real, args[1].real))};
}

}  // namespace accord
