#include "compiler/network/passes/integer_factors.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/network/constants.h"

namespace accord {

namespace {

constexpr double middle = 128;  // of u8

double shift_of(const Tensor& x) { return x.type == ElementType::u8 ? middle : 0; }

template <typename T>
Tensor integers(const std::string& name, const Shape& shape, const std::vector<double>& values) {
  return make_constant(name, shape, std::vector<T>(values.begin(), values.end()));
}

}  // namespace

IntegerFactor IntegerFactors::factor(OperatorList& list, const std::string& what, TensorId x, TensorId zero,
                                     const Shape& zero_shape) {
  return absorbed({as_signed(list, what, x), zero_point(list, what + "_zero", x, zero, zero_shape)});
}

TensorId IntegerFactors::as_signed(OperatorList& list, const std::string& what, TensorId x) {
  return network_.tensor(x).type == ElementType::i8 ? x : converted(list, what, x, ElementType::i8);
}

TensorId IntegerFactors::converted(OperatorList& list, const std::string& what, TensorId id, ElementType type) {
  const auto [entry, fresh] = converted_.try_emplace({id, type}, no_tensor);
  if (!fresh) return entry->second;
  const Tensor x = network_.tensor(id);
  if (x.is_constant()) {
    auto values = numbers_of(x);
    for (auto& value : values) value -= shift_of(x);
    return entry->second = network_.add(integers<std::int8_t>(x.name, x.shape, values));
  }
  auto y = list.add_typed(ElementType::i32, "Cast", what + "_wide", {id}, x.shape);
  if (shift_of(x) != 0) {
    const auto shift = network_.add(integers<std::int32_t>(x.name + ".middle", {}, {-middle}));
    y = list.add_typed(ElementType::i32, "Add", what + "_signed", {y, shift}, x.shape);
  }
  if (type != ElementType::i32) y = list.add_typed(type, "Cast", what + "_narrow", {y}, x.shape);
  return entry->second = y;
}

TensorId IntegerFactors::zero_point(OperatorList& list, const std::string& what, TensorId x, TensorId zero,
                                    const Shape& zero_shape) {
  const double shift = shift_of(network_.tensor(x));
  const bool single = zero == no_tensor || element_count(list.shape(zero)) == 1;
  const Shape shape = single ? Shape{} : zero_shape;
  if (zero != no_tensor && !is_constant(zero)) {
    const auto wide = converted(list, what, zero, ElementType::i32);
    return list.shape(wide) == shape ? wide
                                     : list.add_typed(ElementType::i32, "Reshape", what + "_shape", {wide}, shape);
  }
  auto values = zero == no_tensor ? std::vector<double>{0} : numbers_of(network_.tensor(zero));
  for (auto& value : values) value -= shift;
  if (std::ranges::all_of(values, [](double value) { return value == 0; })) return no_tensor;
  return network_.add(integers<std::int32_t>(network_.tensor(x).name + ".zero", shape, values));
}

IntegerFactor IntegerFactors::absorbed(const IntegerFactor& factor) {
  if (!is_constant(factor.x) || !is_constant(factor.zero)) return factor;
  const Tensor x = network_.tensor(factor.x);
  const auto zeros = broadcast_numbers(network_.tensor(factor.zero), x.shape);
  auto values = numbers_of(x);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= zeros[i];
  const bool fits = std::ranges::all_of(
      values, [](double value) { return value >= lowest(ElementType::i8) && value <= highest(ElementType::i8); });
  if (!fits) return factor;
  return {network_.add(integers<std::int8_t>(x.name, x.shape, values)), no_tensor};
}

TensorId IntegerFactors::centred(OperatorList& list, const std::string& what, const IntegerFactor& factor) {
  const Shape shape = list.shape(factor.x);
  const auto wide = list.add_typed(ElementType::i32, "Cast", what + "_integers", {factor.x}, shape);
  if (factor.zero == no_tensor) return wide;
  return list.add_typed(ElementType::i32, "Sub", what + "_centred", {wide, factor.zero}, shape);
}

}  // namespace accord
